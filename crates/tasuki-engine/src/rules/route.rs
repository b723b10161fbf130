//! Gives a handoff another receiver, under the requirements of the new edge.
//!
//! The contract of the submit stays, with its ladder and lease: it was negotiated for this packet.
//! The contracts of the new edge can only make the terms stricter:
//!
//! - shorter deadlines, fewer attempts, the stricter judge, more to return
//! - additional gates and demands of rules, which stay
//! - the stricter limits and trigger effect, and a risk that only grows
//!
//! Leaves record the resulting policy. A receiver that does not support the contract's version is
//! not eligible.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::policy::contract::{Contract, Identity, Reapproval};
use tasuki_packet::policy::rules::{RuleEffect, RuleMatch};
use tasuki_packet::policy::trigger::{Effect, TriggerKind};

use crate::model::handoff::push_new;
use crate::model::{Claim, Directory, Handoff, PacketSummary, PartyKind, Terms};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::{self, Edge, recompute_policy, stake};
use crate::rules::gate;

/// Gives a handoff another receiver, who starts afresh under the added requirements of the new
/// edge. Approvals of the old edge do not count, even if the work comes back to it.
pub fn route(directory: &Directory, handoff: &mut Handoff, party: PartyId, now: Timestamp) {
    // A caller that reroutes has checked that all of these gates exist.
    let gates = gate::published_on_edge_to(directory, handoff, party);
    let facts = handoff.facts_mut();
    facts.receiver = party;
    facts.routed_in = facts.revision;
    facts.terms.gates.extend(gates);
    let contracts = keep_to_edge(directory, handoff);
    ask_rules(directory, handoff, &contracts);
    let progress = &mut handoff.progress;
    progress.lapses = 0;
    progress.given_back = None;
    progress.reworks = 0;
    progress.declined_by.clear();
    progress.questions.clear();
    progress.delivered_at = None;
    progress.accepted = None;
    progress.signatures.clear();
    progress.progress_at = now;
    // Another party waits for it from here on, so the ladder applies.
    progress.ends_at = None;
}

/// Applies the contracts of the current edge to a handoff and returns them.
pub fn keep_to_edge<'d>(directory: &'d Directory, handoff: &mut Handoff) -> Vec<&'d Contract> {
    let edge = Edge::to(directory, &handoff.facts, handoff.facts.receiver);
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    let contracts: Vec<&Contract> =
        on_edge.into_iter().map(|one| one.compiled.contract()).collect();
    let facts = Arc::make_mut(&mut handoff.facts);
    let mark = handoff.progress.checkpoint.as_ref();
    let stated = mark.map_or(&[][..], |mark| mark.triggers.as_slice());
    let stated = stated.iter().filter_map(|trigger| trigger.parse().ok());
    let triggers: Vec<TriggerKind> =
        facts.summary.trigger_kind().into_iter().chain(stated).collect();
    for contract in &contracts {
        tighten(&mut facts.terms, &triggers, contract);
    }
    recompute_policy(directory, facts, &contracts);
    contracts
}

/// Adds the demands of edge rules on the current edge. Earlier demands stay.
fn ask_rules(directory: &Directory, handoff: &mut Handoff, contracts: &[&Contract]) {
    let receiver = handoff.facts.receiver;
    let edge = Edge::to(directory, &handoff.facts, receiver);
    let terms = &handoff.facts.terms;
    let asked = |summary: &PacketSummary| {
        let at_stake = stake(summary, &terms.gates, None).max(terms.risk.into());
        edge_policy::demands(directory, summary, &edge, at_stake)
    };
    let demands: Vec<RuleMatch> = handoff.said().iter().flat_map(asked).collect();
    if demands.is_empty() {
        return;
    }
    let is_sensitive = demands.iter().any(|demand| demand.effect == RuleEffect::SensitiveTopic);
    let rules = demands.into_iter().map(|demand| demand.rule);
    push_new(&mut handoff.facts_mut().summary.demands, rules);
    if is_sensitive {
        let topic = TriggerKind::SensitiveTopic.as_str().to_owned();
        handoff.facts_mut().summary.trigger = Some(topic);
        let gates = gate::published_on_edge_to(directory, handoff, receiver);
        handoff.facts_mut().terms.gates.extend(gates);
        recompute_policy(directory, handoff.facts_mut(), contracts);
    }
}

/// Keeps intercepted work with the person when a claim ends, so that no agent gets it.
pub fn keep_with_people(
    directory: &Directory,
    handoff: &mut Handoff,
    claim: &Claim,
    now: Timestamp,
) {
    if claim.is_intercept && !directory.is_people(handoff.facts.receiver) {
        route(directory, handoff, claim.holder, now);
    }
}

