//! The audit trail of a handoff, which an auditor can later compare with the log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
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

/// An entry of an audit trail, which describes one leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailEntry {
    /// The index of the leaf.
    pub n: u64,
    /// The time, in the format of the API.
    pub time: String,
    /// The event type.
    pub event: String,
    /// The id of the acting party; `clock` or `system` for an event without a party.
    pub actor: String,
    /// The hash of the leaf.
    pub hash: Hash,
    /// The hash of the previous leaf in the log.
    pub previous_hash: Hash,
}

/// Builds the audit trail of leaves.
///
/// # Errors
///
/// Fails if a row is not a valid leaf.
pub fn trail(rows: &[LeafRow]) -> Result<Vec<TrailEntry>, ParseLeafError> {
    let entry = |row: &LeafRow| {
        let bytes = row.leaf.as_bytes();
        Ok(TrailEntry::of(&Leaf::read(bytes)?, Hash::of_leaf(bytes)))
    };
    rows.iter().map(entry).collect()
}

impl TrailEntry {
    /// Returns the entry of a leaf with this hash.
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

    /// Describes the first difference between this entry and the log's.
    pub(crate) fn difference(&self, log: &Self) -> Option<String> {
        let differs = |what: &str, stated: &str, is: &str| {
            (stated != is)
                .then(|| format!("{what} is `{stated}` in the trail, but `{is}` in the log"))
        };
        differs("event", &self.event, &log.event)
            .or_else(|| differs("time", &self.time, &log.time))
            .or_else(|| differs("actor", &self.actor, &log.actor))
            .or_else(|| differs("hash", &self.hash.to_string(), &log.hash.to_string()))
            .or_else(|| {
                let (stated, is) = (self.previous_hash.to_string(), log.previous_hash.to_string());
                differs("previous hash", &stated, &is)
            })
    }
}

fn instant(instant: Timestamp) -> String {
    format!("{instant:.6}")
}
