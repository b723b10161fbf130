//! A person or the sender sends a handoff to another receiver.
//!
//! The packet's bytes do not change: the receiver is a fact of the handoff. It is decided like a
//! submit to the other party, and approvals of the old edge do not count.

use serde_json::json;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;

use super::shown::{Looked, check, document};
use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::fallback::route;
use crate::handoff::{Handoff, State};
use crate::offer::offer;
use crate::principal::Scope;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A handoff to be sent elsewhere.
#[derive(Debug, Clone)]
pub struct Reroute {
    /// The handoff.
    pub handoff: HandoffId,
    /// The new receiver's name.
    pub to: String,
    /// What the person saw.
    pub looked: Looked,
    /// Why; required once somebody has claimed it.
    pub reason: Option<String>,
}

/// Decides a reroute.
pub fn reroute(
    context: &Context<'_>,
    request: &Reroute,
    reason: &Reason,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    may_take_away(context, handoff, "reroute", reason)?;
    check(handoff, &request.looked)?;
    let to = destination(context, handoff, &request.to)?;
    let mut change = Change::default();
    let more = [("to", json!(context.state.directory.name(to)))];
    let (id, sealed) = document(context, handoff, "reroute", &request.looked, reason, &more);
    change
        .happened(EventType::Rerouted, handoff.id, context.actor())
        .with("receiver", to)
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    let directory = &context.state.directory;
    route(directory, &mut after, to, context.now);
    offer(directory, &mut after, None, context.now, context.actor(), &mut change);
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(directory, &after));
    change.put(after);
    Ok(change)
}

/// Sender or person; a reason once somebody works on it; the child, not the parent, of a chain.
fn may_take_away(
    context: &Context<'_>,
    handoff: &Handoff,
    verb: &str,
    reason: &Reason,
) -> Result<(), Refusal> {
    if !context.principal.is_human() || !context.principal.scopes.has(Scope::Decide) {
        authority::sender(context, handoff)?;
    }
    movable(handoff, verb, reason)
}

/// Whether the handoff is in a state in which it can be taken away from whoever has it.
pub(super) fn movable(handoff: &Handoff, verb: &str, reason: &Reason) -> Result<(), Refusal> {
    if !matches!(handoff.progress.state, State::Held(_) | State::Offered(_) | State::Claimed(_)) {
        return Err(authority::wrong_state(handoff, verb, "held, offered or claimed"));
    }
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {} was passed on with {child}", handoff.id);
        return Err(Refusal::new(RefusalCode::StateConflict, message)
            .hint(format!("{verb} {child} instead"))
            .naming(child));
    }
    if handoff.claim().is_some() {
        reason.required(&format!("{verb} what somebody has claimed"))?;
    }
    Ok(())
}

fn destination(context: &Context<'_>, handoff: &Handoff, to: &str) -> Result<PartyId, Refusal> {
    let directory = &context.state.directory;
    let party = directory.find(to)?;
    if party.id == handoff.facts.receiver {
        let message = format!("handoff {} is for `{}` already", handoff.id, party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message));
    }
    if !directory.leads_to_somebody(party.id) {
        return Err(Refusal::new(
            RefusalCode::RoleEmpty,
            format!("`{}` has no members", party.name),
        )
        .hint(format!("add one: `tasuki party add {} --member NAME`", party.name)));
    }
    chain::one_way(context, &handoff.facts, party.id)?;
    let sender = directory.name(handoff.facts.sender);
    let is_covered = !directory.contracts_on(&sender, &party.name).is_empty();
    if !is_covered && !directory.settings.allows_edges_without_contract {
        let message = format!("no contract covers the edge from `{sender}` to `{}`", party.name);
        return Err(Refusal::new(RefusalCode::EdgeRefused, message)
            .hint("`tasuki contract publish` adds one"));
    }
    Ok(party.id)
}
