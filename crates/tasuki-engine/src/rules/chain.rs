//! Chains of handoffs: loops, limits on hops, time, cost and authority, and the fate of the parent.

use tasuki_packet::chain::ChainTotals;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::model::context::later;
use crate::model::{
    Budget, Change, Context, Directory, Facts, Handoff, PacketSummary, ProjectState, State,
};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization::may_send_for;
use crate::rules::fallback::ActorContext;
use crate::rules::grants::{beyond, excess_grants, granted, narrowest};
use crate::rules::offer::offer;
use crate::rules::route::keep_with_people;

/// Checks that a handoff with these facts may continue its chain with this packet.
pub fn check(context: &Context<'_>, facts: &Facts, summary: &PacketSummary) -> Result<(), Refusal> {
    refuse_loop(context, facts, facts.receiver)?;
    hops(facts)?;
    time(context, facts)?;
    check_revision(context, facts, summary)
}

/// Checks a new revision, which adds neither a hop nor time to the chain.
pub fn check_revision(
    context: &Context<'_>,
    facts: &Facts,
    summary: &PacketSummary,
) -> Result<(), Refusal> {
    cost(facts)?;
    within_authority(context, facts, summary)
}

/// Refuses a receiver that had the work before, unless a contract allows it.
pub fn refuse_loop(context: &Context<'_>, facts: &Facts, to: PartyId) -> Result<(), Refusal> {
    if facts.is_begun || facts.terms.allows_return || !facts.was_with(to) {
        return Ok(());
    }
    let name = context.state.directory.name(to);
    let refuse = |message, hint| Err(Refusal::new(RefusalCode::ChainLoop, message).hint(hint));
    if facts.parent.is_none() {
        let message = format!("`{name}` cannot hand work over to itself");
        return refuse(message, "to work on it yourself, open the task with `tasuki begin`");
    }
    refuse(
        format!("`{name}` already had this work earlier in the chain"),
        "return the work, or publish a contract with `returns: { allowed: true }` for this edge",
    )
}

fn hops(facts: &Facts) -> Result<(), Refusal> {
    let limit = facts.terms.hops;
    if facts.lineage.len() <= usize::try_from(limit).unwrap_or(usize::MAX) {
        return Ok(());
    }
    let message =
        format!("this would be handoff {} of the chain; the limit is {limit}", facts.lineage.len());
    Err(Refusal::new(RefusalCode::ChainHops, message).hint("finish the work and return it"))
}

/// Returns the hop limit of the chain. A later hop cannot raise the limit of an earlier one.
pub fn hops_of_chain(parent: Option<&Handoff>, facts: &Facts) -> u32 {
    let own = facts.terms.hops;
    parent.map_or(own, |parent| parent.facts.terms.hops.min(own))
}

fn time(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(limit) = context.state.directory.settings.chain_time else { return Ok(()) };
    if context.now <= later(facts.chain_began_at, limit) {
        return Ok(());
    }
    let message = format!(
        "the chain began at {:.0} and has exceeded its limit of {limit}",
        facts.chain_began_at
    );
    Err(Refusal::new(RefusalCode::ChainBudget, message)
        .hint("return the work as it is; it cannot be passed on"))
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
    let message = format!("the chain exceeds its budget: {}", exceeded.join(", "));
    Err(Refusal::new(RefusalCode::ChainBudget, message)
        .hint("return the work, or ask the sender that set `budget` to raise it"))
}

/// Refuses a packet whose own `authority` exceeds a limit. The limits are those of the sender, of
/// the receiver, of a caller that sends on the sender's behalf, and of the parent handoff.
/// Inherited authority is not checked here: it is narrowed at the claim.
fn within_authority(
    context: &Context<'_>,
    facts: &Facts,
    summary: &PacketSummary,
) -> Result<(), Refusal> {
    let Some(stated) = &summary.authority else { return Ok(()) };
    let directory = &context.state.directory;
    let caller = context.principal.party;
    let is_on_behalf = caller != facts.sender && may_send_for(directory, caller, facts.sender);
    let parties = [facts.sender, facts.receiver].into_iter().chain(is_on_behalf.then_some(caller));
    let of_parties = excess_grants(directory, stated, parties);
    let parent = facts.parent.and_then(|id| context.state.known(id));
    let inherited = granted_by_parent(directory, parent, facts).unwrap_or_else(|| stated.clone());
    let mut named: Vec<String> = of_parties
        .iter()
        .map(|(entry, party)| format!("`{entry}` (not allowed to `{party}`)"))
        .collect();
    let of_work = beyond(stated, &inherited)
        .map(|entry| format!("`{entry}` (not granted by the parent handoff)"));
    named.extend(of_work);
    if named.is_empty() {
        return Ok(());
    }
    let message = format!("`authority` exceeds the limits of its parties: {}", named.join(", "));
    Err(Refusal::new(RefusalCode::AuthorityWidened, message)
        .hint("remove these entries from `authority`"))
}

