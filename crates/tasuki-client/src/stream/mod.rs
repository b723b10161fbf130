//! Events as they happen, without a gap and without one twice.
//!
//! A stream is a number and a filter. Whenever its connection is lost it is made again, after a pause
//! that grows, with the number of the last event that came; the server goes on with the next one.

mod connection;
mod frame;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tasuki_packet::api;

use crate::ask::Filter;
use crate::client::Client;
use crate::error::Error;
use connection::{Came, Connection, Unopened};
use frame::{Frame, Frames};

/// How long to wait before coming back, unless the server says.
const PAUSE: Duration = Duration::from_secs(1);

/// LIMIT: the longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// What a stream tells.
#[derive(Debug)]
pub enum Told {
    /// Something happened.
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
    /// The number of the first event that has not come.
    next: u64,
    connection: Option<Connection>,
    frames: Frames,
    told: VecDeque<Told>,
    /// The pause that the server asks for.
    pause: Duration,
    /// Attempts that failed since there was a connection.
    failed: u32,
    /// When to try again.
    again_at: Instant,
    is_over: bool,
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
            told: VecDeque::new(),
            pause: PAUSE,
            failed: 0,
            again_at: Instant::now(),
            is_over: false,
        };
        match stream.connected(stream.client.timeout) {
            Ok(connection) => stream.connection = Some(connection),
            Err(Unopened::Yet(error) | Unopened::Ever(error)) => return Err(error),
        }
        Ok(stream)
    }

    /// What is told next, as soon as there is something; nothing if there is nothing within this time.
    /// Without a time it is what has already come.
    pub fn next_within(&mut self, wait: Duration) -> Result<Option<Told>, Error> {
        // Who waits longer than there is time waits for ever.
        let until = Instant::now().checked_add(wait);
        loop {
            if let Some(told) = self.told.pop_front() {
                return Ok(Some(told));
            }
            let now = Instant::now();
            let left = until.map_or(PAUSE_MAX, |until| until.saturating_duration_since(now));
            match &self.connection {
                Some(connection) => match connection.next(left) {
                    Came::Bytes(bytes) => self.take(&bytes)?,
                    Came::Nothing => {}
                    Came::End => self.disconnected(),
                },
                None if now >= self.again_at && !left.is_zero() => self.connect(left)?,
                None => std::thread::sleep(left.min(self.again_at.saturating_duration_since(now))),
            }
            let is_time_over = until.is_some_and(|until| Instant::now() >= until);
            if is_time_over && self.told.is_empty() {
                return Ok(None);
            }
        }
    }

    /// The number of the first event that has not come: where another stream goes on.
    pub fn position(&self) -> u64 {
        self.next
    }

    fn connected(&self, within: Duration) -> Result<Connection, Unopened> {
        let client = self.client.clone().timeout(within.min(self.client.timeout));
        let request = client.get("/v1/events").wanted(&self.filter);
        // Before the first event there is none that was seen.
        let request = match self.next.checked_sub(1) {
            Some(seen) => request.header("last-event-id", Some(seen.to_string())),
            None => request.with("from", Some(0)),
        };
        Connection::open(&client, request)
    }

    /// Tries once. That it failed is told once.
    fn connect(&mut self, within: Duration) -> Result<(), Error> {
        match self.connected(within) {
            Ok(connection) => {
                self.connection = Some(connection);
                self.failed = 0;
            }
            Err(Unopened::Yet(error)) => {
                if self.failed == 0 {
                    self.told.push_back(Told::Lost(error));
                }
                self.failed += 1;
                self.pause();
            }
            Err(Unopened::Ever(error)) => {
                self.is_over = true;
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

    /// Each pause is twice as long as the one before, and nobody comes back at the same moment.
    fn pause(&mut self) {
        let longest = self.pause.saturating_mul(1 << self.failed.min(10)).min(PAUSE_MAX);
        let mut drawn = [0; 1];
        // Without random numbers everybody comes back after half of it.
        let part = getrandom::fill(&mut drawn).map_or(0, |()| u32::from(drawn[0]));
        self.again_at = Instant::now() + longest / 2 + longest * part / (2 * 256);
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(frames) = self.frames.take(bytes) else {
            return Err(self.foreign("an event of its stream has no end"));
        };
        for frame in frames {
            self.tell(&frame).map_err(|error| {
                self.foreign(&format!("an event of its stream cannot be read: {error}"))
            })?;
        }
        Ok(())
    }

    /// Whoever asks all the same gets the same again.
    fn foreign(&mut self, reason: &str) -> Error {
        self.is_over = true;
        self.connection = None;
        self.frames = Frames::default();
        Error::Foreign { address: self.client.address.clone(), reason: reason.to_owned() }
    }

    fn tell(&mut self, frame: &Frame) -> Result<(), serde_json::Error> {
        if let Some(milliseconds) = frame.retry {
            self.pause = Duration::from_millis(milliseconds).min(PAUSE_MAX);
        }
        if frame.data.is_empty() {
            self.looked_up_to(frame.id.as_deref());
            return Ok(());
        }
        if frame.kind.as_deref() == Some("reset") {
            let Reset { leaves } = serde_json::from_str(&frame.data)?;
            self.next = leaves;
            self.told.push_back(Told::Reset { leaves });
            return Ok(());
        }
        let event: api::Event = serde_json::from_str(&frame.data)?;
        // What came before is not told twice, whatever the server does.
        if event.n >= self.next {
            self.next = event.n + 1;
            self.told.push_back(Told::Event(Box::new(event)));
        }
        Ok(())
    }
}

impl Stream {
    /// Nothing up to this id was for us, so nobody looks there again.
    fn looked_up_to(&mut self, id: Option<&str>) {
        if let Some(seen) = id.and_then(|id| id.parse::<u64>().ok()) {
            self.next = self.next.max(seen.saturating_add(1));
        }
    }
}

impl Iterator for Stream {
    type Item = Result<Told, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
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
