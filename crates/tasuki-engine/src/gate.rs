//! Gates: what must be signed off before a handoff is released, and by whom.
//!
//! A signature counts for one gate document, one factor, one person, one revision, one digest and
//! one receiver. Whatever changes one of these voids it, without anybody having to remember to.

use jiff::Timestamp;
use tasuki_packet::gate::{Factor, Gate};
use tasuki_packet::id::PartyId;

use crate::context::later;
use crate::directory::Directory;
use crate::handoff::{Approval, Handoff};
use crate::refusal::{Refusal, RefusalCode};

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
    let Some(gate) = directory.gate(digest) else { return false };
    let valid = valid(handoff, digest, gate, now);
    gate.factors.iter().all(|factor| {
        let signatures = valid.iter().filter(|approval| approval.factor == factor.name).count();
        signatures >= usize::try_from(factor.approvals).unwrap_or(usize::MAX)
    })
}

/// The signatures that still count at a gate.
pub fn valid<'h>(
    handoff: &'h Handoff,
    digest: &str,
    gate: &Gate,
    now: Timestamp,
) -> Vec<&'h Approval> {
    let facts = &handoff.facts;
    let is_fresh = |at: Timestamp| gate.ttl.is_none_or(|ttl| now < later(at, ttl));
    let counts = |approval: &&Approval| {
        approval.gate == digest
            && approval.revision == facts.revision
            && approval.digest == facts.sheet.digest
            && approval.receiver == facts.receiver
            && !approval.is_denial
            && is_fresh(approval.at)
    };
    handoff.progress.approvals.iter().filter(counts).collect()
}

/// Whether so many people refused to sign that the gate is closed for this revision.
pub fn is_closed(handoff: &Handoff, digest: &str, gate: &Gate) -> bool {
    let facts = &handoff.facts;
    let denies = |approval: &&Approval| {
        approval.is_denial && approval.gate == digest && approval.revision == facts.revision
    };
    let denials = handoff.progress.approvals.iter().filter(denies).count();
    denials >= usize::try_from(gate.deny).unwrap_or(usize::MAX)
}

/// The factor that a person's signature would count for: the first that still lacks one and admits
/// them, unless they have signed already.
pub fn factor_for<'g>(
    directory: &Directory,
    handoff: &Handoff,
    digest: &str,
    gate: &'g Gate,
    person: PartyId,
    now: Timestamp,
) -> Option<&'g Factor> {
    let valid = valid(handoff, digest, gate, now);
    let name = directory.name(person);
    let is_member = |party: &str, role: &str| {
        directory.is_member(party, role) || directory.is_member(party, &format!("role:{role}"))
    };
    gate.factors.iter().find(|factor| {
        let of_factor: Vec<_> =
            valid.iter().filter(|approval| approval.factor == factor.name).collect();
        let lacks = of_factor.len() < usize::try_from(factor.approvals).unwrap_or(usize::MAX);
        // One person counts once: at the whole gate, or at least at this factor.
        let has_signed = match gate.distinct.across_factors {
            true => valid.iter().any(|approval| approval.person == person),
            false => of_factor.iter().any(|approval| approval.person == person),
        };
        lacks && !has_signed && factor.admits(&name, &is_member)
    })
}

/// When the gate's time to sign is over, if it has one.
pub fn expires_at(gate: &Gate, held_since: Timestamp) -> Option<Timestamp> {
    gate.ttl.map(|ttl| later(held_since, ttl))
}
