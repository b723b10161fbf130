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
use crate::claim::{take, unsigned};
use crate::context::Context;
use crate::document::DocumentKind;
use crate::gate;
use crate::handoff::Handoff;
use crate::limits::LEASE_PERSON;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
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
    not_own_claim(context, handoff)?;
    movable(handoff, "intercept", reason)?;
    check(handoff, &request.looked)?;
    past_gates(context, handoff)?;
    let directory = &context.state.directory;
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

/// Who holds it has nothing to take over.
fn not_own_claim(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let own = handoff.claim().filter(|claim| claim.holder == context.principal.party);
    let Some(claim) = own.filter(|_| handoff.progress.child.is_none()) else { return Ok(()) };
    let message = format!("you hold handoff {} already, with token {}", handoff.id, claim.token);
    Err(Refusal::new(RefusalCode::StateConflict, message).hint("go on with it"))
}

/// INVARIANT: an intercept never goes around a gate, whatever the state.
fn past_gates(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let (directory, now) = (&context.state.directory, context.now);
    let mut gates = handoff.facts.terms.gates.iter();
    let Some(open) = gates.find(|gate| !gate::is_signed(directory, handoff, gate, now)) else {
        return Ok(());
    };
    let refusal = unsigned(context, handoff, open);
    Err(match handoff.claim() {
        // Signatures grow old while somebody works, and only what is held is signed.
        Some(_) => refusal.hint("reroute it, and it is held until it is signed anew"),
        None => refusal,
    })
}