/// Returns the authority that the chain grants the receiver. A packet that states none inherits it.
pub fn authority(
    directory: &Directory,
    parent: Option<&Handoff>,
    facts: &Facts,
) -> Option<Vec<String>> {
    let stated = facts.summary.authority.clone();
    stated
        .or_else(|| granted_by_parent(directory, parent, facts))
        .or_else(|| authority_of_authors(directory, facts))
}

/// Returns the common authority of the authors that wrote the packet on the sender's behalf.
fn authority_of_authors(directory: &Directory, facts: &Facts) -> Option<Vec<String>> {
    let on_behalf = facts
        .contributors
        .iter()
        .filter(|party| **party != facts.sender && may_send_for(directory, **party, facts.sender));
    narrowest(on_behalf.filter_map(|party| directory.party(*party)?.authority.clone()))
}

/// Returns the authority of the last party of the lineage over the parent handoff.
fn granted_by_parent(
    directory: &Directory,
    parent: Option<&Handoff>,
    facts: &Facts,
) -> Option<Vec<String>> {
    granted(directory, parent?, *facts.lineage.last()?)
}

/// Returns the cost of the chain including this packet. Passing work on costs at least the amounts
/// that the holder's checkpoints reported, even if the packet omits them.
pub fn spent(parent: Option<&Handoff>, summary: &PacketSummary) -> ChainTotals {
    let Some(parent) = parent else { return summary.cost.clone() };
    let mark = parent.progress.checkpoint.as_ref();
    let cost =
        mark.map_or_else(|| summary.cost.clone(), |mark| at_least(&mark.cost, &summary.cost));
    let mut spent = parent.facts.spent.clone();
    for (currency, amount) in cost.amounts {
        let sum = spent.amounts.entry(currency).or_default();
        *sum = sum.saturating_add(amount);
    }
    spent.tokens = spent.tokens.saturating_add(cost.tokens);
    spent.seconds = spent.seconds.saturating_add(cost.seconds);
    spent
}

/// Returns the greater of two totals, unit by unit.
pub fn at_least(one: &ChainTotals, other: &ChainTotals) -> ChainTotals {
    let mut most = one.clone();
    for (currency, amount) in &other.amounts {
        let known = most.amounts.entry(currency.clone()).or_default();
        *known = (*known).max(*amount);
    }
    most.tokens = most.tokens.max(other.tokens);
    most.seconds = most.seconds.max(other.seconds);
    most
}

/// Returns the narrowest budget along the chain, per currency.
pub fn budget(parent: Option<&Handoff>, summary: &PacketSummary) -> Budget {
    let mut budget = parent.map_or_else(Budget::default, |parent| parent.facts.budget.clone());
    for (currency, amount) in &summary.budget.amounts {
        let limit = budget.amounts.entry(currency.clone()).or_insert(*amount);
        *limit = (*limit).min(*amount);
    }
    let narrower = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    budget.tokens = narrower(budget.tokens, summary.budget.tokens);
    budget.seconds = narrower(budget.seconds, summary.budget.seconds);
    budget
}

/// Closes the parent as passed on once its child is claimed.
pub fn child_claimed(context: &Context<'_>, child: &Handoff, change: &mut Change) {
    let Some(mut parent) = waiting_parent(context.state, child, change) else { return };
    parent.progress.state = State::PassedOn;
    change.record_event(EventType::PassedOn, parent.id, context.actor()).with("child", child.id);
    change.put(parent);
}

/// Offers the parent to its receiver again when its child ended unclaimed.
pub fn child_ended(context: &Context<'_>, child: &Handoff, change: &mut Change) {
    child_ended_by(context.into(), child, change);
}

