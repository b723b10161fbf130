//! Fills the bodies that doors answer with.

use jiff::Timestamp;
use tasuki_packet::api;
use tasuki_packet::id::PartyId;

use crate::authority;
use crate::directory::Directory;
use crate::handoff::{Claim, Handoff, HoldReason, State};
use crate::lapse;
use crate::party::Party;

/// A handoff as its parties see it.
pub fn handoff(directory: &Directory, handoff: &Handoff) -> api::Handoff {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let name = |party: PartyId| directory.name(party);
    let reason = |reason: &HoldReason| match reason {
        HoldReason::Gate(digest) => match directory.gate(digest) {
            Some(gate) => format!("gate:{}", gate.name),
            None => format!("gate:{digest}"),
        },
        other => other.word().to_owned(),
    };
    let (held_for, since, not_before): (Vec<String>, Option<Timestamp>, _) = match &progress.state {
        State::Held(hold) => (hold.reasons.iter().map(reason).collect(), Some(hold.since), None),
        State::Offered(offer) => (Vec::new(), Some(offer.since), offer.not_before),
        State::Claimed(claim) => (Vec::new(), Some(claim.since), None),
        State::Returned(returned) => (Vec::new(), Some(returned.since), None),
        _ => (Vec::new(), None, None),
    };
    api::Handoff {
        id: handoff.id.to_string(),
        task: facts.task.clone(),
        state: progress.state.word().as_str().to_owned(),
        from: name(facts.sender),
        to: name(facts.receiver),
        holder: handoff.claim().map(|claim| name(claim.holder)),
        goal: facts.sheet.title.clone(),
        revision: facts.revision,
        digest: facts.sheet.digest.clone(),
        risk: facts.terms.risk.as_str().to_owned(),
        held_for,
        confidence: facts.sheet.confidence,
        trigger: facts.sheet.trigger.clone(),
        classification: facts.sheet.classification.clone(),
        contract: facts.terms.contract.clone(),
        parent: facts.parent.map(|id| id.to_string()),
        child: progress.child.map(|id| id.to_string()),
        questions: progress.questions.iter().map(|question| question.id.to_string()).collect(),
        attempt: progress.lapses + 1,
        rung: progress.rung,
        reworks: progress.reworks,
        checkpoints: progress.checkpoint.as_ref().map_or(0, |mark| mark.count),
        submitted_at: facts.submitted_at,
        since,
        due_at: lapse::due_at(directory, handoff),
        not_before,
        delivered_at: progress.delivered_at,
        started_at: progress.started_at,
    }
}

/// A claim as its holder sees it.
pub fn claim(directory: &Directory, handoff: &Handoff, claim: &Claim) -> api::Claim {
    api::Claim {
        id: claim.id.to_string(),
        handoff: handoff.id.to_string(),
        holder: directory.name(claim.holder),
        token: claim.token,
        until: claim.until,
        lease: claim.lease.to_string(),
        authority: authority::granted(directory, handoff, claim.holder),
    }
}

/// A party as lists show it.
pub fn party(directory: &Directory, party: &Party) -> api::Party {
    api::Party {
        id: party.id.to_string(),
        name: party.name.clone(),
        kind: party.kind.as_str().to_owned(),
        aliases: party.aliases.clone(),
        members: party.members.iter().map(|member| directory.name(*member)).collect(),
        skills: party.skills.clone(),
    }
}
