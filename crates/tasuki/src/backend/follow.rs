//! Follows events as they happen.

use std::time::Instant;

use tasuki_api as api;

use super::BackendResult;

/// A position in the events of an exchange, which advances as they are read.
pub(crate) trait EventFollower {
    /// Blocks until there are matching events and returns them. Returns none if the time is up, or if
    /// earlier events may have changed.
    fn next(&mut self, until: Option<Instant>) -> BackendResult<Vec<api::Event>>;
}
