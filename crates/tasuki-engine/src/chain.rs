//! A chain of handoffs: one way, so long, so expensive, and never without its parent's knowledge.

use tasuki_packet::chain::ChainTotals;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::authority::surplus;
use crate::change::Change;
use crate::context::{Context, later};
use crate::fallback::{Mover, route};
use crate::handoff::{Facts, Handoff, State};
use crate::offer::offer;
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::{Budget, Sheet};
use crate::state::ProjectState;

/// Whether a handoff with these facts may continue its chain.
pub fn check(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    one_way(context, facts, facts.receiver)?;
    hops(facts)?;
    time(context, facts)?;
    check_revision(context, facts)
}

/// The same for a new revision, which makes the chain no longer and no older.
pub fn check_revision(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    cost(facts)?;
    within_authority(context, facts)
}

/// Work goes one way, unless a contract lets it come back.
pub fn one_way(context: &Context<'_>, facts: &Facts, to: PartyId) -> Result<(), Refusal> {
    if facts.is_begun || facts.terms.allows_return || !facts.lineage.contains(&to) {
        return Ok(());
    }
    let name = context.state.directory.name(to);
    let refuse = |message, hint| Err(Refusal::new(RefusalCode::ChainLoop, message).hint(hint));
    if to == facts.sender && facts.parent.is_none() {
        let message = format!("`{name}` hands this work over, so it cannot take it itself");
        return refuse(message, "to work on it yourself, open the task with `tasuki begin`");
    }
    refuse(
        format!("`{name}` had this work before, and work goes one way"),
        "return the work, or publish a contract with `returns: { allowed: true }` for this edge",
    )
}

fn hops(facts: &Facts) -> Result<(), Refusal> {
    let limit = facts.terms.hops;
    if facts.lineage.len() <= usize::try_from(limit).unwrap_or(usize::MAX) {
        return Ok(());
    }
    let message =
        format!("this would be handoff {} of the chain, the limit is {limit}", facts.lineage.len());
    Err(Refusal::new(RefusalCode::ChainHops, message)
        .hint("return the work, or finish it yourself"))
}

fn time(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(limit) = context.state.directory.settings.chain_time else { return Ok(()) };
    if context.now <= later(facts.chain_began_at, limit) {
        return Ok(());
    }
    let message = format!("the chain began at {:.0} and may take {limit}", facts.chain_began_at);
    Err(Refusal::new(RefusalCode::ChainBudget, message)
        .hint("return what there is: the chain has no time left to be passed on"))
}

fn cost(facts: &Facts) -> Result<(), Refusal> {
    let (spent, budget) = (&facts.spent, &facts.budget);
    let mut exceeded = Vec::new();
    for (currency, limit) in &budget.amounts {
        let amount = spent.amounts.get(currency).copied().unwrap_or_default();
        if amount > *limit {
            exceeded.push(format!("{amount} of {limit} {currency}"));
        }
    }
    for (unit, spent, limit) in
        [("tokens", spent.tokens, budget.tokens), ("seconds", spent.seconds, budget.seconds)]
    {
        if let Some(limit) = limit.filter(|limit| spent > *limit) {
            exceeded.push(format!("{spent} of {limit} {unit}"));
        }
    }
    if exceeded.is_empty() {
        return Ok(());
    }
    let message = format!("the chain has cost more than its budget: {}", exceeded.join(", "));
    Err(Refusal::new(RefusalCode::ChainBudget, message)
        .hint("return the work, or ask whoever set the `budget` for a larger one"))
}

/// What a receiver may do is at most what both sender and receiver may.
fn within_authority(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(stated) = &facts.sheet.authority else { return Ok(()) };
    let directory = &context.state.directory;
    let surplus = surplus(directory, stated, [facts.sender, facts.receiver]);
    if surplus.is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        surplus.iter().map(|(entry, party)| format!("`{entry}` (not `{party}`'s)")).collect();
    let message = format!("the packet allows more than its parties may: {}", named.join(", "));
    Err(Refusal::new(RefusalCode::AuthorityWidened, message)
        .hint("leave these entries out of `authority`"))
}

/// What the receiver may do by word of the chain: a packet that says nothing lifts no limit.
pub fn authority(parent: Option<&Handoff>, sheet: &Sheet) -> Option<Vec<String>> {
    let before = || parent.and_then(|parent| parent.facts.sheet.authority.clone());
    sheet.authority.clone().or_else(before)
}

/// What the chain has cost with this packet.
pub fn spent(parent: Option<&Handoff>, sheet: &Sheet) -> ChainTotals {
    let Some(parent) = parent else { return sheet.cost.clone() };
    let mut spent = parent.facts.spent.clone();
    for (currency, amount) in &sheet.cost.amounts {
        let sum = spent.amounts.entry(currency.clone()).or_default();
        *sum = sum.saturating_add(*amount);
    }
    spent.tokens = spent.tokens.saturating_add(sheet.cost.tokens);
    spent.seconds = spent.seconds.saturating_add(sheet.cost.seconds);
    spent
}

/// The narrowest budget along the chain, per currency.
pub fn budget(parent: Option<&Handoff>, sheet: &Sheet) -> Budget {
    let mut budget = parent.map_or_else(Budget::default, |parent| parent.facts.budget.clone());
    for (currency, amount) in &sheet.budget.amounts {
        let limit = budget.amounts.entry(currency.clone()).or_insert(*amount);
        *limit = (*limit).min(*amount);
    }
    let narrower = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    budget.tokens = narrower(budget.tokens, sheet.budget.tokens);
    budget.seconds = narrower(budget.seconds, sheet.budget.seconds);
    budget
}

/// A child that was claimed ends its parent as passed on.
pub fn child_claimed(context: &Context<'_>, child: &Handoff, change: &mut Change) {
    let Some(mut parent) = waiting_parent(context.state, child, change) else { return };
    parent.progress.state = State::PassedOn;
    change.happened(EventType::PassedOn, parent.id, context.actor()).with("child", child.id);
    change.put(parent);
}

/// A child that ended in any other way gives the work back to its parent's receiver.
pub fn child_ended(context: &Context<'_>, child: &Handoff, change: &mut Change) {
    child_ended_by(context.into(), child, change);
}

/// The same, whoever moved it.
pub fn child_ended_by(mover: Mover<'_>, child: &Handoff, change: &mut Change) {
    let Some(mut parent) = waiting_parent(mover.state, child, change) else { return };
    let State::Claimed(claim) = &parent.progress.state else { return };
    let token = claim.token;
    let taken_over_by = claim.is_intercept.then_some(claim.holder);
    parent.progress.child = None;
    parent.progress.progress_at = mover.now;
    change.happened(EventType::Released, parent.id, mover.actor).with("token", token);
    if let Some(person) = taken_over_by {
        // What a person took over never goes straight back to an agent.
        route(&mover.state.directory, &mut parent, person, mover.now);
    }
    offer(&mover.state.directory, &mut parent, None, mover.now, mover.actor, change);
    change.put(parent);
}

fn waiting_parent(state: &ProjectState, child: &Handoff, change: &Change) -> Option<Handoff> {
    let id = child.facts.parent?;
    let parent = change.handoff(id).or_else(|| state.handoff(id).ok())?;
    (parent.progress.child == Some(child.id) && parent.is_open()).then(|| parent.clone())
}
