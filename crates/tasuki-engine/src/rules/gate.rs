//! Gates: what must be signed off before a handoff is released, and by whom.
//!
//! A signature counts for one gate document, one factor, one person, one revision, one digest and
//! one receiver. Whatever changes one of these voids it, without anybody having to remember to. A
//! refusal to sign is bound in the same way.
//!
//! Not here: the sign-off itself (`decision`), and what the clock does with a gate that nobody
//! signs (`deadlines`).

use std::collections::BTreeSet;

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::policy::gate::{Factor, Gate};

use crate::model::{Directory, Facts, GateSignature, Handoff, PartyKind, Pauses};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::{self, Edge};

/// A handoff at one of its gates.
#[derive(Debug, Clone, Copy)]
pub struct AtGate<'a> {
    /// The gate.
    pub gate: &'a Gate,
    /// The digest of its document, which was bound at submit.
    pub digest: &'a str,
    directory: &'a Directory,
    handoff: &'a Handoff,
    now: Timestamp,
}

/// Every gate of the handoff is signed for what it is now, or it is refused.
///
/// INVARIANT: whatever the way to the work (claim, intercept, a read of the packet), it leads here.
pub fn all_signed(directory: &Directory, handoff: &Handoff, now: Timestamp) -> Result<(), Refusal> {
    let mut gates = handoff.facts.terms.gates.iter();
    let open = gates.find(|digest| !is_signed(directory, handoff, digest, now));
    open.map_or(Ok(()), |digest| Err(unsigned(directory, handoff, digest)))
}

/// The refusal of everything that would go around a gate.
pub fn unsigned(directory: &Directory, handoff: &Handoff, digest: &str) -> Refusal {
    let name = directory.gate(digest).map_or(digest, |gate| gate.name.as_str());
    let message =
        format!("gate `{name}` is not signed for {}@{}", handoff.id, handoff.facts.revision);
    Refusal::new(RefusalCode::GateUnsigned, message).hint(format!(
        "the people it names sign with `tasuki sign-off {} --gate {name}`",
        handoff.id
    ))
}

/// Whether a gate is fully signed for what the handoff is now.
pub fn is_signed(directory: &Directory, handoff: &Handoff, digest: &str, now: Timestamp) -> bool {
    // INVARIANT: a gate whose document is gone is never signed.
    AtGate::new(directory, handoff, digest, now).is_some_and(|at| at.is_signed())
}

impl<'a> AtGate<'a> {
    /// The handoff at the gate with this digest, if there is one.
    pub fn new(
        directory: &'a Directory,
        handoff: &'a Handoff,
        digest: &'a str,
        now: Timestamp,
    ) -> Option<Self> {
        let gate = directory.gate(digest)?;
        Some(Self { gate, digest, directory, handoff, now })
    }

    /// Whether every factor has its signatures.
    pub fn is_signed(&self) -> bool {
        self.gate.factors.iter().all(|factor| self.lacks(factor) == 0)
    }

    /// Whether so many people refused to sign that the gate is closed.
    pub fn is_closed(&self) -> bool {
        distinct(self.denials()) >= count(self.gate.deny)
    }

    /// How many more people must sign for a factor.
    pub fn lacks(&self, factor: &Factor) -> usize {
        count(factor.approvals).saturating_sub(distinct(self.signed_for(factor)))
    }

    /// The signatures that count for a factor.
    pub fn signed_for(&self, factor: &Factor) -> impl Iterator<Item = &'a GateSignature> {
        self.signatures().filter(|word| word.factor == factor.name)
    }

    /// When a gate that is signed needs new signatures, because those it has are too old by then.
    pub fn signed_until(&self) -> Option<Timestamp> {
        let ttl = self.gate.ttl?;
        let until = |factor: &Factor| {
            let mut times: Vec<Timestamp> = self.signed_for(factor).map(|word| word.at).collect();
            times.sort_by(|one, other| other.cmp(one));
            let at = times.get(count(factor.approvals).checked_sub(1)?)?;
            Some(self.directory.pauses.deadline(*at, ttl))
        };
        self.gate.factors.iter().filter_map(until).min()
    }

    /// When something that was said at the gate is too old to count, if the gate says so.
    pub fn counts_until(&self, word: &GateSignature) -> Option<Timestamp> {
        self.gate.ttl.map(|ttl| self.directory.pauses.deadline(word.at, ttl))
    }

    /// The refusals to sign that count, though they do not close the gate yet.
    pub fn denials(&self) -> impl Iterator<Item = &'a GateSignature> {
        self.words().filter(|word| word.is_denial)
    }

    /// What this person has said at the gate, if it still counts.
    pub fn word_of(&self, person: PartyId) -> Option<&'a GateSignature> {
        self.words().find(|word| word.person == person)
    }

    /// Whether a person is in one of the roles of a factor.
    pub fn admits(&self, factor: &Factor, person: PartyId) -> bool {
        let is_in = |role: &str| {
            let role = self.directory.find(role);
            role.is_ok_and(|role| role.kind == PartyKind::Role && role.members.contains(&person))
        };
        factor.roles.iter().any(|role| is_in(role.as_str()))
    }

    /// The factors that this person's signature could count for, in the order of the document.
    ///
    /// One person counts once: at the whole gate or, where the gate allows more, at each factor. Who
    /// has refused to sign does not sign.
    pub fn factors_for(&self, person: PartyId) -> Vec<&'a Factor> {
        let own: Vec<&GateSignature> = self.words().filter(|word| word.person == person).collect();
        let has_spoken = |factor: &Factor| {
            let is_over = |word: &&GateSignature| {
                self.gate.distinct.across_factors || word.is_denial || word.factor == factor.name
            };
            own.iter().any(is_over)
        };
        let counts = |factor: &&Factor| {
            self.lacks(factor) > 0 && !has_spoken(factor) && self.admits(factor, person)
        };
        self.gate.factors.iter().filter(counts).collect()
    }

    fn signatures(&self) -> impl Iterator<Item = &'a GateSignature> {
        self.words().filter(|word| !word.is_denial)
    }

    /// Everything that was said at this gate and still counts.
    fn words(&self) -> impl Iterator<Item = &'a GateSignature> + use<'a> {
        let Self { gate, digest, handoff, now, directory } = *self;
        let (facts, pauses) = (&handoff.facts, &directory.pauses);
        let now = pauses.counted(now);
        let is_fresh =
            move |at: Timestamp| gate.ttl.is_none_or(|ttl| now < pauses.deadline(at, ttl));
        handoff.progress.signatures.iter().filter(move |word| {
            word.gate == digest
                && word.revision == facts.revision
                && word.digest == facts.summary.digest
                && word.receiver == facts.receiver
                && is_fresh(word.at)
        })
    }
}

