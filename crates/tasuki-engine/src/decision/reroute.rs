//! A person or the sender sends a handoff to another receiver.
//!
//! The packet's bytes do not change: the receiver is a fact of the handoff. It is decided like a
//! submit to the other party: the gates of that edge apply too, and what was signed for the old one
//! is void, even if the handoff comes back there.

use std::collections::BTreeSet;

use serde_json::json;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;

use super::shown::{Looked, check, document};
use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::context::Context;
use crate::directory::Directory;
use crate::document::DocumentKind;
use crate::fallback::route;
use crate::gate;
use crate::handoff::{Handoff, State};
use crate::offer::offer;
use crate::party::Party;
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
    let directory = &context.state.directory;
    let gates = gate::on_the_way_to(directory, handoff, to)?;
    let mut change = Change::default();
    let more = [("to", json!(directory.name(to)))];
    let (id, sealed) = document(context, handoff, "reroute", &request.looked, reason, &more);
    change
        .happened(EventType::Rerouted, handoff.id, context.actor())
        .with("receiver", to)
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    route(directory, &mut after, to, context.now);
    under_edge(directory, &mut after, gates);
    after.progress.approvals.clear();
    offer(directory, &mut after, None, context.now, context.actor(), &mut change);
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(directory, &after));
    change.put(after);
    Ok(change)
}

/// What the contracts of the new edge ask for on top: gates, and a person below a limit.
fn under_edge(directory: &Directory, handoff: &mut Handoff, gates: Vec<String>) {
    let (sender, to) = (handoff.facts.sender, handoff.facts.receiver);
    let contracts = directory.contracts_on(&directory.name(sender), &directory.name(to));
    let limits = contracts.iter().filter_map(|published| {
        published.compiled.contract().confidence.and_then(|confidence| confidence.hold_below)
    });
    let terms = &mut handoff.facts_mut().terms;
    terms.hold_below = limits.chain(terms.hold_below).reduce(f64::max);
    for digest in gates {
        if !terms.gates.contains(&digest) {
            terms.gates.push(digest);
        }
    }
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
    let name = &party.name;
    if party.id == handoff.facts.receiver {
        let message = format!("handoff {} is for `{name}` already", handoff.id);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("name another party; to take it from its holder, intercept it"));
    }
    if !directory.leads_to_somebody(party.id) {
        return Err(Refusal::new(RefusalCode::RoleEmpty, format!("`{name}` has no members"))
            .hint(format!("add one: `tasuki party add {name} --member NAME`")));
    }
    chain::one_way(context, &handoff.facts, party.id)?;
    within_authority(directory, handoff, party)?;
    let sender = directory.name(handoff.facts.sender);
    let is_covered = !directory.contracts_on(&sender, name).is_empty();
    if !is_covered && !directory.settings.allows_edges_without_contract {
        let message = format!("no contract covers the edge from `{sender}` to `{name}`");
        return Err(Refusal::new(RefusalCode::EdgeRefused, message)
            .hint("`tasuki contract publish` adds one"));
    }
    Ok(party.id)
}

/// The packet may not allow more than its new receiver may do.
fn within_authority(
    directory: &Directory,
    handoff: &Handoff,
    party: &Party,
) -> Result<(), Refusal> {
    let Some(stated) = &handoff.facts.sheet.authority else { return Ok(()) };
    let surplus = authority::surplus(directory, stated, [party.id, party.id]);
    let entries: BTreeSet<String> =
        surplus.into_iter().map(|(entry, _)| format!("`{entry}`")).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let entries: Vec<String> = entries.into_iter().collect();
    let message =
        format!("the packet allows what `{}` may not do: {}", party.name, entries.join(", "));
    Err(Refusal::new(RefusalCode::AuthorityWidened, message)
        .hint("revise the packet's `authority` first, or name another party"))
}
