//! Events as they happen, without a gap and without one twice.
//!
//! A stream is a number and a filter. Whenever its connection is lost it is made again, after a pause
//! that grows, with the number of the last event that came; the server goes on with the next one.

mod connection;
mod frame;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use connection::{Chunk, Connection, OpenError};
use frame::{Frame, Frames};
use serde::Deserialize;
use tasuki_api as api;

use crate::ask::Filter;
use crate::client::Client;
use crate::error::Error;

/// How long to wait before coming back, unless the server says.
const PAUSE: Duration = Duration::from_secs(1);

/// LIMIT: the longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// An item of a stream.
#[derive(Debug)]
pub enum StreamItem {
    /// An event.
    Event(Box<api::Event>),
    /// The log is shorter than what was asked for, because it was restored from a copy. The stream goes
    /// on with the event of this number.
    Reset {
        /// How many events the log has.
        leaves: u64,
    },
    /// The server cannot be reached. It is tried again, and nothing that happens meanwhile is missed.
    Lost(Error),
}

/// Events as they happen: see [`Client::follow`].
///
/// As an iterator it waits for ever. It ends after an error, which is one that trying again does not
/// mend: the exchange refused, or what answers is no exchange.
pub struct Stream {
    client: Client,
    filter: Filter,
    /// The number of the first event that was not received.
    next: u64,
    connection: Option<Connection>,
    frames: Frames,
    items: VecDeque<StreamItem>,
    /// The pause that the server asks for.
    pause: Duration,
    /// Attempts that failed since there was a connection.
    failed: u32,
    /// When to try again.
    retry_at: Instant,
    has_ended: bool,
}

#[derive(Deserialize)]
struct Reset {
    leaves: u64,
}

impl Stream {
    pub(crate) fn open(client: Client, filter: Filter, from: u64) -> Result<Self, Error> {
        let mut stream = Self {
            client,
            filter,
            next: from,
            connection: None,
            frames: Frames::default(),
            items: VecDeque::new(),
            pause: PAUSE,
            failed: 0,
            retry_at: Instant::now(),
            has_ended: false,
        };
        match stream.open_connection(stream.client.timeout) {
            Ok(connection) => stream.connection = Some(connection),
            Err(OpenError::Temporary(error) | OpenError::Permanent(error)) => return Err(error),
        }
        Ok(stream)
    }

    /// Returns the next item, as soon as there is one; none if there is none within this time. With a wait of
    /// zero it returns what has already been received.
    pub fn next_within(&mut self, wait: Duration) -> Result<Option<StreamItem>, Error> {
        // A wait beyond the range of the clock has no end.
        let until = Instant::now().checked_add(wait);
        loop {
            if let Some(item) = self.items.pop_front() {
                return Ok(Some(item));
            }
            let now = Instant::now();
            let left = until.map_or(PAUSE_MAX, |until| until.saturating_duration_since(now));
            match &self.connection {
                Some(connection) => match connection.next(left) {
                    Chunk::Bytes(bytes) => self.take(&bytes)?,
                    Chunk::Timeout => {}
                    Chunk::End => self.disconnected(),
                },
                None if now >= self.retry_at && !left.is_zero() => self.connect(left)?,
                None => std::thread::sleep(left.min(self.retry_at.saturating_duration_since(now))),
            }
            let is_time_over = until.is_some_and(|until| Instant::now() >= until);
            if is_time_over && self.items.is_empty() {
                return Ok(None);
            }
        }
    }

    /// The number of the first event that was not received: where another stream continues.
    pub fn position(&self) -> u64 {
        self.next
    }

    fn open_connection(&self, within: Duration) -> Result<Connection, OpenError> {
        let client = self.client.clone().timeout(within.min(self.client.timeout));
        let request = client.get("/v1/events").filter(&self.filter);
        // Before the first event there is none that was seen.
        let request = match self.next.checked_sub(1) {
            Some(seen) => request.header("last-event-id", Some(seen.to_string())),
            None => request.with("from", Some(0)),
        };
        Connection::open(&client, request)
    }

    /// Tries to connect once. Only the first failure in a row is an item.
    fn connect(&mut self, within: Duration) -> Result<(), Error> {
        match self.open_connection(within) {
            Ok(connection) => {
                self.connection = Some(connection);
                self.failed = 0;
            }
            Err(OpenError::Temporary(error)) => {
                if self.failed == 0 {
                    self.items.push_back(StreamItem::Lost(error));
                }
                self.failed += 1;
                self.pause();
            }
            Err(OpenError::Permanent(error)) => {
                self.has_ended = true;
                return Err(error);
            }
        }
        Ok(())
    }

    fn disconnected(&mut self) {
        self.connection = None;
        // Half a frame is sent again whole.
        self.frames = Frames::default();
        self.pause();
    }

    /// Doubles the pause before the next attempt, with jitter.
    fn pause(&mut self) {
        let longest = self.pause.saturating_mul(1 << self.failed.min(10)).min(PAUSE_MAX);
        let mut drawn = [0; 1];
        // Without random numbers there is no jitter.
        let part = getrandom::fill(&mut drawn).map_or(0, |()| u32::from(drawn[0]));
        self.retry_at = Instant::now() + longest / 2 + longest * part / (2 * 256);
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(frames) = self.frames.take(bytes) else {
            return Err(self.foreign("an event of its stream has no end"));
        };
        for frame in frames {
            self.accept(&frame).map_err(|error| {
                self.foreign(&format!("an event of its stream cannot be read: {error}"))
            })?;
        }
        Ok(())
    }

    /// Ends the stream because of an invalid response.
    fn foreign(&mut self, reason: &str) -> Error {
        self.has_ended = true;
        self.connection = None;
        self.frames = Frames::default();
        Error::Foreign { address: self.client.address.clone(), reason: reason.to_owned() }
    }

    fn accept(&mut self, frame: &Frame) -> Result<(), serde_json::Error> {
        if let Some(milliseconds) = frame.retry {
            self.pause = Duration::from_millis(milliseconds).min(PAUSE_MAX);
        }
        if frame.data.is_empty() {
            self.skip_to(frame.id.as_deref());
            return Ok(());
        }
        if frame.kind.as_deref() == Some("reset") {
            let Reset { leaves } = serde_json::from_str(&frame.data)?;
            self.next = leaves;
            self.items.push_back(StreamItem::Reset { leaves });
            return Ok(());
        }
        let event: api::Event = serde_json::from_str(&frame.data)?;
        // No event is returned twice, whatever the server does.
        if event.n >= self.next {
            self.next = event.n + 1;
            self.items.push_back(StreamItem::Event(Box::new(event)));
        }
        Ok(())
    }
}

impl Stream {
    /// Skips to this id: no event up to it matches the filter.
    fn skip_to(&mut self, id: Option<&str>) {
        if let Some(seen) = id.and_then(|id| id.parse::<u64>().ok()) {
            self.next = self.next.max(seen.saturating_add(1));
        }
    }
}

impl Iterator for Stream {
    type Item = Result<StreamItem, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        self.next_within(Duration::MAX).transpose()
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("next", &self.next).finish_non_exhaustive()
    }
}
