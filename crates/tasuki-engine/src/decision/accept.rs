//! A person lets a handoff go on. One accept clears every reason but the gates.

use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::shown::{Looked, check, document};
use crate::authority;
use crate::change::Change;
use crate::context::{Context, later};
use crate::document::DocumentKind;
use crate::gate::unsigned;
use crate::handoff::{Accepted, Claim, Handoff, Hold, HoldReason, Offer, State};
use crate::offer::reasons;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A hold to be cleared.
#[derive(Debug, Clone)]
pub struct Accept {
    /// The handoff.
    pub handoff: HandoffId,
    /// What the person saw.
    pub looked: Looked,
    /// A remark, if there is one.
    pub reason: Option<String>,
}

/// Decides an accept.
pub fn accept(context: &Context<'_>, request: &Accept, reason: &Reason) -> Result<Change, Refusal> {
    authority::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "accept", "held"));
    };
    not_own(context, handoff, hold)?;
    check(handoff, &request.looked)?;
    if let [HoldReason::Gate(digest), ..] = hold.reasons.as_slice() {
        return Err(unsigned(&context.state.directory, handoff, digest));
    }
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "accept", &request.looked, reason, &[]);
    change
        .happened(EventType::Accepted, handoff.id, context.actor())
        .with("by", "person")
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    after.progress.progress_at = context.now;
    after.progress.state = match &hold.asked_by {
        Some(asked) => State::Claimed(given_back(context, &asked.claim)),
        None => cleared(context, &mut after, hold),
    };
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    Ok(change)
}

/// Nobody decides about what they sent or what they asked leave for.
pub(super) fn not_own(
    context: &Context<'_>,
    handoff: &Handoff,
    hold: &Hold,
) -> Result<(), Refusal> {
    let own = context.principal.party;
    let is_asking = hold.asked_by.as_ref().is_some_and(|asked| asked.claim.holder == own);
    if handoff.facts.sender != own && !is_asking {
        return Ok(());
    }
    let message = format!("you sent or hold handoff {}, so another person decides", handoff.id);
    Err(Refusal::new(RefusalCode::OwnHandoff, message).hint("ask somebody else to look at it"))
}

/// The claim of a holder that has its answer: same token, full lease.
pub(super) fn given_back(context: &Context<'_>, claim: &Claim) -> Claim {
    Claim { until: later(context.now, claim.lease), ..claim.clone() }
}

fn cleared(context: &Context<'_>, handoff: &mut Handoff, hold: &Hold) -> State {
    handoff.progress.accepted = Some(Accepted {
        revision: handoff.facts.revision,
        receiver: handoff.facts.receiver,
        checkpoints: handoff.progress.checkpoint.as_ref().map_or(0, |mark| mark.count),
    });
    let left = reasons(&context.state.directory, handoff, context.now);
    if left.is_empty() {
        return State::Offered(Offer { since: context.now, not_before: None });
    }
    State::Held(Hold { reasons: left, ..hold.clone() })
}
