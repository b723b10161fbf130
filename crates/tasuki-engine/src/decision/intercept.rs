//! A person takes the work over and finishes it, or sends it elsewhere.
//!
//! Refused while a gate is unsigned: no way to the work goes around one.

use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::reroute::movable;
use super::shown::{Looked, check, document};
use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::claim::take;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::gate;
use crate::limits::LEASE_PERSON;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::view;

/// A handoff to be taken over.
#[derive(Debug, Clone)]
pub struct Intercept {
    /// The handoff.
    pub handoff: HandoffId,
    /// What the person saw.
    pub looked: Looked,
    /// Why; required once somebody has claimed it.
    pub reason: Option<String>,
}

/// Decides an intercept.
pub fn intercept(
    context: &Context<'_>,
    request: &Intercept,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authority::person(context)?;
    if context.state.head.is_halted {
        return Err(authority::halted(context));
    }
    let handoff = context.state.handoff(request.handoff)?;
    movable(handoff, "intercept", reason)?;
    check(handoff, &request.looked)?;
    let directory = &context.state.directory;
    gate::all_signed(directory, handoff, context.now)?;
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "intercept", &request.looked, reason, &[]);
    let mut after = handoff.clone();
    let claim = take(context, &mut after, LEASE_PERSON, None, true);
    change
        .happened(EventType::Intercepted, handoff.id, context.actor())
        .with("decision", id)
        .with("claim", claim.id)
        .with("token", claim.token)
        .with("until", claim.until)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    chain::child_claimed(context, &after, &mut change);
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(directory, &after));
    change.answer.claim = Some(view::claim(directory, &after, &claim));
    change.put(after);
    Ok(change)
}
