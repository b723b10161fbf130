//! Approvals, derived from the log alone: which decisions a person had to make, and who made them.
//!
//! An approval is for one revision and one receiver. A reason for approval applies again after a
//! revision or a new receiver, so that no claim rests on an old accept. `invariants` counts the
//! signatures of gates.

use std::collections::BTreeSet;

use tasuki_engine::model::{Directory, PartyKind};
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use super::attributes::{id, words};

/// The approvals of one handoff, according to the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Approvals {
    first_receiver: Option<PartyId>,
    /// The current receiver.
    pub receiver: Option<PartyId>,
    /// The pending reasons for a hold, without gates.
    pending_reasons: Vec<&'static str>,
    /// All reasons for a hold that still apply.
    reasons: BTreeSet<&'static str>,
    /// The last accept of a person, until the receiver changes.
    pub accepted: Option<Accepted>,
    /// `true` if its contract accepted it this time.
    is_auto_accepted: bool,
    /// Signatures at gates, until the receiver changes.
    pub signatures: Vec<Signature>,
    interception: Option<Interception>,
    is_passed_on: bool,
    is_returned: bool,
}

/// The scope of an accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub revision: u64,
    pub receiver: Option<PartyId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub gate: Hash,
    pub person: Option<PartyId>,
    pub revision: u64,
    pub receiver: Option<PartyId>,
}

/// The claim of a person who intercepted the work.
#[derive(Debug, Clone, Copy)]
struct Interception {
    by: PartyId,
    /// The number of halts at that time.
    halts: usize,
}

/// The state right before a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApprovalContext<'a> {
    pub directory: &'a Directory,
    pub halts: usize,
    /// `true` while the holder waits for approval of an action.
    pub awaits_approval: bool,
}

impl Approvals {
    /// Applies the next leaf of the handoff.
    pub(crate) fn follow(&mut self, leaf: &Leaf, subject: Subject, context: ApprovalContext<'_>) {
        if is_offer(leaf.event, context.awaits_approval) {
            self.pending_reasons.clear();
            self.is_auto_accepted = false;
        }
        match leaf.event {
            EventType::Submitted => self.begin(id(leaf, "receiver")),
            EventType::Begun => self.begin(leaf.actor.party),
            EventType::Rerouted => self.route_to(id(leaf, "receiver")),
            // A returned handoff stays in place; another party verifies it.
            EventType::MovedOn if !self.is_returned => {
                if let Some(receiver) = id(leaf, "receiver") {
                    self.route_to(Some(receiver));
                }
            }
            EventType::Redriven => self.route_to(self.first_receiver),
            EventType::Held if words(leaf, "reasons") != ["action"] => {
                self.hold(words(leaf, "reasons"));
            }
            EventType::Accepted if !context.awaits_approval => self.accept(leaf, subject),
            EventType::SignedOff => {
                self.pending_reasons.retain(|reason| *reason != "changed");
                self.signatures.extend(self.signature(leaf, subject));
            }
            // The confidence of a checkpoint is newer, and may be higher.
            EventType::Checkpointed => drop(self.reasons.remove("confidence")),
            _ => {}
        }
        self.follow_holder(leaf, context);
    }

    fn begin(&mut self, receiver: Option<PartyId>) {
        self.first_receiver = receiver;
        self.receiver = receiver;
    }

    /// Changes the receiver. No approval for the old one counts, even if it returns to it.
    fn route_to(&mut self, receiver: Option<PartyId>) {
        self.receiver = receiver;
        self.accepted = None;
        self.signatures.clear();
    }

