//! The audit trail of a handoff, which an auditor can later compare with the log.

use jiff::Timestamp;
pub use tasuki_api::TrailEntry;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Hash, Leaf, ParseLeafError};

use crate::ports::LeafRow;

/// An audit trail that was exported earlier.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The handoff it names. A trail inside a packet names none.
    pub handoff: Option<HandoffId>,
    /// Its entries.
    pub entries: Vec<TrailEntry>,
}

impl Trail {
    /// Returns the number of the first entry that does not come after the one before it.
    pub(crate) fn first_out_of_order(&self) -> Option<u64> {
        let pair = self.entries.windows(2).find(|pair| pair[0].n >= pair[1].n)?;
        Some(pair[1].n)
    }

    /// Returns `true` if a leaf belongs to the trail's handoff, or to that of the first leaf.
    pub(crate) fn is_of(&self, leaf: &Leaf, first: &mut Option<HandoffId>) -> bool {
        let handoff = leaf.subject.map(|subject| subject.handoff);
        let expected = self.handoff.or(*first);
        *first = first.or(handoff);
        handoff.is_some() && expected.is_none_or(|expected| handoff == Some(expected))
    }
}

/// Builds the audit trail of leaves.
///
/// # Errors
///
/// Fails if a row is not a valid leaf.
pub fn trail(rows: &[LeafRow]) -> Result<Vec<TrailEntry>, ParseLeafError> {
    let entry = |row: &LeafRow| {
        let bytes = row.leaf.as_bytes();
        Ok(entry_of(&Leaf::read(bytes)?, Hash::of_leaf(bytes)))
    };
    rows.iter().map(entry).collect()
}

/// Returns the entry of a leaf with this hash.
pub(crate) fn entry_of(leaf: &Leaf, hash: Hash) -> TrailEntry {
    let actor = leaf.actor.party.map(|party| party.to_string());
    TrailEntry {
        n: leaf.index,
        time: instant(leaf.time),
        event: leaf.event.name().to_owned(),
        actor: actor.unwrap_or_else(|| leaf.actor.kind.word().to_owned()),
        hash,
        previous_hash: leaf.previous,
    }
}

/// Returns the first difference between an entry of a trail and the log.
pub(crate) fn difference(kept: &TrailEntry, log: &TrailEntry) -> Option<String> {
    let differs = |what: &str, stated: &str, is: &str| {
        (stated != is).then(|| format!("{what} is `{stated}` in the trail, but `{is}` in the log"))
    };
    differs("event", &kept.event, &log.event)
        .or_else(|| differs("time", &kept.time, &log.time))
        .or_else(|| differs("actor", &kept.actor, &log.actor))
        .or_else(|| differs("hash", &kept.hash.to_string(), &log.hash.to_string()))
        .or_else(|| {
            let (stated, is) = (kept.previous_hash.to_string(), log.previous_hash.to_string());
            differs("previous hash", &stated, &is)
        })
}

fn instant(instant: Timestamp) -> String {
    format!("{instant:.6}")
}
