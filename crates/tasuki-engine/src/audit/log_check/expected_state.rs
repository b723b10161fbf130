//! The state of a handoff, reconstructed from its leaves.
//!
//! The reconstruction is partial: a renewed lease, for example, is in no leaf. Everything that it
//! contains must match the stored state.

use tasuki_packet::id::{AnyId, PartyId};
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use crate::model::document::hash_of_digest;
use crate::model::{GateSignature, Handoff, Hold, State, StateWord};

/// The state that the leaves of one handoff imply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ExpectedState {
    /// The highest fence issued.
    fence: u64,
    /// The active claim, if any.
    claim: Option<ExpectedClaim>,
    /// `true` while an approval request is pending.
    awaits_approval: bool,
    /// The state, if the last leaf determines it.
    state: Option<StateWord>,
    end: Option<StateWord>,
    /// The revision that a person has accepted.
    accepted: Option<u64>,
    signatures: Vec<Signature>,
    superseded_by: Option<AnyId>,
}

/// A claim, as leaves describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpectedClaim {
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

/// The stored state of a handoff, reduced to what leaves imply.
#[derive(Debug)]
pub(super) struct StoredState {
    state: StateWord,
    fence: u64,
    claim: Option<ExpectedClaim>,
    awaits_approval: bool,
    accepted: Option<u64>,
    signatures: Vec<Signature>,
}

impl StoredState {
    pub(super) fn of(handoff: &Handoff) -> Self {
        let progress = &handoff.progress;
        let claim_ref = |claim: &crate::model::Claim| ExpectedClaim {
            id: Some(claim.id.into()),
            holder: Some(claim.holder),
            fence: claim.fence,
        };
        let signed = progress.signatures.iter().filter(|approval| !approval.is_denial);
        Self {
            state: progress.state.word(),
            fence: progress.fence,
            claim: handoff.claim().map(claim_ref),
            awaits_approval: matches!(
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

impl ExpectedState {
    /// Applies a leaf.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    pub(super) fn take(&mut self, leaf: &Leaf, subject: &Subject) {
        self.follow_claim(leaf);
        self.follow_people(leaf, subject);
        self.end = self.end_after(leaf.event);
        if matches!(leaf.event, EventType::Rejected | EventType::Withdrawn) {
            self.awaits_approval = false;
        }
        if self.end.is_some() {
            self.claim = None;
        }
        self.awaits_approval &= self.claim.is_some();
        self.state = match leaf.event {
            // Delivery and its failure do not change the state.
            EventType::Delivered | EventType::NotificationFailed => self.state,
            EventType::Submitted => Some(StateWord::Offered),
            EventType::Held => Some(StateWord::Held),
            EventType::Claimed | EventType::Begun | EventType::Intercepted | EventType::Adopted => {
                Some(StateWord::Claimed)
            }
            EventType::Returned => Some(StateWord::Returned),
            _ => self.end,
        };
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    fn follow_claim(&mut self, leaf: &Leaf) {
        match leaf.event {
            EventType::Claimed | EventType::Begun | EventType::Intercepted | EventType::Adopted => {
                let fence = integer(leaf, "fence").unwrap_or_default();
                let id = match leaf.attributes.get("claim") {
                    Some(Attribute::Id(id)) => Some(*id),
                    _ => None,
                };
                self.fence = fence;
                self.claim = Some(ExpectedClaim { id, holder: leaf.actor.party, fence });
                self.awaits_approval = false;
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
                self.awaits_approval = leaf.attributes.get("reasons") == Some(&asked);
            }
            EventType::Accepted => {
                let is_plain = leaf.attributes.get("by") == Some(&Attribute::Word("person"));
                if is_plain && !self.awaits_approval {
                    self.accepted = Some(subject.revision);
                }
                self.awaits_approval = false;
            }
            EventType::SignedOff => {
                if let Some(Attribute::Hash(gate)) = leaf.attributes.get("gate") {
                    let (gate, person) = (*gate, leaf.actor.party);
                    self.signatures.push(Signature { gate, person, revision: subject.revision });
                }
            }
            // A reroute invalidates the acceptance and all signatures.
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
            EventType::Rejected if self.awaits_approval => None,
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

    /// Returns the number of people who have signed a revision at a gate.
    pub(super) fn signers(&self, gate: Hash, revision: u64) -> usize {
        let at = |one: &&Signature| one.gate == gate && one.revision == revision;
        let mut people: Vec<_> = self.signatures.iter().filter(at).map(|one| one.person).collect();
        people.sort_unstable();
        people.dedup();
        people.len()
    }

    /// Returns the handoff that replaced this one.
    pub(super) fn superseded_by(&self) -> Option<AnyId> {
        self.superseded_by
    }

    /// Describes the first difference between stored and expected state after the last leaf.
    pub(super) fn difference(&self, stored: &StoredState) -> Option<String> {
        let end = (!stored.state.is_open()).then_some(stored.state);
        let is_expected = end == self.end && self.state.is_none_or(|state| state == stored.state);
        if !is_expected {
            let expected = self.end.or(self.state).map_or("open", StateWord::as_str);
            return Some(format!(
                "state is `{expected}` by the log, but `{}` is stored",
                stored.state.as_str()
            ));
        }
        if stored.fence != self.fence {
            let (expected, is) = (self.fence, stored.fence);
            return Some(format!("fence is {expected} by the log, but {is} is stored"));
        }
        if stored.claim != self.claim || stored.awaits_approval != self.awaits_approval {
            return Some("the stored claim differs from the log".to_owned());
        }
        if stored.accepted.is_some() && stored.accepted != self.accepted {
            return Some("the stored acceptance is not in the log".to_owned());
        }
        let is_given = |signature: &Signature| self.signatures.contains(signature);
        (!stored.signatures.iter().all(is_given))
            .then(|| "a stored signature is not in the log".to_owned())
    }
}

fn integer(leaf: &Leaf, name: &str) -> Option<u64> {
    match leaf.attributes.get(name) {
        Some(Attribute::Integer(integer)) => Some(*integer),
        _ => None,
    }
}
