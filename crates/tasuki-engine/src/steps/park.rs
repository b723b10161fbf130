//! A holder parks the work until an instant, such as the reset of a quota.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, DocumentKind, Reason, Scope};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback::{self, Cause};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::route::keep_with_people;
use crate::rules::scopes::RequiredScopes;
use crate::steps::ReasonedStep;
use crate::steps::release::{answered, give_back, offer_again};

/// Parks work until an instant.
#[derive(Debug, Clone, Serialize)]
pub struct Park {
    /// The claim.
    pub claim: ClaimProof,
    /// The instant before which the work cannot be claimed.
    pub not_before: Timestamp,
    /// The reason.
    pub reason: Option<String>,
}

impl ReasonedStep for Park {
    const NAME: &'static str = "park";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        park(context, self, reason)
    }
}

fn park(context: &Context<'_>, request: &Park, reason: &Reason) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_current_claim(context, request.claim)?;
    if request.not_before <= context.now {
        let message = format!("`not_before` is {}, which has passed", request.not_before);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("use a future instant, or release the work"));
    }
    let mut handoff = handoff.clone();
    let mut change = Change::default();
    let fence = claim.fence;
    let sealed = reason.text.as_ref().map(|_| reason.sealed(context, json!({ "step": "park" })));
    let event = change.record_event(EventType::Parked, handoff.id, context.actor());
    event.with("not_before", request.not_before).because(reason.text.as_deref());
    if let Some(sealed) = sealed {
        event.bringing(sealed.commitment);
        change.put_document(handoff.id, DocumentKind::Reason, format!("park-{fence}"), sealed);
    }
    if handoff.facts.terms.parks_with_same {
        keep_with_people(&context.state.directory, &mut handoff, claim, context.now);
        give_back(context, &mut handoff, claim);
        offer_again(context, &mut handoff, Some(request.not_before), &mut change);
    } else if fallback::has_rung_for(&context.state.directory, &handoff, Cause::Parked) {
        fallback::next_rung(context.into(), &mut handoff, Cause::Parked, &mut change);
    } else {
        // Parking must not end in the dead letter, so the same party gets it again.
        keep_with_people(&context.state.directory, &mut handoff, claim, context.now);
        give_back(context, &mut handoff, claim);
        offer_again(context, &mut handoff, Some(request.not_before), &mut change);
    }
    Ok(answered(handoff, change))
}