/// Applies the requirements of a contract of the new edge that are stricter.
fn tighten(terms: &mut Terms, triggers: &[TriggerKind], contract: &Contract) {
    let below = contract.confidence.and_then(|confidence| confidence.hold_below);
    terms.hold_below = below.into_iter().chain(terms.hold_below).reduce(f64::max);
    let at = contract.confidence.and_then(|confidence| confidence.auto_progress_at);
    terms.auto_progress_at = terms.auto_progress_at.zip(at).map(|(one, other)| one.max(other));
    let holds = |kind: &TriggerKind| contract.triggers.get(kind) == Some(&Effect::Hold);
    if triggers.iter().any(holds) {
        terms.effect = Effect::Hold;
    }
    terms.deadlines = terms.deadlines.shorter(contract.deadlines.into());
    let fewer = |own: u32, other: Option<u32>| other.map_or(own, |other| own.min(other));
    terms.attempts = fewer(terms.attempts, contract.lease.attempts);
    terms.reworks = fewer(terms.reworks, contract.rework.attempts);
    terms.keeps_approval &= contract.reapproval == Reapproval::None;
    terms.verify = terms.verify.max(contract.verify.into());
    owe_returns(terms, contract);
}

/// Adds the return requirements of a contract of the new edge.
fn owe_returns(terms: &mut Terms, contract: &Contract) {
    let identity = contract.identity();
    let own: Option<Identity> = terms.contract.as_deref().and_then(|own| own.parse().ok());
    let is_own = own.is_some_and(|own| own.name == identity.name);
    let asks = !contract.returns.require.is_empty() || contract.returns.schema.is_some();
    if asks && !is_own {
        terms.asks_return = true;
        push_new(&mut terms.also_returns, [identity.to_string()]);
    }
}

/// Returns `true` if a party supports the version of the handoff's contract.
pub fn is_supported_by(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let contract = handoff.facts.terms.contract.as_deref();
    contract.is_none_or(|contract| somebody_reads(directory, contract, party))
}

/// Returns `true` if a party, or any member of a role, supports a version. A party that lists none
/// supports all.
pub fn somebody_reads(directory: &Directory, contract: &str, party: PartyId) -> bool {
    let reads = |party: PartyId| {
        let reads = directory.party(party).map_or(&[][..], |party| party.reads.as_slice());
        reads.is_empty() || reads.iter().any(|read| is_of_same_major(read, contract))
    };
    let role = directory.party(party).filter(|found| found.kind == PartyKind::Role);
    reads(party) && role.is_none_or(|role| role.members.iter().any(|member| reads(*member)))
}

/// Requires that a party supports the version of the handoff's contract.
pub fn require_supported_by(
    directory: &Directory,
    handoff: &Handoff,
    party: PartyId,
) -> Result<(), Refusal> {
    if is_supported_by(directory, handoff, party) {
        return Ok(());
    }
    let contract = handoff.facts.terms.contract.as_deref().unwrap_or_default();
    let name = directory.name(party);
    let message =
        format!("`{name}` does not support `{contract}`, the contract of handoff {}", handoff.id);
    Err(Refusal::new(RefusalCode::ContractUnsupported, message).hint(format!(
        "choose a party that supports it, or submit under a version that `{name}` supports"
    )))
}

