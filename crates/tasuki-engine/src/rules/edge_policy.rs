//! The policy of an edge: the gates that apply, the rules that require a person, and the risk.
//!
//! It is evaluated at submit, and again when the edge or the stated facts of the work change. The
//! packet summary holds everything it needs, so no packet is read again.
//!
//! Edge gates and edge rules are evaluated for every author of the packet as sender, and for every
//! member of the receiving role as receiver.

use std::cell::LazyCell;
use std::sync::Arc;

use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::contract::{Contract, Risk};
use tasuki_packet::policy::gate::{Conditions, Gate, GateContext};
use tasuki_packet::policy::risk::risk;
use tasuki_packet::policy::rules::{CompiledRules, RuleEffect, RuleMatch, RuleVariant};
use tasuki_packet::policy::trigger::{Effect, TriggerKind};

use crate::model::handoff::push_new;
use crate::model::{Directory, Facts, Handoff, PacketSummary, Published, RiskWord, terms};

/// The names of sender and receiver, with the parties behind them.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The sender.
    pub from: String,
    /// The receiver: a party or a role.
    pub to: String,
    /// The authors of the packet, who may have written it on the sender's behalf.
    pub writers: Vec<PartyId>,
    /// The members of the receiving role.
    pub members: Vec<PartyId>,
}

impl Edge {
    /// Returns the edge from the sender of a handoff to a party.
    pub fn to(directory: &Directory, facts: &Facts, party: PartyId) -> Self {
        Self {
            from: directory.name(facts.sender),
            to: directory.name(party),
            writers: facts.contributors.clone(),
            members: directory.party(party).map_or_else(Vec::new, |party| party.members.clone()),
        }
    }

    /// Returns every other pair of names: author or sender to member or receiver.
    fn behind(&self, directory: &Directory) -> Vec<(String, String)> {
        let names = |own: &str, behind: &[PartyId]| {
            let mut names = vec![own.to_owned()];
            push_new(&mut names, behind.iter().map(|party| directory.name(*party)));
            names
        };
        let (from, to) = (names(&self.from, &self.writers), names(&self.to, &self.members));
        let to_all = |from: String| to.iter().map(move |to| (from.clone(), to.clone()));
        from.into_iter().flat_map(to_all).skip(1).collect()
    }
}

/// Returns the digests of the gates whose conditions match.
pub fn gates(directory: &Directory, summary: &PacketSummary, edge: &Edge) -> Vec<String> {
    let regulations = regulations(summary);
    let stated = gate_context(summary, &regulations, &edge.from, &edge.to);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    let behind = LazyCell::new(|| edge.behind(directory));
    let applies = |gate: &Gate| {
        let is_asked_behind = || gate.applies.iter().any(is_by_edge);
        let applies_behind = |(from, to): &(String, String)| {
            gate.applies_to(&GateContext { from, to, ..stated }, &is_member)
        };
        gate.applies_to(&stated, &is_member)
            || is_asked_behind() && behind.iter().any(applies_behind)
    };
    let applying = directory.gates().filter(|(_, gate)| applies(gate));
    applying.map(|(digest, _)| digest.to_owned()).collect()
}

/// Returns the matches of the project's rules that require a person.
pub fn demands(
    directory: &Directory,
    summary: &PacketSummary,
    edge: &Edge,
    at_stake: Risk,
) -> Vec<RuleMatch> {
    applying(directory, summary, edge, |rules, context, is_member| {
        rules.demands_of(&summary.found, context, at_stake, is_member)
    })
}

/// Returns the variants that the project's rules require of a packet.
pub fn variants(
    directory: &Directory,
    summary: &PacketSummary,
    edge: &Edge,
    at_stake: Risk,
) -> Vec<RuleVariant> {
    applying(directory, summary, edge, |rules, context, is_member| {
        rules.variants_of(&summary.found, context, at_stake, is_member)
    })
}

/// Evaluates the rules for sender and receiver, and for all parties behind them.
fn applying<T: PartialEq>(
    directory: &Directory,
    summary: &PacketSummary,
    edge: &Edge,
    evaluate: impl Fn(&CompiledRules, &GateContext<'_>, &dyn Fn(&str, &str) -> bool) -> Vec<T>,
) -> Vec<T> {
    let Some(rules) = &directory.rules else { return Vec::new() };
    let regulations = regulations(summary);
    let stated = gate_context(summary, &regulations, &edge.from, &edge.to);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    let mut found = evaluate(&rules.compiled, &stated, &is_member);
    if rules.stated.entries.iter().any(|rule| is_by_edge(&rule.when.conditions)) {
        for (from, to) in edge.behind(directory) {
            let context = GateContext { from: &from, to: &to, ..stated };
            let more = evaluate(&rules.compiled, &context, &is_member);
            found.extend(more.into_iter().filter(|one| !found.contains(one)).collect::<Vec<_>>());
        }
    }
    found
}

/// The rules that apply to an action which waits for approval, and the risk of approving it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionPolicy {
    /// The names of the rules.
    pub rules: Vec<String>,
    /// The risk; at least medium, because the holder asks before it acts.
    pub risk: RiskWord,
}

