//! Reading packets, as whom, and telling the exchange that they were read.

use tasuki_engine::command::Command;
use tasuki_engine::deliver;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::resume::Reader;

use super::exchange::Exchange;

impl Exchange {
    /// Reads what this caller may read.
    pub(crate) fn reader<'a>(&'a self, principal: &'a Principal) -> Reader<'a> {
        Reader { engine: &self.engine, project: self.project, principal }
    }

    /// The receiver has seen it. This is posted afterwards and its failure is nobody's: reading must
    /// not fail because the writer is away.
    pub(crate) fn delivered(&self, caller: &Principal, handoff: &Handoff) {
        if handoff.progress.delivered_at.is_none() {
            let request = deliver::Request { handoff: handoff.id, is_delivery: false };
            drop(self.try_run(caller, Command::Deliver(request), None));
        }
    }
}
