//! The audit trail of a handoff: what an auditor is given, and what is compared with the log later.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Hash, Leaf, ParseLeafError};

use crate::ports::LeafRow;

/// An audit trail that somebody has kept.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The handoff it says it is of; a packet that carries one does not say so.
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

    /// Whether a leaf is of the handoff that the trail is of, which the first leaf says where it does not.
    pub(crate) fn is_of(&self, leaf: &Leaf, first: &mut Option<HandoffId>) -> bool {
        let handoff = leaf.subject.map(|subject| subject.handoff);
        let expected = self.handoff.or(*first);
        *first = first.or(handoff);
        handoff.is_some() && expected.is_none_or(|expected| handoff == Some(expected))
    }
}

/// One leaf of a handoff, as an audit trail names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailEntry {
    /// The index of the leaf.
    pub n: u64,
    /// When, in the one spelling of the interface.
    pub time: String,
    /// What happened.
    pub event: String,
    /// The id of whoever did it; `clock` or `system` where that was no party.
    pub actor: String,
    /// The hash of the leaf.
    pub hash: Hash,
    /// The hash of the leaf before it in the log.
    pub previous_hash: Hash,
}

/// The audit trail that leaves make.
///
/// # Errors
///
/// If one of them is no leaf.
pub fn trail(rows: &[LeafRow]) -> Result<Vec<TrailEntry>, ParseLeafError> {
    let entry = |row: &LeafRow| {
        let bytes = row.leaf.as_bytes();
        Ok(TrailEntry::of(&Leaf::read(bytes)?, Hash::of_leaf(bytes)))
    };
    rows.iter().map(entry).collect()
}

impl TrailEntry {
    /// The entry of a leaf with this hash.
    pub(crate) fn of(leaf: &Leaf, hash: Hash) -> Self {
        let actor = leaf.actor.party.map(|party| party.to_string());
        Self {
            n: leaf.index,
            time: instant(leaf.time),
            event: leaf.event.name().to_owned(),
            actor: actor.unwrap_or_else(|| leaf.actor.kind.word().to_owned()),
            hash,
            previous_hash: leaf.previous,
        }
    }

    /// What this entry says otherwise than the log.
    pub(crate) fn difference(&self, log: &Self) -> Option<String> {
        let differs = |what: &str, said: &str, is: &str| {
            (said != is).then(|| format!("the trail says {what} `{said}`, the log `{is}`"))
        };
        differs("event", &self.event, &log.event)
            .or_else(|| differs("time", &self.time, &log.time))
            .or_else(|| differs("actor", &self.actor, &log.actor))
            .or_else(|| differs("hash", &self.hash.to_string(), &log.hash.to_string()))
            .or_else(|| {
                let (said, is) = (self.previous_hash.to_string(), log.previous_hash.to_string());
                differs("previous hash", &said, &is)
            })
    }
}

fn instant(instant: Timestamp) -> String {
    format!("{instant:.6}")
}
