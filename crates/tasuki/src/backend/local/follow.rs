//! Events of this machine as they happen. Any process may write them, so the store is asked.

use std::time::{Duration, Instant};

use tasuki_engine::events::Filter;
use tasuki_packet::api;

use super::backend::Here;
use crate::backend::{Door as _, Follow};
use crate::exit::Failure;

/// How often the store is asked whether anybody wrote.
const POLL: Duration = Duration::from_millis(100);

/// LIMIT: events that are given at once.
const EVENTS_MAX: usize = 1_000;

/// A place in the log.
pub(super) struct Polling<'a> {
    pub(super) here: &'a Here,
    pub(super) from: u64,
    pub(super) filter: Filter,
}

impl Follow for Polling<'_> {
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        loop {
            let version = self.here.exchange.version()?;
            let page = self.here.events(self.from, &self.filter, EVENTS_MAX)?;
            self.from = page.next;
            if !page.events.is_empty() || !self.wait(version, until)? {
                return Ok(page.events);
            }
        }
    }
}

impl Polling<'_> {
    /// Waits until somebody has written; says whether somebody has before the time was over.
    fn wait(&self, version: u64, until: Option<Instant>) -> Result<bool, Failure> {
        while self.here.exchange.version()? == version {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
            std::thread::sleep(left.unwrap_or(POLL).min(POLL));
            self.here.settle()?;
        }
        Ok(true)
    }
}
