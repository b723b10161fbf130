//! The fencing check: only the newest claim on a handoff may write.

use serde::Serialize;
use tasuki_packet::id::HandoffId;

use crate::model::{Claim, Context, Handoff, Hold, Scope, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::scope;

/// The claim that a holder shows with every write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClaimProof {
    /// The handoff.
    pub handoff: HandoffId,
    /// The fencing fence.
    pub fence: u64,
}

/// The claim that the caller shows, if it is still the one that counts.
///
/// INVARIANT: every write of a holder comes through here. A fence that is not the newest, a claim
/// of an older epoch, and a claim that was passed on are refused.
pub fn require_current_claim<'a>(
    context: &'a Context<'_>,
    shown: ClaimProof,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    let (handoff, claim) = require_claim_even_if_halted(context, shown)?;
    if claim.epoch < context.state.head.claim_epoch {
        return Err(halted(context));
    }
    Ok((handoff, claim))
}

/// The same, but a claim that a halt has ended still counts: for a last checkpoint.
pub fn require_claim_even_if_halted<'a>(
    context: &'a Context<'_>,
    shown: ClaimProof,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    scope(context, Scope::Receive)?;
    let handoff = context.state.handoff(shown.handoff)?;
    let claim = match &handoff.progress.state {
        State::Claimed(claim) => claim,
        State::Held(Hold { approval_request: Some(asked), .. })
            if asked.claim.fence == shown.fence
                && asked.claim.holder == context.principal.party =>
        {
            must_be_halted(context, handoff, &asked.claim)?;
            &asked.claim
        }
        State::Held(_)
        | State::Offered(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return Err(stale(context, handoff, shown)),
    };
    if claim.fence != shown.fence || claim.holder != context.principal.party {
        return Err(stale(context, handoff, shown));
    }
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {} was passed on with {child}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimStale, message)
            .hint("it comes back if the other one ends without being claimed")
            .naming(child));
    }
    Ok((handoff, claim))
}

/// The holder itself has asked leave and must not go on before a person has decided, unless a halt has
/// ended its claim anyway.
pub(crate) fn must_be_halted(
    context: &Context<'_>,
    handoff: &Handoff,
    claim: &Claim,
) -> Result<(), Refusal> {
    if claim.epoch < context.state.head.claim_epoch {
        return Ok(());
    }
    let message = format!(
        "you asked leave for an action on handoff {}, and it waits for a person",
        handoff.id
    );
    Err(Refusal::new(RefusalCode::StateConflict, message).hint(format!(
        "you still hold it and its lease does not run: `tasuki wait {} --until decided` waits for the decision",
        handoff.id
    )))
}

/// The refusal of everything that a halt forbids.
pub fn halted(context: &Context<'_>) -> Refusal {
    let (message, hint) = if context.state.head.is_halted {
        (
            "the project is halted: nobody claims, renews, returns or passes on",
            "leave a last checkpoint; an operator lifts the halt with `tasuki halt --lift`",
        )
    } else {
        ("the project was halted and this claim ended with it", "claim it again")
    };
    Refusal::new(RefusalCode::ProjectHalted, message).hint(hint)
}

pub(crate) fn stale(context: &Context<'_>, handoff: &Handoff, shown: ClaimProof) -> Refusal {
    let now = match &handoff.progress.state {
        State::Claimed(claim) => {
            let holder = context.state.directory.name(claim.holder);
            format!("claimed by `{holder}` with fence {}", claim.fence)
        }
        other @ (State::Held(_)
        | State::Offered(_)
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
        .is_some_and(|claim| claim.fence == shown.fence && claim.holder != context.principal.party);
    let message = if is_held_by_another {
        format!("handoff {} is {now}, and that is not you", handoff.id)
    } else {
        format!("fence {} does not hold handoff {}, which is {now}", shown.fence, handoff.id)
    };
    Refusal::new(RefusalCode::ClaimStale, message)
        .hint("stop working on it: what you did is in your checkpoints; `tasuki inbox` shows what is yours")
}
