//! The book of leave: what a person had to look at, and who let what go on, by the log alone.
//!
//! Leave is for one revision on its way to one receiver. Whatever was once found that needs a person's
//! look needs another one after a revision or another way, so that no claim rests on an old accept. Not
//! here: whether a gate has all its signatures, which `check` counts.

use std::collections::BTreeSet;

use tasuki_engine::directory::Directory;
use tasuki_engine::party::PartyKind;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use super::attributes::{id, words};

/// What the log says about leave for one handoff.
#[derive(Debug, Clone, Default)]
pub(crate) struct Leave {
    first_receiver: Option<PartyId>,
    /// Who it is for.
    pub receiver: Option<PartyId>,
    /// Why it waits for a person, gates left out: what nobody has cleared yet.
    unseen: Vec<&'static str>,
    /// Why it ever waited for one, as far as that still stands.
    found: BTreeSet<&'static str>,
    /// The last accept of a person, until the work goes another way.
    pub accepted: Option<Accepted>,
    /// Whether its contract has let it go on, this once.
    is_waved_through: bool,
    /// Signatures at gates, until the work goes another way.
    pub signatures: Vec<Signature>,
    taken_over: Option<TakenOver>,
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
struct TakenOver {
    by: PartyId,
    /// How many halts there had been.
    halts: usize,
}

/// What is known beside a leaf, right before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    pub directory: &'a Directory,
    pub halts: usize,
    /// Whether the holder waits for leave to do something.
    pub asks_leave: bool,
}

impl Leave {
    /// Takes the next leaf of the handoff in.
    pub(crate) fn follow(&mut self, leaf: &Leaf, subject: Subject, around: Around<'_>) {
        if is_offer(leaf.event, around.asks_leave) {
            self.unseen.clear();
            self.is_waved_through = false;
        }
        match leaf.event {
            EventType::Submitted => self.begin(id(leaf, "receiver")),
            EventType::Begun => self.begin(leaf.actor.party),
            EventType::Rerouted => self.go_to(id(leaf, "receiver")),
            // What was returned is judged by another then, and stays where it is.
            EventType::MovedOn if !self.is_returned => {
                if let Some(receiver) = id(leaf, "receiver") {
                    self.go_to(Some(receiver));
                }
            }
            EventType::Redriven => self.go_to(self.first_receiver),
            EventType::Held if words(leaf, "reasons") != ["action"] => {
                self.hold(words(leaf, "reasons"));
            }
            EventType::Accepted if !around.asks_leave => self.accept(leaf, subject),
            EventType::SignedOff => self.signatures.extend(self.signature(leaf, subject)),
            // Its word on confidence is the newest, and may be a better one.
            EventType::Checkpointed => drop(self.found.remove("confidence")),
            _ => {}
        }
        self.follow_holder(leaf, around);
    }

    fn begin(&mut self, receiver: Option<PartyId>) {
        self.first_receiver = receiver;
        self.receiver = receiver;
    }

    /// Nothing that was given for the old way counts, not even on the way back.
    fn go_to(&mut self, receiver: Option<PartyId>) {
        self.receiver = receiver;
        self.accepted = None;
        self.signatures.clear();
    }

    fn hold(&mut self, reasons: &[&'static str]) {
        self.unseen = reasons.iter().copied().filter(|reason| *reason != "gate").collect();
        self.found.extend(&self.unseen);
        self.is_waved_through = false;
    }

    fn accept(&mut self, leaf: &Leaf, subject: Subject) {
        self.unseen.clear();
        if leaf.attributes.get("by") == Some(&Attribute::Word("contract")) {
            self.is_waved_through = true;
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
    fn follow_holder(&mut self, leaf: &Leaf, around: Around<'_>) {
        match leaf.event {
            EventType::Intercepted => {
                self.unseen.clear();
                let halts = around.halts;
                self.taken_over = leaf.actor.party.map(|by| TakenOver { by, halts });
            }
            EventType::Released | EventType::Parked => {
                let is_own_word = leaf.event == EventType::Released && !self.is_passed_on;
                let stays = |taken: &TakenOver| !is_own_word || taken.halts < around.halts;
                let is_for_agents = !is_people(around.directory, self.receiver);
                let taken_over = self.taken_over.take().filter(stays);
                if let Some(taken) = taken_over.filter(|_| is_for_agents) {
                    self.go_to(Some(taken.by));
                }
                self.is_passed_on = false;
            }
            EventType::Claimed | EventType::Lapsed | EventType::Rerouted | EventType::MovedOn => {
                self.taken_over = None;
            }
            EventType::Returned => {
                self.taken_over = None;
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
    pub(crate) fn is_wanted(&self) -> bool {
        !self.unseen.is_empty()
    }

    /// Whether somebody may take it: a person has looked at this revision on this way, or need not.
    pub(crate) fn is_given(&self, directory: &Directory, revision: u64) -> bool {
        // To people only what was asked for is held.
        let is_for_people = is_people(directory, self.receiver);
        let is_needed = |reason: &&str| *reason == "asked" || !is_for_people;
        let now = Accepted { revision, receiver: self.receiver };
        let is_looked_at = self.is_waved_through || self.accepted == Some(now);
        !self.is_wanted() && (is_looked_at || !self.found.iter().any(is_needed))
    }
}

/// Whether it is decided anew after this event if a person has to look; `held` follows if so.
pub(crate) fn is_offer(event: EventType, asks_leave: bool) -> bool {
    match event {
        EventType::Edited => !asks_leave,
        EventType::Revised | EventType::Answered | EventType::Rerouted | EventType::MovedOn => true,
        EventType::Released | EventType::Lapsed | EventType::Parked => true,
        EventType::FailedVerification | EventType::Redriven => true,
        _ => false,
    }
}

/// Whether there is nobody but people behind this name.
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
