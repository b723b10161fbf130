//! A backup was put back: the log says so, with the last leaf that it found.
//!
//! Whoever kept a later leaf, or an audit trail, can see from this one where the log was cut.

use tasuki_packet::leaf::{EventType, Hash};

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::refusal::Refusal;

/// What a restore has found: the end of the log as it was in the backup.
#[derive(Debug, Clone, Copy)]
pub struct Restored {
    /// The number of the last leaf.
    pub last: u64,
    /// Its hash.
    pub hash: Hash,
}

/// Decides that a restore is written down.
pub fn note_restore(context: &Context<'_>, restored: Restored) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let mut change = Change::default();
    change
        .happened_here(EventType::LogRestored, context.actor())
        .with("last", restored.last)
        .with("hash", restored.hash);
    Ok(change)
}
