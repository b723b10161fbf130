//! Reads packets as a caller, and marks them as delivered.

use tasuki_engine::command::Command;
use tasuki_engine::model::{Handoff, Principal};
use tasuki_engine::query::continuation::Reader;
use tasuki_engine::steps::system::mark_delivered;

use super::exchange::Exchange;
use crate::exit::Failure;

impl Exchange {
    /// Returns the reader of a caller.
    pub(crate) fn reader<'a>(&'a self, principal: &'a Principal) -> Result<Reader<'a>, Failure> {
        self.wait(self.engine.reader(self.project, principal))
    }

    /// Marks a handoff as delivered. A failure is ignored: reading must not fail because the writer is
    /// unavailable.
    pub(crate) fn mark_delivered(&self, caller: &Principal, handoff: &Handoff) {
        if handoff.progress.delivered_at.is_none() {
            let request = mark_delivered::MarkDelivered { handoff: handoff.id, is_delivery: false };
            drop(self.try_run(caller, Command::MarkDelivered(request), None));
        }
    }
}
