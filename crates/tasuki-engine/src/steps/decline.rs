//! A receiver declines an offer.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, DocumentKind, Reason, Scope, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::fallback::{Cause, has_eligible_claimer, next_rung};
use crate::rules::scopes::RequiredScopes;
use crate::steps::ReasonedStep;

/// Declines an offer.
#[derive(Debug, Clone, Serialize)]
pub struct Decline {
    /// The handoff.
    pub handoff: HandoffId,
    /// The reason; required.
    pub reason: Option<String>,
}

impl ReasonedStep for Decline {
    const NAME: &'static str = "decline";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        decline(context, self, reason)
    }
}

/// Decides a decline. A member of a role takes only itself out; without an eligible receiver left,
/// the handoff goes to the next rung.
fn decline(context: &Context<'_>, request: &Decline, reason: &Reason) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authorization::receiver(context, handoff)?;
    let State::Offered(_) = handoff.progress.state else {
        return Err(authorization::wrong_state(handoff, "decline", "offered"));
    };
    let text = reason.required("decline")?;
    let own = context.principal.party;
    if handoff.progress.declined_by.contains(&own) {
        let message = format!("you already declined handoff {}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimDeclined, message)
            .hint("nothing to do; another member of the role can take it"));
    }
    let mut handoff = handoff.clone();
    let mut change = Change::default();
    let sealed = reason.sealed(context, json!({ "step": "decline" }));
    change
        .record_event(EventType::Declined, handoff.id, context.actor())
        .bringing(sealed.commitment)
        .because(Some(text));
    // A party may decline the same handoff again after it went elsewhere and came back.
    let id: DecisionId = context.seed.id("decline", context.now);
    change.put_document(handoff.id, DocumentKind::Reason, id.to_string(), sealed);
    handoff.progress.declined_by.push(own);
    // The questions of a party that declined need no answer.
    handoff.progress.questions.retain(|question| question.by != own);
    handoff.let_go_by(own);
    let directory = &context.state.directory;
    if own == handoff.facts.receiver || !has_eligible_claimer(directory, &handoff) {
        next_rung(context.into(), &mut handoff, Cause::Declined, &mut change);
    }
    change.show(handoff.id);
    change.put(handoff);
    Ok(change)
}
