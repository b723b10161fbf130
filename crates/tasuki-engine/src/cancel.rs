//! The sender or a person takes a handoff back; an operator stops everything.

use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::chain;
use crate::change::{Change, Halt};
use crate::context::Context;
use crate::document::DocumentKind;
use crate::handoff::{Handoff, State};
use crate::offer::offer;
use crate::principal::Scope;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A handoff to be taken back.
#[derive(Debug, Clone)]
pub struct Cancel {
    /// The handoff.
    pub handoff: HandoffId,
    /// Why; required once somebody has claimed it.
    pub reason: Option<String>,
}

/// The stop button.
#[derive(Debug, Clone)]
pub struct HaltRequest {
    /// Whether to lift it again.
    pub is_lift: bool,
    /// Why; required to lift.
    pub reason: Option<String>,
}

/// Decides a cancel.
pub fn cancel(context: &Context<'_>, request: &Cancel, reason: &Reason) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    if !context.principal.is_human() || !context.principal.scopes.has(Scope::Decide) {
        authority::sender(context, handoff)?;
    }
    if !handoff.is_open() {
        return Err(authority::wrong_state(handoff, "cancel", "open"));
    }
    if handoff.claim().is_some() {
        reason.required("cancel what somebody has claimed")?;
    }
    let mut change = Change::default();
    // A parent that waits for its child counts as one with it: the youngest is cancelled first.
    let child = handoff.progress.child.and_then(|id| context.state.handoff(id).ok());
    if let Some(child) = child.filter(|child| child.is_open()) {
        end(context, child, reason, &mut change);
    }
    let after = end(context, handoff, reason, &mut change);
    chain::child_ended(context, &after, &mut change);
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    Ok(change)
}

fn end(context: &Context<'_>, handoff: &Handoff, reason: &Reason, change: &mut Change) -> Handoff {
    let id: DecisionId = context.draw.id(&format!("decision {}", handoff.id), context.now);
    let document = json!({
        "packet_type": "decision",
        "decision": "cancel",
        "revision": handoff.facts.revision,
        "digest": handoff.facts.sheet.digest,
    });
    let sealed = reason.sealed(context, document);
    change
        .happened(EventType::Cancelled, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    after.progress.state = State::Cancelled;
    after.progress.child = None;
    change.answer.document = Some(id.to_string());
    change.put(after.clone());
    after
}

/// Decides a halt or its end.
///
/// A halt is one leaf that raises the claim epoch, so it takes no longer with a thousand claims
/// than with none. Lifting it offers again what was claimed, without using up an attempt.
pub fn halt(
    context: &Context<'_>,
    request: &HaltRequest,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let head = &context.state.head;
    let mut change = Change::default();
    if !request.is_lift {
        if head.is_halted {
            return Err(Refusal::new(RefusalCode::ProjectHalted, "the project is halted already")
                .hint("`tasuki halt --lift -m …` lifts it"));
        }
        change
            .happened_here(EventType::ProjectHalted, context.actor())
            .with("epoch", head.claim_epoch + 1)
            .because(reason.text.as_deref());
        change.halt = Some(Halt::Begin);
        return Ok(change);
    }
    if !head.is_halted {
        return Err(Refusal::new(RefusalCode::ProjectRunning, "the project is not halted"));
    }
    reason.required("lift a halt")?;
    change
        .happened_here(EventType::ProjectLifted, context.actor())
        .with("epoch", head.claim_epoch)
        .because(reason.text.as_deref());
    change.halt = Some(Halt::Lift);
    let mut ended: Vec<&Handoff> =
        context.state.handoffs().filter(|h| is_ended(context, h)).collect();
    ended.sort_by_key(|handoff| handoff.id);
    for handoff in ended {
        offer_again(context, handoff, &mut change);
    }
    Ok(change)
}

/// Whether a halt has ended the claim of this handoff.
fn is_ended(context: &Context<'_>, handoff: &Handoff) -> bool {
    let epoch = context.state.head.claim_epoch;
    handoff.progress.child.is_none()
        && matches!(&handoff.progress.state, State::Claimed(claim) if claim.epoch < epoch)
}

fn offer_again(context: &Context<'_>, handoff: &Handoff, change: &mut Change) {
    let State::Claimed(claim) = &handoff.progress.state else { return };
    let mut after = handoff.clone();
    after.progress.progress_at = context.now;
    change.happened(EventType::Released, handoff.id, context.actor()).with("token", claim.token);
    let directory = &context.state.directory;
    offer(directory, &mut after, None, context.now, context.actor(), change);
    change.put(after);
}
