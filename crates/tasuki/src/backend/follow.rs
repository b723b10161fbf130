//! Events as they happen.

use std::time::Instant;

use tasuki_packet::api;

use super::Answer;

/// A place in the events of an exchange, which moves on as they are read.
pub(crate) trait Follow {
    /// The next events that are wanted, as soon as there are some. None where the time is over, or where
    /// what was read before may have changed.
    fn next(&mut self, until: Option<Instant>) -> Answer<Vec<api::Event>>;
}
