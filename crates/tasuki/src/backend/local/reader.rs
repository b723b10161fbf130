//! Reads packets as a caller, and marks them as delivered.

use tasuki_engine::command::Command;
use tasuki_engine::deliver;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::resume::Reader;

use super::exchange::Exchange;

impl Exchange {
    /// Returns the reader of a caller.
    pub(crate) fn reader<'a>(&'a self, principal: &'a Principal) -> Reader<'a> {
        Reader { engine: &self.engine, project: self.project, principal }
    }

    /// Marks a handoff as delivered. A failure is ignored: reading must not fail because the writer is
    /// unavailable.
    pub(crate) fn mark_delivered(&self, caller: &Principal, handoff: &Handoff) {
        if handoff.progress.delivered_at.is_none() {
            let request = deliver::Request { handoff: handoff.id, is_delivery: false };
            drop(self.try_run(caller, Command::Deliver(request), None));
        }
    }
}