/// Returns the policy for an action of a holder in which the words or patterns of `found` occur.
pub fn of_action(directory: &Directory, handoff: &Handoff, found: &[String]) -> ActionPolicy {
    let facts = &handoff.facts;
    let edge = Edge::to(directory, facts, facts.receiver);
    let mut summary = facts.summary.clone();
    push_new(&mut summary.found, found.iter().cloned());
    let mut risk = facts.terms.risk.max(RiskWord::Medium);
    let is_sensitive = |one: &RuleMatch| one.effect == RuleEffect::SensitiveTopic;
    if demands(directory, &summary, &edge, risk.into()).iter().any(is_sensitive) {
        risk = RiskWord::High;
    }
    // A rule may apply because of the risk that another one raised.
    let matches = demands(directory, &summary, &edge, risk.into());
    ActionPolicy { rules: matches.into_iter().map(|one| one.rule).collect(), risk }
}

/// Returns the gates and rule matches that apply to a member but not to its role. The rest was
/// evaluated for all members when the work was offered to the role.
pub fn asked_for_member(
    directory: &Directory,
    handoff: &Handoff,
    member: PartyId,
) -> (Vec<String>, Vec<RuleMatch>) {
    if directory.rules.is_none() && directory.gates().next().is_none() {
        return Default::default();
    }
    let facts = &handoff.facts;
    let to_member = Edge::to(directory, facts, member);
    let to_role = Edge { members: Vec::new(), ..Edge::to(directory, facts, facts.receiver) };
    let (mut gates_found, mut demands_found) = (Vec::new(), Vec::new());
    for summary in handoff.said() {
        let of_role = gates(directory, &summary, &to_role);
        let of_member = gates(directory, &summary, &to_member);
        gates_found.extend(of_member.into_iter().filter(|gate| !of_role.contains(gate)));
        let of_role = demands(directory, &summary, &to_role, facts.terms.risk.into());
        let of_member = demands(directory, &summary, &to_member, facts.terms.risk.into());
        demands_found.extend(of_member.into_iter().filter(|demand| !of_role.contains(demand)));
    }
    (gates_found, demands_found)
}

fn is_by_edge(conditions: &Conditions) -> bool {
    !conditions.edge.is_empty()
}

/// Returns the effect of a trigger: the contract's, else the project's, else the default.
pub fn effect(directory: &Directory, contract: Option<&Contract>, kind: TriggerKind) -> Effect {
    let of_contract = contract.and_then(|contract| contract.triggers.get(&kind).copied());
    let of_project = || directory.rules.as_ref().map(|rules| rules.stated.effect_of(kind));
    of_contract.or_else(of_project).unwrap_or_else(|| kind.default_effect())
}

/// Returns `true` if a person has to decide about a handoff once this trigger is stated.
pub fn holds(directory: &Directory, facts: &Facts, kind: TriggerKind) -> bool {
    let own = directory.contract_of(&facts.terms).map(|own| own.compiled.contract());
    let edge = Edge::to(directory, facts, facts.receiver);
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    let asks = |contract: &Contract| contract.triggers.get(&kind) == Some(&Effect::Hold);
    effect(directory, own, kind) == Effect::Hold
        || facts.receiver != facts.first_receiver
            && on_edge.iter().any(|published| asks(published.compiled.contract()))
}

/// Returns the names of the project's rules whose words or patterns occur in a packet.
pub fn found_in(directory: &Directory, packet: &Packet) -> Vec<String> {
    directory.rules.as_ref().map_or_else(Vec::new, |rules| rules.compiled.found_in(packet))
}

/// Returns the names of the project's rules whose words or patterns occur in an action.
pub fn found_in_action(directory: &Directory, action: &Value) -> Vec<String> {
    directory.rules.as_ref().map_or_else(Vec::new, |rules| rules.compiled.found_in_value(action))
}

/// Returns the risk of a wrong handoff.
pub fn stake(summary: &PacketSummary, gates: &[String], contract: Option<&Contract>) -> Risk {
    risk(
        summary.trigger_kind(),
        !gates.is_empty(),
        summary.classification.as_deref(),
        summary.confidence,
        contract.and_then(|contract| contract.risk),
    )
}

fn regulations(summary: &PacketSummary) -> Vec<(&str, &str)> {
    summary.regulations.iter().map(|(scheme, place)| (scheme.as_str(), place.as_str())).collect()
}

fn gate_context<'a>(
    summary: &'a PacketSummary,
    regulations: &'a [(&'a str, &'a str)],
    from: &'a str,
    to: &'a str,
) -> GateContext<'a> {
    GateContext {
        classification: summary.classification.as_deref(),
        regulations,
        trigger: summary.trigger.as_deref(),
        from,
        to,
    }
}

