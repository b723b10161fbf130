//! Finds the handoff that a reference names.

use tasuki_engine::find;
use tasuki_engine::handoff::Handoff;

use super::exchange::Exchange;
use crate::exit::Failure;

impl Exchange {
    /// Resolves a reference to a handoff.
    pub(crate) fn resolve(&self, written: &str) -> Result<Handoff, Failure> {
        let written = written.split('@').next().unwrap_or(written);
        self.wait(find::handoff(self.engine.store().as_ref(), self.project, written, |_| true))
    }
}
