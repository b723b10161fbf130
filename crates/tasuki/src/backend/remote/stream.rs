//! Follows the event stream of a server.

use std::time::{Duration, Instant};

use tasuki_api as api;
use tasuki_client::{Error, EventStream, StreamItem};

use crate::backend::EventFollower;
use crate::backend::problem::client_failure;
use crate::exit::Failure;
use crate::output::printer::{NOTE, Printer};

/// A position in the event stream of a server.
pub(super) struct StreamFollower<'a> {
    pub(super) stream: EventStream,
    pub(super) printer: &'a Printer,
}

impl EventFollower for StreamFollower<'_> {
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        loop {
            let item = self
                .stream
                .next_within(until.map_or(Duration::MAX, left))
                .map_err(client_failure)?;
            match item {
                None => return Ok(Vec::new()),
                Some(StreamItem::Event(first)) => return Ok(self.drain(*first)),
                Some(StreamItem::Lost(error)) => self.warn_disconnected(&error),
                Some(StreamItem::Reset { leaves }) => {
                    self.warn_reset(leaves);
                    return Ok(Vec::new());
                }
            }
        }
    }
}

impl StreamFollower<'_> {
    fn drain(&mut self, first: api::Event) -> Vec<api::Event> {
        let mut events = vec![first];
        // An error ends the drain and is returned by the next call.
        while let Ok(Some(item)) = self.stream.next_within(Duration::ZERO) {
            match item {
                StreamItem::Event(event) => events.push(*event),
                StreamItem::Lost(error) => self.warn_disconnected(&error),
                StreamItem::Reset { leaves } => self.warn_reset(leaves),
            }
        }
        events
    }

    fn warn_disconnected(&self, error: &Error) {
        self.printer.remark(&format!("{NOTE}!{NOTE:#} {error}; reconnecting, no events are lost"));
    }

    fn warn_reset(&self, leaves: u64) {
        self.printer.remark(&format!(
            "{NOTE}!{NOTE:#} The log was restored from a backup; continuing with event {leaves}"
        ));
    }
}