    fn hold(&mut self, reasons: &[&'static str]) {
        self.pending_reasons = reasons.iter().copied().filter(|reason| *reason != "gate").collect();
        // `reviews` follows changed packets: their approval is for bytes, not for a receiver.
        self.reasons.extend(self.pending_reasons.iter().filter(|reason| **reason != "changed"));
        self.is_auto_accepted = false;
    }

    fn accept(&mut self, leaf: &Leaf, subject: Subject) {
        self.pending_reasons.clear();
        if leaf.attributes.get("by") == Some(&Attribute::Word("contract")) {
            self.is_auto_accepted = true;
        } else {
            let (revision, receiver) = (subject.revision, self.receiver);
            self.accepted = Some(Accepted { revision, receiver });
        }
    }

    fn signature(&self, leaf: &Leaf, subject: Subject) -> Option<Signature> {
        let Some(Attribute::Hash(gate)) = leaf.attributes.get("gate") else { return None };
        let (person, receiver) = (leaf.actor.party, self.receiver);
        Some(Signature { gate: *gate, person, revision: subject.revision, receiver })
    }

    /// Follows the holder. Intercepted work that is released or parked goes to the person who
    /// intercepted it, unless that person released it.
    fn follow_holder(&mut self, leaf: &Leaf, context: ApprovalContext<'_>) {
        match leaf.event {
            EventType::Intercepted => {
                self.pending_reasons.clear();
                let halts = context.halts;
                self.interception = leaf.actor.party.map(|by| Interception { by, halts });
            }
            EventType::Released | EventType::Parked => {
                let is_own_word = leaf.event == EventType::Released && !self.is_passed_on;
                let stays = |taken: &Interception| !is_own_word || taken.halts < context.halts;
                let is_for_agents = !is_people(context.directory, self.receiver);
                let interception = self.interception.take().filter(stays);
                if let Some(taken) = interception.filter(|_| is_for_agents) {
                    self.route_to(Some(taken.by));
                }
                self.is_passed_on = false;
            }
            EventType::Claimed | EventType::Lapsed | EventType::Rerouted | EventType::MovedOn => {
                self.interception = None;
            }
            EventType::Returned => {
                self.interception = None;
                self.is_returned = true;
            }
            EventType::FailedVerification | EventType::Redriven => self.is_returned = false,
            _ => {}
        }
    }

    /// Applies the passing on by the holder.
    pub(crate) fn pass_on(&mut self) {
        self.is_passed_on = true;
    }

    /// Returns `true` if it waits for a person, apart from gates.
    pub(crate) fn is_required(&self) -> bool {
        !self.pending_reasons.is_empty()
    }

    /// Returns `true` if it may be claimed: a person approved this revision for this receiver, or
    /// none has to.
    pub(crate) fn is_granted(&self, directory: &Directory, revision: u64) -> bool {
        // For people, only requested holds apply.
        let is_for_people = is_people(directory, self.receiver);
        let is_needed = |reason: &&str| *reason == "asked" || !is_for_people;
        let now = Accepted { revision, receiver: self.receiver };
        let is_looked_at = self.is_auto_accepted || self.accepted == Some(now);
        !self.is_required() && (is_looked_at || !self.reasons.iter().any(is_needed))
    }
}

/// Returns `true` if this event evaluates holds again; `held` follows if one applies.
pub(crate) fn is_offer(event: EventType, awaits_approval: bool) -> bool {
    match event {
        EventType::Edited | EventType::Answered => !awaits_approval,
        EventType::Revised | EventType::Rerouted | EventType::MovedOn => true,
        EventType::Released | EventType::Lapsed | EventType::Parked => true,
        EventType::FailedVerification | EventType::Redriven => true,
        _ => false,
    }
}

/// Returns `true` for a person or a role of people only.
fn is_people(directory: &Directory, party: Option<PartyId>) -> bool {
    let kind = |id: PartyId| directory.party(id).map(|party| party.kind);
    let Some(party) = party.and_then(|id| directory.party(id)) else { return false };
    match party.kind {
        PartyKind::Role => {
            let is_human = |member: &PartyId| kind(*member) == Some(PartyKind::Human);
            !party.members.is_empty() && party.members.iter().all(is_human)
        }
        kind => kind == PartyKind::Human,
    }
}