/// Recomputes risk and policy after a handoff was rerouted. The policy is made of the handoff's own
/// contract and all its gates. Contracts of the new edge may raise the risk.
pub fn recompute_policy(directory: &Directory, facts: &mut Facts, on_edge: &[&Contract]) {
    let own = directory.contract_of(&facts.terms).map(Arc::as_ref);
    let contracts = own.map(|own| own.compiled.contract()).into_iter();
    let stakes = contracts.chain(on_edge.iter().copied()).map(Some).chain([None]);
    let stakes = stakes.map(|one| RiskWord::from(stake(&facts.summary, &facts.terms.gates, one)));
    let risk = stakes.fold(facts.terms.risk, RiskWord::max);
    facts.terms.policy = policy(own, &facts.terms.gates);
    facts.terms.risk = risk;
}

/// Returns the hash over contract and gates that leaves record.
pub(crate) fn policy(contract: Option<&Published>, gates: &[String]) -> Option<Hash> {
    match (contract, gates) {
        (None, []) => None,
        (Some(contract), []) => Some(contract.policy),
        (contract, gates) => Some(terms::policy(contract.map(|own| own.digest.as_str()), gates)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::model::PartyKind;
    use crate::testing::{World, claim, submit};

    /// Returns a world with `dan`, and with `ben` and `dan` in `role:team`.
    fn team() -> World {
        let mut world = World::new();
        world.add("dan", PartyKind::Agent);
        world.change("role:team", |party, id| party.members = vec![id("ben"), id("dan")]);
        world
    }

    /// Returns a world with a gate on this edge, and one with a rule on it.
    fn guarded(edge: &Value) -> [(World, &'static str); 2] {
        let (mut gated, mut ruled) = (team(), team());
        gated.gate(json!({
            "gate": "way", "version": "1.0", "applies": [{ "edge": [edge] }],
            "factors": [{ "name": "eyes", "roles": ["role:people"] }],
        }));
        let when = json!({ "edge": [edge] });
        ruled.rules(json!({ "rules": [{ "name": "way", "when": when, "then": "hold" }] }));
        [(gated, "held for gate:way"), (ruled, "held for label")]
    }

    #[test]
    fn a_role_does_not_bypass_a_gate_or_a_rule_for_its_members() {
        for (mut world, held) in guarded(&json!({ "to": "dan" })) {
            world.check("ana", submit(&json!({ "to_agent": "role:team" })), held);
            world.advance(1);
            let other = json!({ "to_agent": "ben", "task_id": "other" });
            world.check("ana", submit(&other), "offered to ben");
        }
    }

    #[test]
    fn another_sender_name_does_not_bypass_a_gate_or_a_rule_for_the_author() {
        for (mut world, held) in guarded(&json!({ "from": "ben" })) {
            world.change("ben", |party, id| party.sends_for = vec![id("ana")]);
            let as_role = json!({ "from_agent": "role:team", "to_agent": "cem", "task_id": "a" });
            world.check("ben", submit(&as_role), held);
            world.advance(1);
            let as_other = json!({ "from_agent": "ana", "to_agent": "cem", "task_id": "b" });
            world.check("ben", submit(&as_other), held);
            world.advance(1);
            let own = json!({ "to_agent": "cem", "task_id": "c" });
            world.check("ana", submit(&own), "offered to cem");
        }
    }

    #[test]
    fn a_later_member_of_the_role_does_not_bypass_a_gate_or_a_rule() {
        for (mut world, _) in guarded(&json!({ "to": "dan" })) {
            world.change("role:team", |party, id| party.members = vec![id("ben"), id("cem")]);
            let sent = submit(&json!({ "to_agent": "role:team" }));
            world.check("ana", sent, "offered to role:team");
            world.change("role:team", |party, id| party.members.push(id("dan")));
            let is_gated = world.state.directory.rules.is_none();
            let expected = if is_gated { "TK-GATE-UNSIGNED" } else { "TK-PERSON-NEEDED" };
            let id = world.newest();
            let refusal = world.refusal("dan", claim(id));
            assert!(refusal.starts_with(expected), "{refusal}");
            let hint = "hint: ask a person to send it to you with `tasuki reroute";
            assert!(refusal.contains(hint), "{refusal}");
            world.check("cem", claim(id), "claimed by cem, fence 1");
        }
    }

    #[test]
    fn an_acceptance_for_a_role_counts_for_every_member_it_had() {
        let [_, (mut world, held)] = guarded(&json!({ "to": "dan" }));
        world.check("ana", submit(&json!({ "to_agent": "role:team" })), held);
        let accept = crate::steps::decision::testing::accept(&world);
        world.check("pia", accept, "offered to role:team");
        let id = world.newest();
        world.check("dan", claim(id), "claimed by dan, fence 1");
    }
}
