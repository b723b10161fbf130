//! Where a handoff stands, told by its leaves alone.
//!
//! Not everything is told: a lease that was renewed is in no leaf. What is told must be stored so.

use tasuki_packet::id::{AnyId, PartyId};
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use crate::model::document::hash_of_digest;
use crate::model::{GateSignature, Handoff, Hold, State, StateWord};

/// What the leaves of one handoff tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tale {
    /// The highest fence that was given out.
    fence: u64,
    /// The claim that counts, if there is one.
    claim: Option<Taken>,
    /// Whether its holder waits for leave.
    asks_leave: bool,
    /// The state, where the last leaf leaves no other.
    state: Option<StateWord>,
    end: Option<StateWord>,
    /// The revision that a person has let go on.
    accepted: Option<u64>,
    signatures: Vec<Signature>,
    superseded_by: Option<AnyId>,
}

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    id: Option<AnyId>,
    holder: Option<PartyId>,
    fence: u64,
}

/// A signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signature {
    gate: Hash,
    person: Option<PartyId>,
    revision: u64,
}

/// What is stored of where a handoff stands, as far as leaves tell it.
#[derive(Debug)]
pub(super) struct Standing {
    state: StateWord,
    fence: u64,
    claim: Option<Taken>,
    asks_leave: bool,
    accepted: Option<u64>,
    signatures: Vec<Signature>,
}

impl Standing {
    pub(super) fn of(handoff: &Handoff) -> Self {
        let progress = &handoff.progress;
        let taken = |claim: &crate::model::Claim| Taken {
            id: Some(claim.id.into()),
            holder: Some(claim.holder),
            fence: claim.fence,
        };
        let signed = progress.signatures.iter().filter(|approval| !approval.is_denial);
        Self {
            state: progress.state.word(),
            fence: progress.fence,
            claim: handoff.claim().map(taken),
            asks_leave: matches!(
                &progress.state,
                State::Held(Hold { approval_request: Some(_), .. })
            ),
            accepted: progress.accepted.as_ref().map(|accepted| u64::from(accepted.revision)),
            signatures: signed.map(Signature::of).collect(),
        }
    }
}

impl Signature {
    fn of(approval: &GateSignature) -> Self {
        Self {
            gate: hash_of_digest(&approval.gate),
            person: Some(approval.person),
            revision: u64::from(approval.revision),
        }
    }
}

impl Tale {
    /// Takes in what a leaf tells.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    pub(super) fn take(&mut self, leaf: &Leaf, subject: &Subject) {
        self.follow_claim(leaf);
        self.follow_people(leaf, subject);
        self.end = self.end_after(leaf.event);
        if leaf.event == EventType::Rejected {
            self.asks_leave = false;
        }
        if self.end.is_some() {
            self.claim = None;
        }
        self.asks_leave &= self.claim.is_some();
        self.state = match leaf.event {
            // Nothing moves by being seen, or by nobody being told of it.
            EventType::Delivered | EventType::NotificationFailed => self.state,
            EventType::Submitted => Some(StateWord::Offered),
            EventType::Held => Some(StateWord::Held),
            EventType::Claimed | EventType::Begun | EventType::Intercepted => {
                Some(StateWord::Claimed)
            }
            EventType::Returned => Some(StateWord::Returned),
            _ => self.end,
        };
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    fn follow_claim(&mut self, leaf: &Leaf) {
        match leaf.event {
            EventType::Claimed | EventType::Begun | EventType::Intercepted => {
                let fence = integer(leaf, "fence").unwrap_or_default();
                let id = match leaf.attributes.get("claim") {
                    Some(Attribute::Id(id)) => Some(*id),
                    _ => None,
                };
                self.fence = fence;
                self.claim = Some(Taken { id, holder: leaf.actor.party, fence });
                self.asks_leave = false;
            }
            EventType::Released
            | EventType::Lapsed
            | EventType::Returned
            | EventType::Parked
            | EventType::PassedOn
            | EventType::Rerouted
            | EventType::MovedOn => self.claim = None,
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    fn follow_people(&mut self, leaf: &Leaf, subject: &Subject) {
        match leaf.event {
            EventType::Held => {
                let asked = Attribute::Words(vec!["action"]);
                self.asks_leave = leaf.attributes.get("reasons") == Some(&asked);
            }
            EventType::Accepted => {
                let is_plain = leaf.attributes.get("by") == Some(&Attribute::Word("person"));
                if is_plain && !self.asks_leave {
                    self.accepted = Some(subject.revision);
                }
                self.asks_leave = false;
            }
            EventType::SignedOff => {
                if let Some(Attribute::Hash(gate)) = leaf.attributes.get("gate") {
                    let (gate, person) = (*gate, leaf.actor.party);
                    self.signatures.push(Signature { gate, person, revision: subject.revision });
                }
            }
            // On another way everything is decided anew.
            EventType::Rerouted => {
                self.accepted = None;
                self.signatures.clear();
            }
            EventType::Superseded => {
                self.superseded_by = match leaf.attributes.get("by") {
                    Some(Attribute::Id(by)) => Some(*by),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    fn end_after(&self, event: EventType) -> Option<StateWord> {
        match event {
            EventType::Rejected if self.asks_leave => None,
            EventType::Rejected => Some(StateWord::Rejected),
            EventType::Done => Some(StateWord::Done),
            EventType::PassedOn => Some(StateWord::PassedOn),
            EventType::Cancelled => Some(StateWord::Cancelled),
            EventType::Died => Some(StateWord::Dead),
            EventType::Discarded => Some(StateWord::Discarded),
            EventType::Redriven => None,
            _ => self.end,
        }
    }

    /// How many people have signed a revision at a gate.
    pub(super) fn signers(&self, gate: Hash, revision: u64) -> usize {
        let at = |one: &&Signature| one.gate == gate && one.revision == revision;
        let mut people: Vec<_> = self.signatures.iter().filter(at).map(|one| one.person).collect();
        people.sort_unstable();
        people.dedup();
        people.len()
    }

    /// The handoff that took the place of this one.
    pub(super) fn superseded_by(&self) -> Option<AnyId> {
        self.superseded_by
    }

    /// What is stored otherwise than told, after the last leaf.
    pub(super) fn difference(&self, stored: &Standing) -> Option<String> {
        let end = (!stored.state.is_open()).then_some(stored.state);
        let is_told = end == self.end && self.state.is_none_or(|state| state == stored.state);
        if !is_told {
            let told = self.end.or(self.state).map_or("open", StateWord::as_str);
            return Some(format!("the handoff is {told}, and {} is stored", stored.state.as_str()));
        }
        if stored.fence != self.fence {
            let (told, is) = (self.fence, stored.fence);
            return Some(format!("the last fence is {told}, and {is} is stored"));
        }
        if stored.claim != self.claim || stored.asks_leave != self.asks_leave {
            return Some("another claim is stored than was made".to_owned());
        }
        if stored.accepted.is_some() && stored.accepted != self.accepted {
            return Some("an accept is stored that nobody gave".to_owned());
        }
        let is_given = |signature: &Signature| self.signatures.contains(signature);
        (!stored.signatures.iter().all(is_given))
            .then(|| "a signature is stored that nobody gave".to_owned())
    }
}

fn integer(leaf: &Leaf, name: &str) -> Option<u64> {
    match leaf.attributes.get(name) {
        Some(Attribute::Integer(integer)) => Some(*integer),
        _ => None,
    }
}
