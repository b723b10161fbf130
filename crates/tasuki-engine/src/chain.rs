//! A chain of handoffs: one way, so long, so expensive, and never without its parent's knowledge.

use tasuki_packet::chain::ChainTotals;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::change::Change;
use crate::context::{Context, later};
use crate::fallback::Mover;
use crate::handoff::{Facts, Handoff, State};
use crate::offer::offer;
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::{Budget, Sheet};
use crate::state::ProjectState;

/// Whether a handoff with these facts may continue its chain.
pub fn check(
    context: &Context<'_>,
    facts: &Facts,
    parent: Option<&Handoff>,
) -> Result<(), Refusal> {
    one_way(context, facts, facts.receiver)?;
    hops(facts)?;
    time(context, facts)?;
    cost(facts)?;
    if parent.is_some() && context.state.head.is_halted {
        return Err(authority::halted(context));
    }
    within_authority(context, facts)
}

/// Work goes one way, unless a contract lets it come back.
pub fn one_way(context: &Context<'_>, facts: &Facts, to: PartyId) -> Result<(), Refusal> {
    if facts.is_begun || facts.terms.allows_return || !facts.lineage.contains(&to) {
        return Ok(());
    }
    let name = context.state.directory.name(to);
    let message = format!("`{name}` had this work before, and work goes one way");
    Err(Refusal::new(RefusalCode::ChainLoop, message)
        .hint("return it instead, or publish a contract with `returns: { allowed: true }`"))
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
    let message = format!("the chain began at {}, the limit is {limit}", facts.chain_began_at);
    Err(Refusal::new(RefusalCode::ChainBudget, message).hint("return the work"))
}

fn cost(facts: &Facts) -> Result<(), Refusal> {
    let exceeded = |what: String, limit: String| {
        let message = format!("the chain has cost {what} by its own word, its budget is {limit}");
        Err(Refusal::new(RefusalCode::ChainBudget, message)
            .hint("return the work, or ask for a larger budget"))
    };
    let (spent, budget) = (&facts.spent, &facts.budget);
    for (currency, limit) in &budget.amounts {
        let amount = spent.amounts.get(currency).copied().unwrap_or_default();
        if amount > *limit {
            return exceeded(format!("{amount} {currency}"), format!("{limit} {currency}"));
        }
    }
    if let Some(limit) = budget.tokens.filter(|limit| spent.tokens > *limit) {
        return exceeded(format!("{} tokens", spent.tokens), format!("{limit} tokens"));
    }
    if let Some(limit) = budget.seconds.filter(|limit| spent.seconds > *limit) {
        return exceeded(format!("{} seconds", spent.seconds), format!("{limit} seconds"));
    }
    Ok(())
}

/// What a receiver may do is at most what both sender and receiver may.
fn within_authority(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(stated) = &facts.sheet.authority else { return Ok(()) };
    let directory = &context.state.directory;
    let surplus = authority::surplus(directory, stated, [facts.sender, facts.receiver]);
    if surplus.is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        surplus.iter().map(|(entry, party)| format!("`{entry}` (not `{party}`'s)")).collect();
    let message = format!("the packet allows more than its parties may: {}", named.join(", "));
    Err(Refusal::new(RefusalCode::AuthorityWidened, message)
        .hint("leave these entries out of `authority`"))
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
    parent.progress.child = None;
    parent.progress.progress_at = mover.now;
    change.happened(EventType::Released, parent.id, mover.actor).with("token", token);
    offer(&mover.state.directory, &mut parent, None, mover.now, mover.actor, change);
    change.put(parent);
}

fn waiting_parent(state: &ProjectState, child: &Handoff, change: &Change) -> Option<Handoff> {
    let id = child.facts.parent?;
    let parent = change.handoff(id).or_else(|| state.handoff(id).ok())?;
    (parent.progress.child == Some(child.id) && parent.is_open()).then(|| parent.clone())
}