/// Returns `true` if both have the same major version. Minor versions only add.
pub fn is_of_same_major(read: &str, contract: &str) -> bool {
    fn major(identity: &str) -> Option<(&str, &str)> {
        let (name, version) = identity.split_once('@')?;
        Some((name, version.split('.').next()?))
    }
    read == contract || major(read).is_some() && major(read) == major(contract)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::leaf::Leaf;

    use super::*;
    use crate::command::Command;
    use crate::model::RiskWord;
    use crate::ports::LeafRow;
    use crate::steps::{Reroute, SeenVersion};
    use crate::testing::{World, claim, decline, pass_on_with, return_packet, submit, verdict};

    fn gate(name: &str) -> Value {
        json!({
            "gate": name, "version": "1.0",
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
        })
    }

    fn reroute(world: &World, to: &str) -> Command {
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let (handoff, to) = (world.newest(), to.to_owned());
        Command::Reroute(Reroute { handoff, to, seen, reason: None })
    }

    /// Returns a world with `work@1.0` from `ana` to `ben` and a contract from `ana` to `cem`.
    fn world(to_cem: &Value) -> World {
        let mut world = World::new();
        world.gate(gate("release"));
        world.contract(&json!({}));
        let mut contract = json!({ "contract": "guarded", "to": ["cem"] });
        for (name, value) in to_cem.as_object().unwrap() {
            contract[name] = value.clone();
        }
        world.contract(&contract);
        world
    }

    #[test]
    fn policy_and_risk_follow_the_current_gates() {
        let mut world = world(&json!({ "gates": ["release"] }));
        world.check("ana", submit(&json!({})), "offered to ben");
        let before = world.handoff().facts.terms.clone();
        assert_eq!(before.risk, RiskWord::Low);
        let command = reroute(&world, "cem");
        world.check("pia", command, "held for gate:release");
        let after = world.handoff().facts.terms.clone();
        assert_eq!(after.risk, RiskWord::High);
        assert_eq!(after.contract, before.contract);
        assert!(after.policy.is_some() && after.policy != before.policy);
        // The leaves record it from the reroute on.
        let leaf = |row: &LeafRow| Leaf::read(row.leaf.as_bytes()).unwrap();
        let policies: Vec<_> = world.leaves.iter().map(|row| leaf(row).policy).collect();
        assert_ne!(policies[0], policies[1]);
        assert_eq!(policies[1], policies[2]);
        // The gate and its risk stay on the way back.
        let command = reroute(&world, "ben");
        world.check("pia", command, "held for gate:release");
        assert_eq!(world.handoff().facts.terms.policy, after.policy);
        assert_eq!(world.handoff().facts.terms.risk, RiskWord::High);
    }

    #[test]
    fn the_same_gates_on_another_edge_are_the_same_policy() {
        let mut straight = world(&json!({}));
        straight.done("ana", submit(&json!({})));
        let submitted = straight.handoff().facts.terms.policy;
        let command = reroute(&straight, "pia");
        straight.done("pia", command);
        assert_eq!(straight.handoff().facts.terms.policy, submitted);
    }

    #[test]
    fn a_contract_of_the_new_edge_only_makes_it_stricter() {
        let check = |to_cem: Value, more: Value, expected: &str, risk: RiskWord| {
            let mut world = world(&to_cem);
            world.contract(&json!({ "version": "1.1", "confidence": { "auto_progress_at": 0.6 } }));
            world.check("ana", submit(&more), "offered to ben");
            let command = reroute(&world, "cem");
            world.check("pia", command, expected);
            assert_eq!(world.handoff().facts.terms.risk, risk);
        };
        check(json!({ "risk": "medium" }), json!({}), "offered to cem", RiskWord::Medium);
        let unsure = json!({ "confidence": 0.75 });
        let limit = json!({ "confidence": { "hold_below": 0.8 } });
        check(limit, unsure, "held for confidence", RiskWord::Low);
        let asking = json!({ "confidence": 0.75, "can_intercept": true });
        let surer = json!({ "confidence": { "auto_progress_at": 0.9 } });
        check(surer, asking.clone(), "held for asked", RiskWord::Low);
        let as_sure = json!({ "confidence": { "auto_progress_at": 0.7 } });
        check(as_sure, asking, "offered to cem", RiskWord::Low);
        let manual = json!({ "trigger": { "kind": "manual" } });
        let person = json!({ "triggers": { "manual": "hold" } });
        check(person, manual, "held for trigger", RiskWord::Low);
    }

    #[test]
    fn requirements_of_a_contract_of_the_new_edge_are_added() {
        let strict = json!({
            "verify": "person", "rework": { "attempts": 0 }, "lease": { "attempts": 1 },
            "deadlines": { "claim": "2m", "progress": "10m" },
            "returns": { "require": ["changed_paths"] },
        });
        let mut world = world(&strict);
        world.contract(&json!({
            "verify": "automatic", "deadlines": { "claim": "1m", "progress": "1h" },
            "returns": { "require": ["status"] }, "fallback": [{ "to": "cem" }],
        }));
        world.check("ana", submit(&json!({})), "offered to ben");
        world.check("ben", decline(world.newest()), "offered to cem");
        let terms = world.handoff().facts.terms.clone();
        let deadlines = terms.deadlines;
        assert_eq!(deadlines.claim.unwrap().to_string(), "1m");
        assert_eq!(deadlines.progress.unwrap().to_string(), "10m");
        assert_eq!((terms.attempts, terms.reworks), (1, 0));
        assert_eq!(terms.contract.as_deref(), Some("work@1.0"));
        let revised = crate::steps::decision::testing::revise(&world, &json!({ "goal": "better" }));
        world.check("ana", revised, "offered to cem");
        world.check("cem", claim(world.newest()), "claimed by cem, fence 1");
        let shown = world.shown();
        insta::assert_snapshot!(world.refusal("cem", return_packet(shown, &json!({}))), @"
        TK-RETURN-INCOMPLETE: the return is incomplete: 1 missing
        hint: add the missing parts and return again; you still hold the claim
        /changed_paths TK-RETURN-MISSING: missing `changed_paths`, which contract `guarded@1.0` requires in a return
        ");
        let pass_on = pass_on_with(&world, &json!({ "to_agent": "pia" }));
        world.check("cem", pass_on, "refused TK-PACKET-INVALID");
        let whole = json!({ "changed_paths": ["src/"] });
        world.check("cem", return_packet(shown, &whole), "returned");
        world.check("ana", verdict(&world, world.newest(), true), "refused TK-PERSON-NEEDED");
        world.check("pia", verdict(&world, world.newest(), true), "done");
    }

    #[test]
    fn edge_rules_demand_a_person_however_the_work_gets_there() {
        let outside = json!({ "edge": [{ "to": "cem" }] });
        let words = json!({ "edge": [{ "to": "cem" }], "words": ["refund"] });
        let risk = json!({ "edge": [{ "to": "cem" }], "risk": "medium" });
        let check = |when: &Value, then: &str, more: Value, expected: &str| {
            let sent = || {
                let mut world = world(&json!({ "risk": "medium" }));
                let gate = json!([{ "trigger": ["sensitive_topic"] }]);
                world.gate(json!({ "gate": "topics", "version": "1.0", "applies": gate,
                    "factors": [{ "name": "safety", "roles": ["role:people"] }] }));
                world.rules(json!({ "rules": [{ "name": "r", "when": when, "then": then }] }));
                let mut more = more.clone();
                more["fallback"] = json!([{ "to": "cem" }, { "to": "pia" }]);
                world.check("ana", submit(&more), "offered to ben");
                world
            };
            for by in ["ana", "pia"] {
                let mut world = sent();
                let command = reroute(&world, "cem");
                world.check(by, command, expected);
            }
            let mut world = sent();
            world.check("ben", decline(world.newest()), expected);
            // Earlier demands stay on the edge to an agent.
            let command = reroute(&world, "ben");
            world.check("pia", command, &expected.replace("cem", "ben"));
        };
        let refund = json!({ "goal": "refund them" });
        check(&outside, "hold", json!({}), "held for label");
        check(&words, "hold", refund.clone(), "held for label");
        check(&words, "hold", json!({}), "offered to cem");
        check(&words, "sensitive_topic", refund, "held for label, gate:topics");
        check(&risk, "hold", json!({}), "held for label");
    }

    #[test]
    fn a_party_that_does_not_support_the_version_is_skipped() {
        let mut world = world(&json!({}));
        let other = vec!["work@2.0".to_owned()];
        world.change("cem", |party, _| party.reads = other.clone());
        let ladder = json!([{ "to": "cem" }, { "to": "role:people" }]);
        world.done("ana", submit(&json!({ "fallback": ladder })));
        let command = reroute(&world, "cem");
        insta::assert_snapshot!(world.refusal("pia", command), @"
        TK-CONTRACT-UNSUPPORTED: `cem` does not support `work@1.0`, the contract of handoff hof_1
        hint: choose a party that supports it, or submit under a version that `cem` supports
        ");
        world.check("ben", decline(world.newest()), "offered to role:people");
        let reasons: Vec<String> = world
            .leaves
            .iter()
            .filter_map(|row| {
                serde_json::from_str::<Value>(&row.detail).ok()?["reason"]
                    .as_str()
                    .map(str::to_owned)
            })
            .collect();
        assert_eq!(reasons, ["no time", "no eligible receiver for `cem`"]);
        // A role is eligible as long as one of its members supports the version.
        let role = world.id("role:team");
        assert!(is_supported_by(&world.state.directory, world.handoff(), role));
        world.change("ben", |party, _| party.reads = other.clone());
        assert!(!is_supported_by(&world.state.directory, world.handoff(), role));
    }

    #[test]
    fn every_party_supports_a_handoff_without_a_contract() {
        let mut world = World::new();
        world.change("cem", |party, _| party.reads = vec!["work@2.0".to_owned()]);
        world.done("ana", submit(&json!({})));
        let command = reroute(&world, "cem");
        world.check("pia", command, "offered to cem");
    }
}