/// Does the same as [`child_ended`] for any actor.
pub fn child_ended_by(mover: ActorContext<'_>, child: &Handoff, change: &mut Change) {
    let Some(mut parent) = waiting_parent(mover.state, child, change) else { return };
    let State::Claimed(claim) = &parent.progress.state else { return };
    let claim = claim.clone();
    parent.progress.child = None;
    parent.progress.progress_at = mover.now;
    change.record_event(EventType::Released, parent.id, mover.actor).with("fence", claim.fence);
    keep_with_people(&mover.state.directory, &mut parent, &claim, mover.now);
    offer(&mover.state.directory, &mut parent, None, mover.now, mover.actor, change);
    change.put(parent);
}

fn waiting_parent(state: &ProjectState, child: &Handoff, change: &Change) -> Option<Handoff> {
    let id = child.facts.parent?;
    let parent = change.handoff(id).or_else(|| state.known(id))?;
    (parent.progress.child == Some(child.id) && parent.is_open()).then(|| parent.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::model::Settings;
    use crate::steps::PassOn;
    use crate::steps::decision::testing::revise;
    use crate::testing::{World, cancel, checkpoint, claim, pass_on_with, submit};

    /// Returns a world where `ben` holds a handoff from `ana`.
    fn held_by_ben(more: &Value) -> World {
        let mut world = World::new();
        world.run("ana", submit(more)).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        world.advance(1);
        world
    }

    #[test]
    fn a_parent_is_frozen_until_its_child_is_claimed_and_ends_with_that() {
        let mut world = held_by_ben(&json!({}));
        let (parent, shown) = (world.newest(), world.shown());
        let leaves = world.leaves.len();
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
        assert_eq!(world.handoff().facts.parent, Some(parent));
        let renew = Command::Renew(crate::steps::Renew { claim: shown, lease: None });
        insta::assert_snapshot!(world.refusal("ben", renew), @"
        TK-CLAIM-STALE: handoff hof_1 was passed on as hof_2
        hint: it comes back to you if that handoff ends unclaimed
        ");
        let again = Command::PassOn(PassOn::new(
            shown,
            crate::testing::packet(&json!({"to_agent": "cem", "goal": "other"})),
        ));
        world.check("ben", again, "refused TK-CLAIM-STALE");
        world.advance(40 * 60);
        world.apply_due();
        assert!(world.state.handoff(parent).unwrap().is_open(), "it does not lapse");
        world.check("cem", claim(world.newest()), "claimed by cem, fence 1");
        assert_eq!(world.state.handoff(parent).unwrap().progress.state, State::PassedOn);
        insta::assert_snapshot!(world.story(leaves), @"
        handoff.submitted by ben
        handoff.delivered by cem
        handoff.claimed by cem
        handoff.passed_on by cem
        ");
    }

    #[test]
    fn a_child_that_ends_unclaimed_returns_the_work_to_its_parent() {
        let mut world = held_by_ben(&json!({}));
        let parent = world.newest();
        world.run("ben", pass_on_with(&world, &json!({"to_agent": "cem"}))).unwrap();
        let leaves = world.leaves.len();
        world.run("ben", cancel(world.newest())).unwrap();
        insta::assert_snapshot!(world.story(leaves), @"
        handoff.cancelled by ben
        handoff.released by ben
        ");
        world.check("ben", claim(parent), "cancelled");
        let parent = world.state.handoff(parent).unwrap();
        assert_eq!((parent.progress.fence, parent.progress.child), (2, None));
        assert_eq!(world.state.live("task-1").unwrap().id, parent.id);
    }

    #[test]
    fn intercepted_work_that_was_passed_on_comes_back_to_the_person() {
        let mut world = held_by_ben(&json!({}));
        let parent = world.newest();
        let intercept = Command::Intercept(crate::steps::Intercept {
            handoff: parent,
            seen: crate::steps::SeenVersion::default(),
            reason: Some("mine".to_owned()),
        });
        world.run("pia", intercept).unwrap();
        world.run("pia", pass_on_with(&world, &json!({"to_agent": "cem"}))).unwrap();
        world.run("pia", cancel(world.newest())).unwrap();
        let parent = world.state.handoff(parent).unwrap();
        assert!(matches!(parent.progress.state, State::Offered(_)));
        assert_eq!(parent.facts.receiver, world.id("pia"));
    }

    #[test]
    fn only_the_holder_passes_on_and_only_its_own_task() {
        let mut world = held_by_ben(&json!({}));
        let by_other = pass_on_with(&world, &json!({"to_agent": "pia"}));
        world.check("cem", by_other, "refused TK-CLAIM-STALE");
        let other_task = pass_on_with(&world, &json!({"to_agent": "cem", "task_id": "task-9"}));
        insta::assert_snapshot!(world.refusal("ben", other_task), @"
        TK-ARGUMENT-INVALID: the packet is for task `task-9`, but the handoff that is passed on is for task `task-1`
        hint: remove `task_id`, or set it to `task-1`
        ");
    }

    #[test]
    fn work_goes_one_way_unless_a_contract_lets_it_come_back() {
        let mut world = held_by_ben(&json!({}));
        insta::assert_snapshot!(world.refusal("ben", pass_on_with(&world, &json!({"to_agent": "ana"}))), @"
        TK-CHAIN-LOOP: `ana` already had this work earlier in the chain
        hint: return the work, or publish a contract with `returns: { allowed: true }` for this edge
        ");
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"to_agent": "ana", "task_id": "b"}))), @"
        TK-CHAIN-LOOP: `ana` cannot hand work over to itself
        hint: to work on it yourself, open the task with `tasuki begin`
        ");
        let to_self = pass_on_with(&world, &json!({"to_agent": "ben"}));
        world.check("ben", to_self, "refused TK-CHAIN-LOOP");

        let mut world = held_by_ben(&json!({}));
        world.contract(&json!({
            "contract": "back", "from": ["ben"], "to": ["ana"], "returns": {"allowed": true},
        }));
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "ana"})), "offered to ana");
    }

    #[test]
    fn an_earlier_party_does_not_get_the_work_through_a_role_or_in_another_name() {
        let mut world = held_by_ben(&json!({}));
        world.check(
            "ben",
            pass_on_with(&world, &json!({"to_agent": "role:team"})),
            "offered to role:team",
        );
        world.check("ben", claim(world.newest()), "refused TK-CHAIN-LOOP");
        world.check("cem", claim(world.newest()), "claimed by cem, fence 1");

        let mut world = held_by_ben(&json!({}));
        let as_role =
            pass_on_with(&world, &json!({"from_agent": "role:team", "to_agent": "role:team"}));
        world.check("ben", as_role, "offered to role:team");
        world.check("ben", claim(world.newest()), "refused TK-CHAIN-LOOP");
    }

    #[test]
    fn a_chain_has_a_hop_limit() {
        let mut world = World::new();
        let names = ["ana", "ben", "cem", "d1", "d2", "d3", "d4"];
        for name in &names[3..] {
            world.add(name, crate::model::PartyKind::Agent);
        }
        world.run("ana", submit(&json!({}))).unwrap();
        for pair in names[1..6].windows(2) {
            world.run(pair[0], claim(world.newest())).unwrap();
            world.advance(1);
            world.check(
                pair[0],
                pass_on_with(&world, &json!({"to_agent": pair[1]})),
                &format!("offered to {}", pair[1]),
            );
        }
        world.run("d3", claim(world.newest())).unwrap();
        insta::assert_snapshot!(world.refusal("d3", pass_on_with(&world, &json!({"to_agent": "d4"}))), @"
        TK-CHAIN-HOPS: this would be handoff 6 of the chain; the limit is 5
        hint: finish the work and return it
        ");
    }

    #[test]
    fn a_contract_sets_the_hop_limit_of_its_chain() {
        let mut world = held_by_ben(&json!({}));
        world.contract(&json!({"from": ["ben"], "to": ["cem"], "hops": 1}));
        world.check(
            "ben",
            pass_on_with(&world, &json!({"to_agent": "cem"})),
            "refused TK-CHAIN-HOPS",
        );
    }

    #[test]
    fn a_later_hop_cannot_raise_the_hop_limit() {
        let mut world = World::new();
        world.add("dan", crate::model::PartyKind::Agent);
        world.contract(&json!({"hops": 2}));
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        world.advance(1);
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
        let better = json!({"to_agent": "cem", "goal": "better"});
        world.check("ben", revise(&world, &better), "offered to cem");
        world.run("cem", claim(world.newest())).unwrap();
        world.advance(1);
        let further = pass_on_with(&world, &json!({"to_agent": "dan"}));
        world.check("cem", further, "refused TK-CHAIN-HOPS");
    }

    #[test]
    fn a_chain_has_a_time_limit() {
        let settings = Settings { chain_time: "1h".parse().ok(), ..Settings::default() };
        let mut world = World::with(settings);
        world.run("ana", submit(&json!({}))).unwrap();
        world.advance(60 * 60);
        world.run("ben", claim(world.newest())).unwrap();
        let pass = pass_on_with(&world, &json!({"to_agent": "cem"}));
        world.advance(1);
        insta::assert_snapshot!(world.refusal("ben", pass), @"
        TK-CHAIN-BUDGET: the chain began at 2026-11-15T10:00:00Z and has exceeded its limit of 1h
        hint: return the work as it is; it cannot be passed on
        ");
    }

    #[test]
    fn the_cost_of_checkpoints_counts_even_if_the_packet_omits_it() {
        let usd = |amount: &str| json!({"amount": amount, "currency": "USD"});
        let check = |costs: &[Value], more: &Value, expected: &str| {
            let mut world = held_by_ben(&json!({"budget": usd("1.00")}));
            for cost in costs {
                let shown = world.shown();
                world.done("ben", checkpoint(shown, &json!({"cost": cost})));
            }
            let mut packet = json!({"to_agent": "cem"});
            packet.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let pass_on = pass_on_with(&world, &packet);
            world.check("ben", pass_on, expected);
        };
        check(&[usd("5.00")], &json!({}), "refused TK-CHAIN-BUDGET");
        check(&[usd("5.00")], &json!({"cost": usd("0.10")}), "refused TK-CHAIN-BUDGET");
        check(&[usd("5.00"), json!({"tokens": 9})], &json!({}), "refused TK-CHAIN-BUDGET");
        // Each checkpoint reports the total so far, so they are not added up.
        check(&[usd("0.60"), usd("0.90")], &json!({"cost": usd("0.90")}), "offered to cem");
        check(&[], &json!({}), "offered to cem");
    }

    #[test]
    fn a_chain_has_a_budget_of_money_tokens_and_seconds_and_the_narrowest_counts() {
        let start = json!({
            "budget": {"amount": "5.00", "currency": "USD", "tokens": 100, "seconds": 60},
            "cost": {"amount": "3.00", "currency": "USD", "tokens": 60, "seconds": 60},
        });
        let check = |cost: Value, budget: Value, expected: &str| {
            let mut world = held_by_ben(&start);
            let pass =
                pass_on_with(&world, &json!({"to_agent": "cem", "cost": cost, "budget": budget}));
            world.check("ben", pass, expected);
        };
        let usd = |amount: &str| json!({"amount": amount, "currency": "USD"});
        check(usd("2.00"), usd("9.00"), "offered to cem");
        check(usd("2.01"), usd("9.00"), "refused TK-CHAIN-BUDGET");
        check(usd("0.50"), usd("3.10"), "refused TK-CHAIN-BUDGET");
        let eur = json!({"amount": "900.00", "currency": "EUR"});
        check(eur.clone(), usd("9.00"), "offered to cem");
        check(eur, json!({"amount": "899.99", "currency": "EUR"}), "refused TK-CHAIN-BUDGET");
        check(json!({"tokens": 40}), json!({}), "offered to cem");
        check(json!({"tokens": 41}), json!({}), "refused TK-CHAIN-BUDGET");
        check(json!({"seconds": 1}), json!({}), "refused TK-CHAIN-BUDGET");

        let mut world = held_by_ben(&start);
        let all = json!({"amount": "2.5", "currency": "USD", "tokens": 41, "seconds": 1});
        let pass = pass_on_with(&world, &json!({"to_agent": "cem", "cost": all}));
        insta::assert_snapshot!(world.refusal("ben", pass), @"
        TK-CHAIN-BUDGET: the chain exceeds its budget: 5.50 of 5.00 USD, 101 of 100 tokens, 61 of 60 seconds
        hint: return the work, or ask the sender that set `budget` to raise it
        ");
        let dear = json!({"cost": {"tokens": 2}, "budget": {"tokens": 1}, "task_id": "b"});
        world.check("ana", submit(&dear), "refused TK-CHAIN-BUDGET");
    }

    #[test]
    fn authority_only_narrows_down_a_chain() {
        let mut world = held_by_ben(&json!({"authority": ["write:src/*", "deploy:staging"]}));
        let wider = json!({"to_agent": "cem", "authority": ["write:src/a", "deploy:production"]});
        insta::assert_snapshot!(world.refusal("ben", pass_on_with(&world, &wider)), @"
        TK-PACKET-INVALID: the packet has 1 violation
        hint: fix every violation and send the packet again
        /authority/1 TK-AUTHORITY-WIDENED: `deploy:production` exceeds the sender's authority; allowed: write:src/*, deploy:staging
        ");
        // A hop without authority lifts no limit, for its receiver or for the next hop.
        world.change("cem", |party, _| party.authority = Some(vec!["write:*".to_owned()]));
        world.run("ben", pass_on_with(&world, &json!({"to_agent": "cem"}))).unwrap();
        let answer = world.run("cem", claim(world.newest())).unwrap();
        assert_eq!(answer.claim.unwrap().authority.unwrap(), ["write:src/*"]);
        world.change("cem", |party, _| party.authority = None);
        world.advance(1);
        let wider = json!({"to_agent": "pia", "authority": ["deploy:production"]});
        world.check("cem", pass_on_with(&world, &wider), "refused TK-PACKET-INVALID");
        world.change("pia", |party, _| party.authority = Some(vec!["deploy:*".to_owned()]));
        let narrower = json!({"to_agent": "pia", "authority": ["deploy:staging"]});
        world.check("cem", pass_on_with(&world, &narrower), "offered to pia");
    }

    #[test]
    fn a_packet_grants_at_most_the_authority_of_both_parties() {
        let mut world = World::new();
        let limit = |entries: &[&str]| Some(entries.iter().map(|one| (*one).to_owned()).collect());
        world.change("ana", |party, _| party.authority = limit(&["write:*", "read:*"]));
        world.change("ben", |party, _| party.authority = limit(&["write:src/*"]));
        let wide = submit(&json!({"authority": ["write:src/a", "write:docs/", "deploy:x"]}));
        insta::assert_snapshot!(world.refusal("ana", wide), @"
        TK-AUTHORITY-EXCEEDED: `authority` exceeds the limits of its parties: `deploy:x` (not allowed to `ana`), `write:docs/` (not allowed to `ben`), `deploy:x` (not allowed to `ben`)
        hint: remove these entries from `authority`
        ");
        world.check("ana", submit(&json!({"authority": ["write:src/a"]})), "offered to ben");
        let answer = world.run("ben", claim(world.newest())).unwrap();
        assert_eq!(answer.claim.unwrap().authority.unwrap(), ["write:src/a"]);
        world.advance(1);
        // A packet without `authority` grants the intersection.
        world.run("ana", submit(&json!({"task_id": "b"}))).unwrap();
        let answer = world.run("ben", claim(world.newest())).unwrap();
        assert_eq!(answer.claim.unwrap().authority.unwrap(), ["write:src/*"]);
    }

    #[test]
    fn obligations_and_pinned_constraints_are_carried_along() {
        let mut world = held_by_ben(&json!({
            "return_required": ["status", "verification"],
            "acceptance": [{"id": "tests", "text": "npm test passes"}, "Below 300 kB"],
            "constraints": [{"text": "Do not publish", "pinned": true}],
            "failure_boundary": ["Stop before deploying"],
            "notes": [{"text": "Ask Kim", "pinned": true}, "gossip"],
        }));
        let bare = pass_on_with(&world, &json!({"to_agent": "cem", "return_required": ["status"]}));
        insta::assert_snapshot!(world.refusal("ben", bare), @"
        TK-PACKET-INVALID: the packet has 6 violations
        hint: fix every violation and send the packet again
        /constraints TK-PINNED-DROPPED: `constraints` drops the pinned item `Do not publish`; allowed: every pinned item of the previous packet, verbatim and pinned
        /notes TK-PINNED-DROPPED: `notes` drops the pinned item `Ask Kim`; allowed: every pinned item of the previous packet, verbatim and pinned
        /return_required TK-OWED-DROPPED: `return_required` drops `verification` of the previous packet; allowed: verification
        /acceptance TK-OWED-DROPPED: `acceptance` drops `npm test passes` of the previous packet; allowed: npm test passes
        /acceptance TK-OWED-DROPPED: `acceptance` drops `Below 300 kB` of the previous packet; allowed: Below 300 kB
        /failure_boundary TK-OWED-DROPPED: `failure_boundary` drops `Stop before deploying` of the previous packet; allowed: Stop before deploying
        ");
        let carried = json!({
            "to_agent": "cem",
            "return_required": ["status", "verification", "blockers"],
            "acceptance": ["npm test passes", "Below 300 kB"],
            "constraints": [{"text": "Do not publish", "pinned": true, "state": "verified"}],
            "failure_boundary": [{"text": "Stop before deploying"}],
            "notes": [{"text": "Ask Kim", "pinned": true}],
        });
        world.check("ben", pass_on_with(&world, &carried), "offered to cem");

        // A revision of a packet that passes work on must carry them too.
        let revise = |source: Vec<u8>| {
            Command::Revise(crate::steps::Revise {
                handoff: world.newest(),
                source,
                seen: crate::steps::SeenVersion::default(),
            })
        };
        let dropping = revise(crate::testing::packet(&json!({"to_agent": "cem"})));
        let mut revised = carried;
        revised["goal"] = json!("better");
        let carrying = revise(crate::testing::packet(&revised));
        assert_eq!(world.run("ben", dropping).unwrap_err().violations.len(), 7);
        world.check("ben", carrying, "offered to cem");
    }

    #[test]
    fn a_hop_cannot_lower_classification_or_regulations() {
        let marked = json!({
            "classification": "OFFICIAL-SENSITIVE", "regulation_refs": ["UK-DCB0129"],
            "sign_off_gates": ["release"], "retention": "P1Y",
        });
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{"name": "safety", "roles": ["role:people"]}],
        }));
        world.run("ana", submit(&marked)).unwrap();
        let sign = crate::steps::decision::testing::signature(&world);
        let pia = world.signed_in("pia");
        world.run_as(&pia, Command::SignOff(sign)).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        world.advance(1);
        let bare = pass_on_with(&world, &json!({"to_agent": "cem"}));
        insta::assert_snapshot!(world.refusal("ben", bare), @"
        TK-PACKET-INVALID: the packet has 3 violations
        hint: fix every violation and send the packet again
        /classification TK-OWED-DROPPED: `classification` drops `OFFICIAL-SENSITIVE` of the previous packet; allowed: OFFICIAL-SENSITIVE
        /regulation_refs TK-OWED-DROPPED: `regulation_refs` drops `UK-DCB0129` of the previous packet; allowed: UK-DCB0129
        /sign_off_gates TK-OWED-DROPPED: `sign_off_gates` drops `release` of the previous packet; allowed: release
        ");
        let mut carried = marked;
        carried["to_agent"] = json!("cem");
        world.check("ben", pass_on_with(&world, &carried), "held for changed, gate:release");
    }

    #[test]
    fn the_return_requirements_of_the_parents_contract_are_carried_along() {
        let owing = || {
            let mut world = World::new();
            world.contract(&json!({"returns": {"require": ["status", "changed_paths"]}}));
            world.run("ana", submit(&json!({}))).unwrap();
            world.run("ben", claim(world.newest())).unwrap();
            world.advance(1);
            world
        };
        let mut world = owing();
        insta::assert_snapshot!(world.refusal("ben", pass_on_with(&world, &json!({"to_agent": "cem"}))), @"
        TK-PACKET-INVALID: the packet has 2 violations
        hint: fix every violation and send the packet again
        /return_required TK-OWED-DROPPED: `return_required` omits `status`, which the contract of the work requires; allowed: status
        /return_required TK-OWED-DROPPED: `return_required` omits `changed_paths`, which the contract of the work requires; allowed: changed_paths
        ");
        let carried = json!({"to_agent": "cem", "return_required": ["status", "changed_paths"]});
        world.check("ben", pass_on_with(&world, &carried), "offered to cem");
        let dropping = revise(&world, &json!({"to_agent": "cem", "goal": "less"}));
        assert_eq!(world.run("ben", dropping).unwrap_err().violations.len(), 2);
        let mut better = carried;
        better["goal"] = json!("better");
        world.check("ben", revise(&world, &better), "offered to cem");

        let mut world = owing();
        world.contract(&json!({
            "contract": "next", "from": ["ben"], "to": ["cem"],
            "returns": {"require": ["status", "changed_paths"]},
        }));
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
    }

    #[test]
    fn the_authority_of_an_earlier_party_limits_the_chain() {
        let limited = || {
            let mut world = World::new();
            world.change("ana", |party, _| party.authority = Some(vec!["write:src/*".to_owned()]));
            world.run("ana", submit(&json!({}))).unwrap();
            world.run("ben", claim(world.newest())).unwrap();
            world.advance(1);
            world
        };
        let claimed = |world: &mut World| {
            let answer = world.run("cem", claim(world.newest())).unwrap();
            answer.claim.unwrap().authority
        };
        let mut world = limited();
        let wide = json!({"to_agent": "cem", "authority": ["deploy:prod", "write:src/a"]});
        insta::assert_snapshot!(world.refusal("ben", pass_on_with(&world, &wide)), @"
        TK-AUTHORITY-EXCEEDED: `authority` exceeds the limits of its parties: `deploy:prod` (not granted by the parent handoff)
        hint: remove these entries from `authority`
        ");
        let narrow = json!({"to_agent": "cem", "authority": ["write:src/a"]});
        world.check("ben", pass_on_with(&world, &narrow), "offered to cem");
        world.check("ben", revise(&world, &wide), "refused TK-AUTHORITY-EXCEEDED");
        assert_eq!(claimed(&mut world).unwrap(), ["write:src/a"]);

        let mut world = limited();
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
        world.check(
            "ben",
            revise(&world, &json!({"to_agent": "cem", "goal": "b"})),
            "offered to cem",
        );
        assert_eq!(claimed(&mut world).unwrap(), ["write:src/*"]);
    }

    #[test]
    fn sending_for_another_party_grants_no_extra_authority() {
        let limited = || {
            let mut world = World::new();
            world.change("ben", |party, _| party.authority = Some(vec!["read:*".to_owned()]));
            world
        };
        let sent = |more: &Value| {
            let mut packet = json!({"from_agent": "role:team", "to_agent": "ana"});
            more.as_object().unwrap().iter().for_each(|(name, one)| packet[name] = one.clone());
            submit(&packet)
        };
        let granted = |world: &mut World| {
            world.run("ana", claim(world.newest())).unwrap().claim.unwrap().authority
        };
        let wide = json!({"authority": ["write:src/"]});
        let mut world = limited();
        insta::assert_snapshot!(world.refusal("ben", sent(&wide)), @"
        TK-AUTHORITY-EXCEEDED: `authority` exceeds the limits of its parties: `write:src/` (not allowed to `ben`)
        hint: remove these entries from `authority`
        ");
        world.check("cem", sent(&wide), "offered to ana");
        let again = json!({"to_agent": "ana", "goal": "b", "authority": ["write:src/"]});
        world.check("ben", revise(&world, &again), "refused TK-AUTHORITY-EXCEEDED");
        let mut world = limited();
        world.check("ben", sent(&json!({})), "offered to ana");
        let again = json!({"to_agent": "ana", "goal": "b"});
        world.check("cem", revise(&world, &again), "offered to ana");
        assert_eq!(granted(&mut world).unwrap(), ["read:*"]);
    }

    #[test]
    fn an_agent_cannot_hand_work_to_itself_in_another_name() {
        let mut world = World::new();
        let to = |to: &str| submit(&json!({"from_agent": "role:team", "to_agent": to}));
        insta::assert_snapshot!(world.refusal("ben", to("ben")), @"
        TK-CHAIN-LOOP: `ben` cannot hand work over to itself
        hint: to work on it yourself, open the task with `tasuki begin`
        ");
        world.check("ben", to("ana"), "offered to ana");
        assert_eq!(world.handoff().facts.lineage.len(), 1);
        world.run("ana", claim(world.newest())).unwrap();
        world.advance(1);
        let back = pass_on_with(&world, &json!({"to_agent": "ben"}));
        world.check("ana", back, "refused TK-CHAIN-LOOP");
        world.check("ana", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
    }

    #[test]
    fn work_does_not_go_back_to_the_party_that_began_it() {
        let mut world = World::new();
        let begin = Command::Begin(crate::steps::Begin {
            source: crate::testing::packet(&json!({"to_agent": "ana"})),
            ..Default::default()
        });
        world.run("ana", begin).unwrap();
        let shown = world.shown();
        world.run("ana", crate::testing::checkpoint(shown, &json!({"to_agent": "ben"}))).unwrap();
        world.advance(60 * 60);
        world.apply_due();
        world.check("ben", claim(world.newest()), "claimed by ben, fence 2");
        world.advance(1);
        let back = pass_on_with(&world, &json!({"to_agent": "ana"}));
        world.check("ben", back, "refused TK-CHAIN-LOOP");
        world.check("ben", pass_on_with(&world, &json!({"to_agent": "cem"})), "offered to cem");
    }
}
