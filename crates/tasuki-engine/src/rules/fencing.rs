//! The fencing check: only the newest claim on a handoff may write.

use serde::Serialize;
use tasuki_packet::id::HandoffId;

use crate::model::{ApprovalRequest, Claim, Context, Handoff, Hold, Scope, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::{scope, wrong_state};

/// The claim that a holder presents with every write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClaimProof {
    /// The handoff.
    pub handoff: HandoffId,
    /// The fencing number of the claim.
    pub fence: u64,
}

/// Returns the claim that the caller presents if it is still current.
///
/// INVARIANT: every write of a holder goes through here. It refuses a fence that is not the newest,
/// a claim of an older epoch, and a claim that was passed on.
pub fn require_current_claim<'a>(
    context: &'a Context<'_>,
    proof: ClaimProof,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    let (handoff, claim) = require_claim_even_if_halted(context, proof)?;
    if claim.epoch < context.state.head.claim_epoch {
        return Err(halted(context));
    }
    Ok((handoff, claim))
}

/// Returns the current claim, even one that a halt has ended, for a last checkpoint.
pub fn require_claim_even_if_halted<'a>(
    context: &'a Context<'_>,
    proof: ClaimProof,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    scope(context, Scope::Receive)?;
    let handoff = context.state.handoff(proof.handoff)?;
    let claim = match &handoff.progress.state {
        State::Claimed(claim) => claim,
        State::Held(Hold { approval_request: Some(request), .. })
            if request.claim.fence == proof.fence
                && request.claim.holder == context.principal.party =>
        {
            must_be_halted(context, handoff, &request.claim)?;
            &request.claim
        }
        State::Held(_)
        | State::Offered(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return Err(stale(context, handoff, proof)),
    };
    if claim.fence != proof.fence || claim.holder != context.principal.party {
        return Err(stale(context, handoff, proof));
    }
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {} was passed on as {child}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimStale, message)
            .hint("it comes back to you if that handoff ends unclaimed")
            .naming(child));
    }
    Ok((handoff, claim))
}

/// Returns the handoff and the approval request that the caller waits for with this claim.
pub fn require_own_request<'a>(
    context: &'a Context<'_>,
    proof: ClaimProof,
) -> Result<(&'a Handoff, &'a ApprovalRequest), Refusal> {
    scope(context, Scope::Receive)?;
    let handoff = context.state.handoff(proof.handoff)?;
    let asked = match &handoff.progress.state {
        State::Held(Hold { approval_request: Some(asked), .. }) => asked,
        State::Claimed(claim)
            if claim.fence == proof.fence && claim.holder == context.principal.party =>
        {
            return Err(wrong_state(handoff, "withdraw a request of", "waiting for an approval"));
        }
        State::Held(_)
        | State::Claimed(_)
        | State::Offered(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return Err(stale(context, handoff, proof)),
    };
    if asked.claim.fence != proof.fence || asked.claim.holder != context.principal.party {
        return Err(stale(context, handoff, proof));
    }
    Ok((handoff, asked))
}

/// Refuses a holder that waits for an approval, unless a halt has ended its claim.
pub(crate) fn must_be_halted(
    context: &Context<'_>,
    handoff: &Handoff,
    claim: &Claim,
) -> Result<(), Refusal> {
    if claim.epoch < context.state.head.claim_epoch {
        return Ok(());
    }
    let message = format!("handoff {} waits for a person to approve your action", handoff.id);
    Err(Refusal::new(RefusalCode::StateConflict, message).hint(format!(
        "your claim is kept and its lease is paused; wait with `tasuki wait {} --until decided`",
        handoff.id
    )))
}

/// Returns the refusal of every command that a halt forbids.
pub fn halted(context: &Context<'_>) -> Refusal {
    let (message, hint) = if context.state.head.is_halted {
        (
            "the project is halted",
            "you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`",
        )
    } else {
        ("a halt of the project ended this claim", "claim the handoff again")
    };
    Refusal::new(RefusalCode::ProjectHalted, message).hint(hint)
}

pub(crate) fn stale(context: &Context<'_>, handoff: &Handoff, proof: ClaimProof) -> Refusal {
    let now = match &handoff.progress.state {
        State::Claimed(claim) => {
            let holder = context.state.directory.name(claim.holder);
            format!("claimed by `{holder}` with fence {}", claim.fence)
        }
        State::Offered(_) => "offered again".to_owned(),
        other @ (State::Held(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead) => other.word().as_str().to_owned(),
    };
    let is_held_by_another = handoff
        .claim()
        .is_some_and(|claim| claim.fence == proof.fence && claim.holder != context.principal.party);
    let message = if is_held_by_another {
        format!("handoff {} is {now}, not by you", handoff.id)
    } else {
        format!("your claim has expired (fence {}; the handoff is {now})", proof.fence)
    };
    Refusal::new(RefusalCode::ClaimStale, message)
        .hint("stop working on it; your checkpoints are kept, and `tasuki inbox` shows your work")
}
