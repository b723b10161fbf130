//! News for a token that may not read events. Of the inbox: the server is asked again and again, and
//! answers as soon as something is for the caller. Of one handoff: whoever waits looks once a second.

use std::thread::sleep;
use std::time::{Duration, Instant};

use tasuki_client::{Client, Error};
use tasuki_engine::limits::PAGE_MAX;
use tasuki_packet::api;

use crate::backend::Follow;
use crate::backend::problem::failed;
use crate::exit::Failure;
use crate::output::printer::{NOTE, Printer};

/// LIMIT: a server waits no longer.
const WAIT_MAX: Duration = Duration::from_mins(1);
/// The shortest wait that a server can be asked for, and the pause before one that is away is asked again.
const WAIT_MIN: Duration = Duration::from_secs(1);

/// How long nobody looks at a handoff.
const PAUSE: Duration = Duration::from_secs(1);

/// Somebody at the door of the inbox.
pub(super) struct Knocking<'a> {
    pub(super) client: &'a Client,
    pub(super) printer: &'a Printer,
}

/// Somebody who looks at a handoff now and then.
pub(super) struct Pausing;

impl Follow for Pausing {
    /// Never tells what happened: whoever waits looks.
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        sleep(until.map_or(PAUSE, left).min(PAUSE));
        Ok(Vec::new())
    }
}

impl Follow for Knocking<'_> {
    /// Never tells what happened: that something may have is reason enough to look.
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let wait = until.map_or(WAIT_MAX, left).min(WAIT_MAX);
        if wait < WAIT_MIN {
            sleep(wait);
            return Ok(Vec::new());
        }
        match self.client.inbox(Some(PAGE_MAX), None, wait) {
            Ok(_) => Ok(Vec::new()),
            Err(error @ Error::Refused(_)) => Err(failed(error)),
            Err(error) => {
                self.printer.remark(&format!("{NOTE}!{NOTE:#} {error}. Trying again."));
                sleep(WAIT_MIN);
                Ok(Vec::new())
            }
        }
    }
}
