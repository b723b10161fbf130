//! Gates: the signatures that a handoff needs before it is released.
//!
//! A signature is bound to one gate document, factor, person, revision, digest and receiver. A
//! change of any of these voids it without further bookkeeping. A refusal to sign is bound in the
//! same way.
//!
//! The sign-off itself is in `steps/decision`; the expiry of unsigned gates is in `deadlines`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::policy::gate::{Factor, Gate, Members};

use crate::model::{
    Directory, Facts, GateSignature, Handoff, Hold, Party, PartyKind, Pauses, RoleMembers, State,
};
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

/// Requires that every gate of the handoff is signed for its current revision and receiver.
///
/// INVARIANT: every access to the work (claim, intercept, read of the packet) goes through here.
pub fn all_signed(directory: &Directory, handoff: &Handoff, now: Timestamp) -> Result<(), Refusal> {
    let mut gates = handoff.facts.terms.gates.iter();
    let open = gates.find(|digest| !is_signed(directory, handoff, digest, now));
    open.map_or(Ok(()), |digest| Err(unsigned(directory, handoff, digest)))
}

/// Returns the refusal for an unsigned gate.
pub fn unsigned(directory: &Directory, handoff: &Handoff, digest: &str) -> Refusal {
    let name = directory.gate(digest).map_or(digest, |gate| gate.name.as_str());
    let message =
        format!("gate `{name}` is not signed for {}@{}", handoff.id, handoff.facts.revision);
    Refusal::new(RefusalCode::GateUnsigned, message)
        .hint(format!("its signers run `tasuki sign-off {} --gate {name}`", handoff.id))
}

/// Returns `true` if a gate is fully signed for the current revision and receiver.
pub fn is_signed(directory: &Directory, handoff: &Handoff, digest: &str, now: Timestamp) -> bool {
    // INVARIANT: a gate without a document is never signed.
    AtGate::new(directory, handoff, digest, now).is_some_and(|at| at.is_signed())
}

impl<'a> AtGate<'a> {
    /// Returns the handoff at the gate with this digest, if the gate exists.
    pub fn new(
        directory: &'a Directory,
        handoff: &'a Handoff,
        digest: &'a str,
        now: Timestamp,
    ) -> Option<Self> {
        let gate = directory.gate(digest)?;
        Some(Self { gate, digest, directory, handoff, now })
    }

    /// Returns `true` if every factor has its signatures.
    pub fn is_signed(&self) -> bool {
        self.gate.factors.iter().all(|factor| self.lacks(factor) == 0)
    }

    /// Returns `true` if enough people refused to sign to close the gate.
    pub fn is_closed(&self) -> bool {
        distinct(self.denials()) >= count(self.gate.deny)
    }

    /// Returns the number of signatures that a factor still needs.
    pub fn lacks(&self, factor: &Factor) -> usize {
        count(factor.approvals).saturating_sub(distinct(self.signed_for(factor)))
    }

    /// Returns the signatures that count for a factor: not those of signers who have left its roles.
    pub fn signed_for(&self, factor: &Factor) -> impl Iterator<Item = &'a GateSignature> {
        self.signatures_for(factor).filter(|word| !self.has_left(factor, word.person))
    }

    /// Returns all signatures for a factor.
    pub fn signatures_for(&self, factor: &Factor) -> impl Iterator<Item = &'a GateSignature> {
        self.signatures().filter(|word| word.factor == factor.name)
    }

    /// Returns `true` if a signer left the roles of a factor before the handoff was released. What is
    /// released stays so: another revision or receiver needs new signatures anyway.
    pub fn has_left(&self, factor: &Factor, signer: PartyId) -> bool {
        let waits =
            matches!(self.handoff.progress.state, State::Held(Hold { approval_request: None, .. }));
        waits && !self.admits(factor, signer)
    }

    /// Returns the instant at which a signed gate needs new signatures.
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

    /// Returns the instant until which a signature or refusal counts, if the gate has a time limit.
    pub fn counts_until(&self, word: &GateSignature) -> Option<Timestamp> {
        self.gate.ttl.map(|ttl| self.directory.pauses.deadline(word.at, ttl))
    }

    /// Returns the refusals to sign that count, even if they do not close the gate yet.
    pub fn denials(&self) -> impl Iterator<Item = &'a GateSignature> {
        self.words().filter(|word| word.is_denial)
    }

    /// Returns this person's signature or refusal, if it still counts.
    pub fn word_of(&self, person: PartyId) -> Option<&'a GateSignature> {
        self.words().find(|word| word.person == person)
    }

    /// Returns `true` if a person is in one of the roles of a factor.
    pub fn admits(&self, factor: &Factor, person: PartyId) -> bool {
        self.role_of(factor, person).is_some()
    }

    /// Returns the first role of a factor by which a person may sign, with the members that count.
    pub fn role_of(&self, factor: &Factor, person: PartyId) -> Option<RoleMembers> {
        let mut roles = match self.gate.members {
            Members::AtSigning => roles_of(self.directory, factor),
            Members::AtSubmit => self.roles_at_submit(factor),
        };
        roles.find(|role| role.members.contains(&person))
    }

    /// Returns `true` if a person was in no role of a factor when the handoff was submitted.
    pub fn joined_after_submit(&self, factor: &Factor, person: PartyId) -> bool {
        !self.roles_at_submit(factor).any(|role| role.members.contains(&person))
    }

    /// Returns the roles of a factor with their members when the handoff was submitted.
    fn roles_at_submit(&self, factor: &Factor) -> Box<dyn Iterator<Item = RoleMembers> + 'a> {
        let bound = self.handoff.progress.signing_roles.iter();
        let named: Vec<PartyId> = roles_of(self.directory, factor).map(|role| role.role).collect();
        Box::new(bound.filter(move |role| named.contains(&role.role)).cloned())
    }

    /// Returns the factors that this person's signature could count for, in document order.
    ///
    /// One person counts once per gate or, where the gate allows it, once per factor. A person who
    /// refused to sign cannot sign.
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

    /// Returns all signatures and refusals at this gate that still count.
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

