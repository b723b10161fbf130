//! A person refuses a handoff, or the action that its holder asked leave for.

use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::accept::{give_back, not_own};
use super::shown::{Looked, check, document};
use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::handoff::State;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::view;

/// A handoff or an action to be refused.
#[derive(Debug, Clone)]
pub struct Reject {
    /// The handoff.
    pub handoff: HandoffId,
    /// What the person saw.
    pub looked: Looked,
    /// Why; required.
    pub reason: Option<String>,
}

/// Decides a reject.
pub fn reject(context: &Context<'_>, request: &Reject, reason: &Reason) -> Result<Change, Refusal> {
    authority::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "reject", "held"));
    };
    not_own(context, handoff, hold)?;
    check(handoff, &request.looked)?;
    let text = reason.required("reject")?;
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "reject", &request.looked, reason, &[]);
    change
        .happened(EventType::Rejected, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(Some(text));
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    match &hold.asked_by {
        Some(asked) => give_back(context, &mut after, &asked.claim, &mut change),
        None => {
            after.progress.state = State::Rejected;
            chain::child_ended(context, &after, &mut change);
        }
    }
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    Ok(change)
}
