//! A holder asks leave for an exact action: may I do precisely this?
//!
//! The handoff is held, holder and token stay, and the lease clock stops. The decision gives it
//! back to the holder, bound to the bytes of the action that were shown.

use serde_json::Value;
use tasuki_packet::id::DecisionId;
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::change::Change;
use crate::context::Context;
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{AskedLeave, Hold, HoldReason, State};
use crate::refusal::Refusal;
use crate::view;

/// An action to be looked at by a person.
#[derive(Debug, Clone)]
pub struct Request {
    /// The claim.
    pub shown: Shown,
    /// The action, exactly: what would be run, sent or changed.
    pub action: Value,
}

/// Decides a holder's hold.
pub fn decide(
    context: &Context<'_>,
    request: &Request,
    action: &Sealed,
) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder(context, request.shown)?;
    let mut handoff = handoff.clone();
    let id: DecisionId = context.draw.id("action", context.now);
    let asked =
        AskedLeave { claim: claim.clone(), action: id, digest: action.digest.clone(), version: 1 };
    let mut change = Change::default();
    change
        .happened(EventType::Held, handoff.id, context.actor())
        .with("reasons", vec!["action"])
        .bringing(action.commitment);
    change.keep(handoff.id, DocumentKind::Action, format!("{id}.1"), action.clone());
    handoff.progress.progress_at = context.now;
    handoff.progress.state = State::Held(Hold {
        reasons: vec![HoldReason::Action],
        since: context.now,
        asked_by: Some(asked),
    });
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &handoff));
    change.put(handoff);
    Ok(change)
}