/// Returns the current roles of a factor with their members.
fn roles_of<'a>(
    directory: &'a Directory,
    factor: &Factor,
) -> Box<dyn Iterator<Item = RoleMembers> + 'a> {
    let names: Vec<String> = factor.roles.iter().map(|role| role.as_str().to_owned()).collect();
    let roles = names.into_iter().filter_map(|name| directory.find(&name).ok());
    Box::new(roles.filter(|role| role.kind == PartyKind::Role).map(Party::role_members))
}

/// Remembers the members of the roles that sign at the gates of a handoff, once for each role.
pub fn bind_roles(directory: &Directory, handoff: &mut Handoff) {
    for digest in handoff.facts.terms.gates.clone() {
        let factors = directory.gate(&digest).into_iter().flat_map(|gate| &gate.factors);
        for role in factors.flat_map(|factor| roles_of(directory, factor)) {
            let known = &mut handoff.progress.signing_roles;
            if known.iter().all(|bound| bound.role != role.role) {
                known.push(role);
            }
        }
    }
}

/// Returns the instant at which the time to sign ends, if the gate has a limit.
pub fn expires_at(gate: &Gate, held_since: Timestamp, pauses: &Pauses) -> Option<Timestamp> {
    gate.ttl.map(|ttl| pauses.deadline(held_since, ttl))
}

/// Returns the digests of the gates on the edge to another receiver: those that a contract names
/// and those whose conditions match.
///
/// A gate that the handoff is bound to keeps its version of the submit. A newer version is not
/// added.
pub fn on_edge_to(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> Result<Vec<String>, Refusal> {
    let names = names_on_edge_to(directory, handoff, party);
    names.iter().map(|name| newest(directory, name)).collect()
}

/// Returns the gates of [`on_edge_to`] without the unpublished ones.
pub fn published_on_edge_to(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> Vec<String> {
    let names = names_on_edge_to(directory, handoff, party);
    names.iter().filter_map(|name| newest(directory, name).ok()).collect()
}

/// Returns `true` if a handoff is bound to a version of this gate.
pub fn is_bound(directory: &Directory, facts: &Facts, digest: &str) -> bool {
    let name = |digest: &str| directory.gate(digest).map(|gate| gate.name.as_str());
    facts.terms.gates.iter().any(|bound| name(bound) == name(digest))
}

fn names_on_edge_to(directory: &Directory, handoff: &Handoff, party: PartyId) -> BTreeSet<String> {
    let edge = Edge::to(directory, &handoff.facts, party);
    let contracts = directory.contracts_on(&edge.from, &edge.to);
    let named = contracts.iter().flat_map(|published| &published.compiled.contract().gates);
    let mut names: BTreeSet<String> = named.cloned().collect();
    let summaries = handoff.said();
    let applying =
        summaries.iter().flat_map(|summary| edge_policy::gates(directory, summary, &edge));
    names.extend(applying.filter_map(|digest| Some(directory.gate(&digest)?.name.clone())));
    for bound in handoff.facts.terms.gates.iter().filter_map(|digest| directory.gate(digest)) {
        names.remove(bound.name.as_str());
    }
    names
}

fn newest(directory: &Directory, name: &str) -> Result<String, Refusal> {
    let found = directory.newest_gate(name).map(|(digest, _)| digest.to_owned());
    found.ok_or_else(|| {
        Refusal::new(RefusalCode::GateUnknown, format!("unknown gate `{name}`"))
            .hint("publish it with `tasuki gate publish FILE`")
    })
}

/// Counts the different people among these.
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
    fn a_gate_without_a_document_is_never_signed() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let handoff = world.handoff();
        let digest = &handoff.facts.terms.gates[0];
        assert!(is_signed(&world.state.directory, handoff, digest, world.now));
        let empty = Directory::empty(world.state.directory.project);
        assert!(!is_signed(&empty, handoff, digest, world.now));
    }

    #[test]
    fn signatures_do_not_expire_during_a_halt() {
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
        // Two signatures of one person count once.
        assert!(!counts(&|handoff| handoff.progress.signatures[2].person = world.id("quin")));
    }
}
