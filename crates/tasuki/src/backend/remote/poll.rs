//! Polls for tokens that may not read events: the inbox by long polling, one handoff once a second.

use std::thread::sleep;
use std::time::{Duration, Instant};

use tasuki_api as api;
use tasuki_client::{Client, Error};
use tasuki_engine::limits::PAGE_MAX;

use crate::backend::EventFollower;
use crate::backend::problem::client_failure;
use crate::exit::Failure;
use crate::output::printer::{NOTE, Printer};

/// LIMIT: the longest long poll that a server accepts.
const WAIT_MAX: Duration = Duration::from_mins(1);
/// The shortest long poll, and the pause before a retry.
const WAIT_MIN: Duration = Duration::from_secs(1);

/// The interval at which a handoff is polled.
const PAUSE: Duration = Duration::from_secs(1);

/// Long-polls the inbox.
pub(super) struct InboxPoller<'a> {
    pub(super) client: &'a Client,
    pub(super) printer: &'a Printer,
}

/// Waits for the next poll of a handoff.
pub(super) struct PausingFollower;

impl EventFollower for PausingFollower {
    /// Returns no events; the caller reads the handoff again.
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        sleep(until.map_or(PAUSE, left).min(PAUSE));
        Ok(Vec::new())
    }
}

impl EventFollower for InboxPoller<'_> {
    /// Returns no events; the caller reads the inbox again.
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let wait = until.map_or(WAIT_MAX, left).min(WAIT_MAX);
        if wait < WAIT_MIN {
            sleep(wait);
            return Ok(Vec::new());
        }
        match self.client.inbox(Some(PAGE_MAX), None, wait) {
            Ok(_) => Ok(Vec::new()),
            Err(error @ Error::Refused(_)) => Err(client_failure(error)),
            Err(error) => {
                self.printer.remark(&format!("{NOTE}!{NOTE:#} {error}; retrying"));
                sleep(WAIT_MIN);
                Ok(Vec::new())
            }
        }
    }
}
