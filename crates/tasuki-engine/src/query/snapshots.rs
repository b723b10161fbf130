//! The right to read and to add snapshots of a work tree.

use tasuki_api as api;

use crate::model::Handoff;
use crate::ports::SnapshotRecord;
use crate::query::continuation::Reader;
use crate::refusal::{Refusal, RefusalCode};

impl Reader<'_> {
    /// Refuses a caller who may not read the packet: a snapshot has at least as much in it.
    ///
    /// # Errors
    ///
    /// The refusal of the packet.
    pub fn require_snapshot_reader(&self, handoff: &Handoff) -> Result<(), Refusal> {
        self.allowed(handoff, handoff.facts.revision)
    }

    /// Returns a stored snapshot as callers see it.
    pub fn snapshot(&self, stored: SnapshotRecord) -> api::Snapshot {
        let SnapshotRecord { number, by, at, commit, digest, bytes } = stored;
        api::Snapshot { number, by: self.directory.name(by), at, commit, digest, bytes }
    }

    /// Refuses a caller who may not read the packet, and a former holder while another party holds
    /// the work: a late snapshot would hide those of the new holder.
    ///
    /// # Errors
    ///
    /// The refusal of the packet, or of a stale claim.
    pub fn require_snapshot_writer(&self, handoff: &Handoff) -> Result<(), Refusal> {
        self.require_snapshot_reader(handoff)?;
        let other = handoff.claim().filter(|claim| claim.holder != self.principal.party);
        let Some(claim) = other else { return Ok(()) };
        let holder = self.directory.name(claim.holder);
        let message = format!("{} is held by `{holder}` (fence {})", handoff.id, claim.fence);
        Err(Refusal::new(RefusalCode::ClaimStale, message)
            .hint("only its holder adds snapshots while the work is claimed"))
    }
}