/// When the gate's time to sign is over, if it has one.
pub fn expires_at(gate: &Gate, held_since: Timestamp, pauses: &Pauses) -> Option<Timestamp> {
    gate.ttl.map(|ttl| pauses.deadline(held_since, ttl))
}

/// Digests of the gates on the way to another receiver: named by a contract on that edge, or
/// applying by themselves.
///
/// A gate that the handoff is bound to already stays as it was at submit: another version of it,
/// published since, is not added.
pub fn on_the_way_to(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> Result<Vec<String>, Refusal> {
    let names = names_on_the_way_to(directory, handoff, party);
    names.iter().map(|name| newest(directory, name)).collect()
}

/// The same without those that nobody has published.
pub fn published_on_the_way_to(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> Vec<String> {
    let names = names_on_the_way_to(directory, handoff, party);
    names.iter().filter_map(|name| newest(directory, name).ok()).collect()
}

/// Whether a handoff is bound to a version of this gate.
pub fn is_bound(directory: &Directory, facts: &Facts, digest: &str) -> bool {
    let name = |digest: &str| directory.gate(digest).map(|gate| gate.name.as_str());
    facts.terms.gates.iter().any(|bound| name(bound) == name(digest))
}

fn names_on_the_way_to(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> BTreeSet<String> {
    let edge = Edge::to(directory, &handoff.facts, party);
    let contracts = directory.contracts_on(&edge.from, &edge.to);
    let named = contracts.iter().flat_map(|published| &published.compiled.contract().gates);
    let mut names: BTreeSet<String> = named.cloned().collect();
    let said = handoff.said();
    let applying = said.iter().flat_map(|summary| edge_policy::gates(directory, summary, &edge));
    names.extend(applying.filter_map(|digest| Some(directory.gate(&digest)?.name.clone())));
    for bound in handoff.facts.terms.gates.iter().filter_map(|digest| directory.gate(digest)) {
        names.remove(bound.name.as_str());
    }
    names
}

fn newest(directory: &Directory, name: &str) -> Result<String, Refusal> {
    let found = directory.newest_gate(name).map(|(digest, _)| digest.to_owned());
    found.ok_or_else(|| {
        Refusal::new(RefusalCode::GateUnknown, format!("there is no gate `{name}`"))
            .hint("publish its document: `tasuki gate publish FILE`")
    })
}

/// How many different people said these.
fn distinct<'a>(words: impl Iterator<Item = &'a GateSignature>) -> usize {
    words.map(|word| word.person).collect::<BTreeSet<_>>().len()
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::steps::decision::testing::{all_sign, gated};

    #[test]
    fn a_gate_whose_document_is_gone_is_never_signed() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let handoff = world.handoff();
        let digest = &handoff.facts.terms.gates[0];
        assert!(is_signed(&world.state.directory, handoff, digest, world.now));
        let empty = Directory::empty(world.state.directory.project);
        assert!(!is_signed(&empty, handoff, digest, world.now));
    }

    #[test]
    fn signatures_do_not_grow_old_in_a_halt() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
        world.advance(3600);
        world.done("pia", crate::testing::halt(false));
        world.advance(100 * 3600);
        let digest = world.handoff().facts.terms.gates[0].clone();
        assert!(is_signed(&world.state.directory, world.handoff(), &digest, world.now));
        world.done("pia", crate::testing::halt(true));
        world.advance(71 * 3600 - 1);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
        world.advance(1);
        world.apply_due();
        assert_eq!(world.standing(), "held for gate:release");
    }

    #[test]
    fn a_signature_counts_for_exactly_what_was_signed() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let (signed, directory) = (world.handoff().clone(), &world.state.directory);
        let digest = signed.facts.terms.gates[0].clone();
        let counts = |change: &dyn Fn(&mut Handoff)| {
            let mut handoff = signed.clone();
            change(&mut handoff);
            is_signed(directory, &handoff, &digest, world.now)
        };
        assert!(counts(&|_| ()));
        assert!(!counts(&|handoff| handoff.facts_mut().revision = 2));
        assert!(!counts(&|handoff| handoff.facts_mut().summary.digest = "sha256:00".to_owned()));
        assert!(!counts(&|handoff| handoff.facts_mut().receiver = world.id("cem")));
        assert!(!counts(&|handoff| handoff.progress.signatures[0].is_denial = true));
        assert!(!counts(&|handoff| handoff.progress.signatures[0].gate = "sha256:00".to_owned()));
        assert!(!counts(&|handoff| handoff.progress.signatures[0].factor = "eyes".to_owned()));
        // Two signatures of one person are one.
        assert!(!counts(&|handoff| handoff.progress.signatures[2].person = world.id("quin")));
    }
}
