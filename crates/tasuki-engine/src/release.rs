//! A holder gives the work back: released, or parked until an instant.
//!
//! Neither uses up an attempt. Both are offers, decided like the first: a checkpoint under the
//! limit holds it, and a gate that is signed stays signed.

use jiff::Timestamp;
use serde_json::json;
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::change::Change;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::fallback::{self, Cause};
use crate::handoff::Handoff;
use crate::offer::offer;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// Work to be given back.
#[derive(Debug, Clone)]
pub struct Release {
    /// The claim.
    pub shown: Shown,
    /// Why.
    pub reason: Option<String>,
}

/// Work to be given back until an instant: a quota resets, a window opens.
#[derive(Debug, Clone)]
pub struct Park {
    /// The claim.
    pub shown: Shown,
    /// Not claimable before.
    pub not_before: Timestamp,
    /// Why.
    pub reason: Option<String>,
}

/// Decides a release.
pub fn release(
    context: &Context<'_>,
    request: &Release,
    reason: &Reason,
) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder(context, request.shown)?;
    let mut handoff = handoff.clone();
    let mut change = Change::default();
    let token = claim.token;
    let sealed = reason.text.as_ref().map(|_| reason.sealed(context, json!({ "step": "release" })));
    let event = change.happened(EventType::Released, handoff.id, context.actor());
    event.with("token", token).because(reason.text.as_deref());
    if let Some(sealed) = sealed {
        event.bringing(sealed.commitment);
        change.keep(handoff.id, DocumentKind::Reason, format!("release-{token}"), sealed);
    }
    give_back(context, &mut handoff, None, &mut change);
    Ok(answered(context, handoff, change))
}

/// Decides a park.
pub fn park(context: &Context<'_>, request: &Park, reason: &Reason) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder(context, request.shown)?;
    if request.not_before <= context.now {
        let message = format!("`not_before` is {}, which has passed", request.not_before);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("name an instant that is still to come, or release the work"));
    }
    let mut handoff = handoff.clone();
    let mut change = Change::default();
    let token = claim.token;
    let sealed = reason.text.as_ref().map(|_| reason.sealed(context, json!({ "step": "park" })));
    let event = change.happened(EventType::Parked, handoff.id, context.actor());
    event.with("not_before", request.not_before).because(reason.text.as_deref());
    if let Some(sealed) = sealed {
        event.bringing(sealed.commitment);
        change.keep(handoff.id, DocumentKind::Reason, format!("park-{token}"), sealed);
    }
    if handoff.facts.terms.parks_with_same {
        give_back(context, &mut handoff, Some(request.not_before), &mut change);
    } else {
        fallback::next_rung(context.into(), &mut handoff, Cause::Parked, &mut change);
    }
    Ok(answered(context, handoff, change))
}

/// Offers the work again; whom the last checkpoint names goes on.
fn give_back(
    context: &Context<'_>,
    handoff: &mut Handoff,
    not_before: Option<Timestamp>,
    change: &mut Change,
) {
    handoff.progress.progress_at = context.now;
    let directory = &context.state.directory;
    fallback::follow_checkpoint(directory, handoff);
    offer(directory, handoff, not_before, context.now, context.actor(), change);
}

fn answered(context: &Context<'_>, handoff: Handoff, mut change: Change) -> Change {
    change.answer.handoff = Some(view::handoff(&context.state.directory, &handoff));
    change.put(handoff);
    change
}
