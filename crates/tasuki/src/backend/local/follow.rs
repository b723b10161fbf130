//! Follows events of the local store. It is polled, because any process may write to it.

use std::time::{Duration, Instant};

use tasuki_api as api;
use tasuki_engine::model::EventFilter;

use super::backend::LocalBackend;
use crate::backend::{Backend as _, EventFollower};
use crate::exit::Failure;

/// The interval at which the store is polled.
const POLL: Duration = Duration::from_millis(100);

/// LIMIT: events that are returned at once.
const EVENTS_MAX: usize = 1_000;

/// A position in the log.
pub(super) struct StorePoller<'a> {
    pub(super) backend: &'a LocalBackend,
    pub(super) from: u64,
    pub(super) filter: EventFilter,
}

impl EventFollower for StorePoller<'_> {
    fn next(&mut self, until: Option<Instant>) -> Result<Vec<api::Event>, Failure> {
        loop {
            let version = self.backend.exchange.data_version()?;
            let page = self.backend.events(self.from, &self.filter, EVENTS_MAX)?;
            self.from = page.next;
            if !page.events.is_empty() || !self.wait(version, until)? {
                return Ok(page.events);
            }
        }
    }
}

impl StorePoller<'_> {
    /// Waits until the store has changed. Returns `false` if the time is up.
    fn wait(&self, version: u64, until: Option<Instant>) -> Result<bool, Failure> {
        while self.backend.exchange.data_version()? == version {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
            std::thread::sleep(left.unwrap_or(POLL).min(POLL));
            self.backend.apply_due()?;
        }
        Ok(true)
    }
}
