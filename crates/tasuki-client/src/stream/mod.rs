//! A stream of events without gaps and without duplicates.
//!
//! The state of a stream is a filter and the number of the next event. After a lost connection the
//! stream reconnects with exponential backoff and jitter, and sends the number of the last event it
//! received. The server continues with the next one.

mod connection;
mod frame;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use connection::{Chunk, Connection, OpenError};
use frame::{Frame, Frames};
use serde::Deserialize;
use tasuki_api::{Event, EventFilter};

use crate::client::Client;
use crate::error::Error;
use crate::names;

/// The first delay before reconnecting, unless the server sets one.
const PAUSE: Duration = Duration::from_secs(1);

/// LIMIT: the longest delay between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// An item of a stream.
#[derive(Debug)]
pub enum StreamItem {
    /// An event.
    Event(Box<Event>),
    /// The log has fewer events than the stream had already received, because it was restored from a
    /// backup. The stream continues with the event of this number.
    Reset {
        /// The number of events in the log.
        leaves: u64,
    },
    /// The connection is lost. The stream reconnects and misses no event.
    Lost(Error),
}

/// A stream of events, from [`Client::follow`].
///
/// The iterator blocks until there is an item. It ends after an error that a retry cannot repair: the
/// server refused the request, or the response is not a stream.
///
/// ```no_run
/// use tasuki_client::api::EventFilter;
/// use tasuki_client::{Client, StreamItem};
///
/// # fn main() -> Result<(), tasuki_client::Error> {
/// let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
/// let filter = EventFilter { receiver: Some("coder".to_owned()), ..EventFilter::default() };
/// for item in client.follow(&filter, None)? {
///     match item? {
///         StreamItem::Event(event) => println!("{} {} by {}", event.n, event.kind, event.actor),
///         StreamItem::Reset { leaves } => println!("the log was restored to {leaves} events"),
///         StreamItem::Lost(error) => println!("reconnecting: {error}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct EventStream {
    client: Client,
    filter: EventFilter,
    /// The number of the next event.
    next: u64,
    connection: Option<Connection>,
    frames: Frames,
    items: VecDeque<StreamItem>,
    /// The base of the reconnect delay.
    pause: Duration,
    /// The failed attempts since the last connection.
    failed: u32,
    /// The time of the next attempt.
    retry_at: Instant,
    has_ended: bool,
}

#[derive(Deserialize)]
struct Reset {
    leaves: u64,
}

impl EventStream {
    pub(crate) fn open(client: Client, filter: EventFilter, from: u64) -> Result<Self, Error> {
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

    /// Returns the next item, or `None` if there is none within this time. With a wait of zero it
    /// returns only an item that has already been received.
    ///
    /// # Errors
    ///
    /// An error that a retry cannot repair, which ends the stream.
    pub fn next_within(&mut self, wait: Duration) -> Result<Option<StreamItem>, Error> {
        // A wait beyond the range of the clock never ends.
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

    /// Returns the number of the next event, from which another stream can continue.
    pub fn position(&self) -> u64 {
        self.next
    }

    fn open_connection(&self, within: Duration) -> Result<Connection, OpenError> {
        let client = self.client.clone().timeout(within.min(self.client.timeout));
        let request = client.get("/v1/events").filter(&self.filter);
        // `Last-Event-ID` cannot express a start before event 0.
        let request = match self.next.checked_sub(1) {
            Some(seen) => request.header("last-event-id", Some(seen.to_string())),
            None => request.with("from", Some(0)),
        };
        Connection::open(&client, request)
    }

    /// Tries to connect once. Only the first failure in a row becomes an item.
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
        // The server sends an incomplete frame again.
        self.frames = Frames::default();
        self.pause();
    }

    /// Sets the time of the next attempt: twice the last delay, with jitter.
    fn pause(&mut self) {
        let longest = self.pause.saturating_mul(1 << self.failed.min(10)).min(PAUSE_MAX);
        let mut drawn = [0; 1];
        // Without random numbers the delay has no jitter.
        let part = getrandom::fill(&mut drawn).map_or(0, |()| u32::from(drawn[0]));
        self.retry_at = Instant::now() + longest / 2 + longest * part / (2 * 256);
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(frames) = self.frames.take(bytes) else {
            return Err(self.invalid("an event of the stream is too long"));
        };
        for frame in frames {
            self.accept(&frame)
                .map_err(|error| self.invalid(&format!("invalid event in the stream: {error}")))?;
        }
        Ok(())
    }

    /// Ends the stream because of an invalid response.
    fn invalid(&mut self, reason: &str) -> Error {
        self.has_ended = true;
        self.connection = None;
        self.frames = Frames::default();
        Error::UnexpectedResponse {
            address: self.client.address.clone(),
            reason: reason.to_owned(),
        }
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
        let body: serde_json::Value = serde_json::from_str(&frame.data)?;
        if let Some(member) = names::invalid(&body) {
            return Err(serde::de::Error::custom(format!("`{member}` is not a valid name")));
        }
        let event: Event = serde_json::from_value(body)?;
        // INVARIANT: no event is returned twice, even if the server sends it again.
        if event.n >= self.next {
            self.next = event.n + 1;
            self.items.push_back(StreamItem::Event(Box::new(event)));
        }
        Ok(())
    }

    /// Skips to this id: no event up to it matches the filter.
    fn skip_to(&mut self, id: Option<&str>) {
        if let Some(seen) = id.and_then(|id| id.parse::<u64>().ok()) {
            self.next = self.next.max(seen.saturating_add(1));
        }
    }
}

impl Iterator for EventStream {
    type Item = Result<StreamItem, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        self.next_within(Duration::MAX).transpose()
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("next", &self.next).finish_non_exhaustive()
    }
}
