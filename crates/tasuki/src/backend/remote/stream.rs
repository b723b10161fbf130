//! Events of a server as they happen. It tells them; nobody asks again and again.

use std::time::{Duration, Instant};

use tasuki_client::{Error, Stream, Told};
use tasuki_packet::api;

use crate::backend::Follow;
use crate::backend::problem::failed;
use crate::exit::Failure;
use crate::output::printer::{NOTE, Printer};

/// A stream of a server.
pub(super) struct Following<'a> {
    pub(super) stream: Stream,
    pub(super) printer: &'a Printer,
}

impl Follow for Following<'_> {
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        loop {
            let told =
                self.stream.next_within(until.map_or(Duration::MAX, left)).map_err(failed)?;
            match told {
                None => return Ok(Vec::new()),
                Some(Told::Event(first)) => return Ok(self.with_all_that_came(*first)),
                Some(Told::Lost(error)) => self.say_lost(&error),
                Some(Told::Reset { leaves }) => {
                    self.say_reset(leaves);
                    return Ok(Vec::new());
                }
            }
        }
    }
}

impl Following<'_> {
    fn with_all_that_came(&mut self, first: api::Event) -> Vec<api::Event> {
        let mut events = vec![first];
        // Why there is no more is told next time.
        while let Ok(Some(told)) = self.stream.next_within(Duration::ZERO) {
            match told {
                Told::Event(event) => events.push(*event),
                Told::Lost(error) => self.say_lost(&error),
                Told::Reset { leaves } => self.say_reset(leaves),
            }
        }
        events
    }

    fn say_lost(&self, error: &Error) {
        self.printer.remark(&format!("{NOTE}!{NOTE:#} {error}. Trying again; nothing is missed."));
    }

    fn say_reset(&self, leaves: u64) {
        self.printer.remark(&format!(
            "{NOTE}!{NOTE:#} The log was restored from a copy. Going on with event {leaves}."
        ));
    }
}
