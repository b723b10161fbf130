//! From a change to what is written: every event becomes a leaf, numbered, timed and chained.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_packet::leaf::{ActorKind, Hash, Leaf, Subject};

use crate::change::{Change, Event};
use crate::directory::Directory;
use crate::error::{Fault, FaultKind};
use crate::handoff::Handoff;
use crate::lapse;
use crate::state::ProjectState;
use crate::store::{HandoffRow, LeafRow, Written};

/// The part of the log that is written; tree heads will open new ones.
const EPOCH: u64 = 1;

/// Writes the changes of one batch down.
#[derive(Debug)]
pub struct Recorder {
    now: Timestamp,
    has_recorded: bool,
}

impl Recorder {
    /// A recorder for one batch at this instant.
    pub fn new(now: Timestamp) -> Self {
        Self { now, has_recorded: false }
    }

    /// Whether anything has to be committed.
    pub fn has_recorded(&self) -> bool {
        self.has_recorded
    }

    /// Something besides changes is written.
    pub fn note_write(&mut self) {
        self.has_recorded = true;
    }

    /// Makes the leaves of a change, takes it into the state, and gives what has to be written.
    pub fn record(
        &mut self,
        state: &mut ProjectState,
        change: &mut Change,
    ) -> Result<Written, Fault> {
        let mut written = Written::default();
        self.take_in_directory(state, change)?;
        let mut head = state.head.clone();
        for event in &change.events {
            let row = self.leaf(state, &change.handoffs, event, &mut head)?;
            let n = row.n;
            written.leaves.push(row);
            change.answer.n = Some(n);
            let subject = event.handoff;
            for handoff in change.handoffs.iter_mut().filter(|one| Some(one.id) == subject) {
                handoff.progress.last_n = n;
            }
        }
        let last_n = head.leaves.saturating_sub(1);
        for document in std::mem::take(&mut change.documents) {
            let n = number_of(&written.leaves, document.handoff, last_n);
            written.documents.push((n, document));
        }
        for handoff in &change.handoffs {
            written.handoffs.push(row(state, handoff));
        }
        written.records = std::mem::take(&mut change.records);
        let is_empty = written.leaves.is_empty() && written.handoffs.is_empty();
        self.has_recorded |= !is_empty || !written.records.is_empty() || change.halt.is_some();
        state.head = head;
        state.apply(change);
        Ok(written)
    }

    fn take_in_directory(&self, state: &mut ProjectState, change: &Change) -> Result<(), Fault> {
        if change.records.is_empty() {
            return Ok(());
        }
        let mut directory = Directory::clone(&state.directory);
        for record in &change.records {
            directory.put(record)?;
        }
        directory.version += 1;
        state.head.directory_version = directory.version;
        state.directory = Arc::new(directory);
        Ok(())
    }

    fn leaf(
        &self,
        state: &ProjectState,
        handoffs: &[Handoff],
        event: &Event,
        head: &mut crate::state::Head,
    ) -> Result<LeafRow, Fault> {
        let handoff = event.handoff.and_then(|id| {
            handoffs.iter().find(|one| one.id == id).or_else(|| state.handoff(id).ok())
        });
        let sheet = handoff.map(|handoff| &handoff.facts.sheet);
        let leaf = Leaf {
            project: head.project,
            epoch: EPOCH,
            index: head.leaves,
            number: head.leaves,
            time: self.now,
            previous: head.last_hash,
            event: event.kind,
            subject: handoff.map(subject),
            document: event.document,
            attributes: event.attributes.clone(),
            actor: event.actor,
            class: sheet.and_then(crate::sheet::Sheet::class),
            taint: handoff.map(|_| taint(event.actor.kind)),
            regulations: sheet.map_or_else(Vec::new, crate::sheet::Sheet::leaf_regulations),
            policy: handoff.and_then(|handoff| handoff.facts.terms.policy),
        };
        let bytes = leaf.bytes().map_err(|error| {
            Fault::new(
                FaultKind::Bug,
                format!("the leaf of `{}` cannot be written: {error}", event.kind.name()),
            )
        })?;
        head.last_hash = Hash::of_leaf(&bytes);
        head.last_at = self.now;
        head.leaves += 1;
        let text = String::from_utf8(bytes).expect("canonical JSON is UTF-8");
        Ok(LeafRow {
            n: leaf.number,
            at: self.now,
            kind: event.kind,
            handoff: event.handoff,
            leaf: text,
            detail: detail(state, handoff, event).to_string(),
        })
    }
}

fn subject(handoff: &Handoff) -> Subject {
    Subject {
        handoff: handoff.id,
        revision: u64::from(handoff.facts.revision),
        packet: handoff.facts.sheet.commitment,
        // Leaf 0 is the project's own, so 0 is the number of no handoff's leaf.
        previous: (handoff.progress.last_n != 0).then_some(handoff.progress.last_n),
    }
}

/// Where the least trusted content of a packet comes from, as far as the exchange knows.
fn taint(kind: ActorKind) -> &'static str {
    match kind {
        ActorKind::Human => "human",
        ActorKind::Agent => "agent",
        ActorKind::Clock | ActorKind::System => "operator",
    }
}

/// The leaf that brought a document: the last one of its handoff in this change.
fn number_of(leaves: &[LeafRow], handoff: tasuki_packet::id::HandoffId, last: u64) -> u64 {
    let own = leaves.iter().rev().find(|leaf| leaf.handoff == Some(handoff));
    own.map_or(last, |leaf| leaf.n)
}

fn row(state: &ProjectState, handoff: &Handoff) -> HandoffRow {
    let before = state.handoff(handoff.id).ok();
    HandoffRow {
        due_at: lapse::due_at(&state.directory, handoff),
        is_new: before.is_none(),
        has_new_facts: before.is_none_or(|before| !Arc::ptr_eq(&before.facts, &handoff.facts)),
        handoff: handoff.clone(),
    }
}

/// What streams say of an event besides its leaf, with names as they are now.
fn detail(state: &ProjectState, handoff: Option<&Handoff>, event: &Event) -> Value {
    let directory = &state.directory;
    let actor = match (event.actor.party, event.actor.kind) {
        (Some(party), _) => directory.name(party),
        (None, ActorKind::Clock) => "clock".to_owned(),
        (None, _) => "system".to_owned(),
    };
    let mut detail = json!({ "actor": actor });
    if let Some(handoff) = handoff {
        let before = state.handoff(handoff.id).ok();
        let facts = &handoff.facts;
        detail["task"] = json!(facts.task);
        detail["from"] = json!(directory.name(facts.sender));
        detail["to"] = json!(directory.name(facts.receiver));
        detail["after"] = json!(handoff.progress.state.word().as_str());
        detail["risk"] = json!(facts.terms.risk.as_str());
        let before = before.map(|before| before.progress.state.word().as_str());
        let optional = [
            ("before", before),
            ("contract", facts.terms.contract.as_deref()),
            ("trigger", facts.sheet.trigger.as_deref()),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                detail[name] = json!(value);
            }
        }
    }
    if let Some(reason) = &event.reason {
        detail["reason"] = json!(reason);
    }
    detail
}
