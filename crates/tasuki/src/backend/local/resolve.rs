//! Finds the handoff that a reference names.

use tasuki_engine::model::Handoff;
use tasuki_engine::query::resolve;

use super::exchange::Exchange;
use crate::exit::Failure;

impl Exchange {
    /// Resolves a reference to a handoff.
    pub(crate) fn resolve(&self, written: &str) -> Result<Handoff, Failure> {
        let written = written.split('@').next().unwrap_or(written);
        self.wait(resolve::handoff(self.engine.store().as_ref(), self.project, written, |_| true))
    }
}
