//! Approvals by the log alone: what a person had to look at, and who approved it.
//!
//! An approval is for one revision on its way to one receiver. Whatever was once found that needs a person's
//! look needs another one after a revision or another way, so that no claim rests on an old accept. Not
//! here: whether a gate has all its signatures, which `check` counts.

use std::collections::BTreeSet;

use tasuki_engine::model::{Directory, PartyKind};
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use super::attributes::{id, words};

/// The approvals of one handoff, by the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Approvals {
    first_receiver: Option<PartyId>,
    /// Who it is for.
    pub receiver: Option<PartyId>,
    /// The reasons, without gates, for which it waits for a person.
    pending_reasons: Vec<&'static str>,
    /// Why it ever waited for one, as far as that still stands.
    reasons: BTreeSet<&'static str>,
    /// The last accept of a person, until the work goes another way.
    pub accepted: Option<Accepted>,
    /// Whether its contract has let it go on, this once.
    is_auto_accepted: bool,
    /// Signatures at gates, until the work goes another way.
    pub signatures: Vec<Signature>,
    interception: Option<Interception>,
    is_passed_on: bool,
    is_returned: bool,
}

/// What an accept is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub revision: u64,
    pub receiver: Option<PartyId>,
}

/// A signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub gate: Hash,
    pub person: Option<PartyId>,
    pub revision: u64,
    pub receiver: Option<PartyId>,
}

/// A claim of a person who took the work over.
#[derive(Debug, Clone, Copy)]
struct Interception {
    by: PartyId,
    /// How many halts there had been.
    halts: usize,
}

/// What is known beside a leaf, right before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApprovalContext<'a> {
    pub directory: &'a Directory,
    pub halts: usize,
    /// Whether the holder waits for the approval of an action.
    pub awaits_approval: bool,
}

impl Approvals {
    /// Takes the next leaf of the handoff in.
    pub(crate) fn follow(&mut self, leaf: &Leaf, subject: Subject, context: ApprovalContext<'_>) {
        if is_offer(leaf.event, context.awaits_approval) {
            self.pending_reasons.clear();
            self.is_auto_accepted = false;
        }
        match leaf.event {
            EventType::Submitted => self.begin(id(leaf, "receiver")),
            EventType::Begun => self.begin(leaf.actor.party),
            EventType::Rerouted => self.route_to(id(leaf, "receiver")),
            // What was returned is judged by another then, and stays where it is.
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
            EventType::SignedOff => self.signatures.extend(self.signature(leaf, subject)),
            // Its word on confidence is the newest, and may be a better one.
            EventType::Checkpointed => drop(self.reasons.remove("confidence")),
            _ => {}
        }
        self.follow_holder(leaf, context);
    }

    fn begin(&mut self, receiver: Option<PartyId>) {
        self.first_receiver = receiver;
        self.receiver = receiver;
    }

    /// Nothing that was given for the old way counts, not even on the way back.
    fn route_to(&mut self, receiver: Option<PartyId>) {
        self.receiver = receiver;
        self.accepted = None;
        self.signatures.clear();
    }

    fn hold(&mut self, reasons: &[&'static str]) {
        self.pending_reasons = reasons.iter().copied().filter(|reason| *reason != "gate").collect();
        self.reasons.extend(&self.pending_reasons);
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

    /// What a person took over goes to that person, unless they give it back themselves.
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
            EventType::FailedVerification => self.is_returned = false,
            _ => {}
        }
    }

    /// Its holder passes the work on.
    pub(crate) fn pass_on(&mut self) {
        self.is_passed_on = true;
    }

    /// Whether it waits for a person, apart from gates.
    pub(crate) fn is_required(&self) -> bool {
        !self.pending_reasons.is_empty()
    }

    /// Whether it may be claimed: a person has approved this revision for this receiver, or need not.
    pub(crate) fn is_granted(&self, directory: &Directory, revision: u64) -> bool {
        // To people only what was asked for is held.
        let is_for_people = is_people(directory, self.receiver);
        let is_needed = |reason: &&str| *reason == "asked" || !is_for_people;
        let now = Accepted { revision, receiver: self.receiver };
        let is_looked_at = self.is_auto_accepted || self.accepted == Some(now);
        !self.is_required() && (is_looked_at || !self.reasons.iter().any(is_needed))
    }
}

/// Whether it is decided anew after this event if a person has to look; `held` follows if so.
pub(crate) fn is_offer(event: EventType, awaits_approval: bool) -> bool {
    match event {
        EventType::Edited => !awaits_approval,
        EventType::Revised | EventType::Answered | EventType::Rerouted | EventType::MovedOn => true,
        EventType::Released | EventType::Lapsed | EventType::Parked => true,
        EventType::FailedVerification | EventType::Redriven => true,
        _ => false,
    }
}

/// Whether a party is a person or a role of people only.
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
