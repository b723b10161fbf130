//! Which contract covers an edge, whether a packet keeps it, and the terms that follow.

use std::sync::Arc;

use serde_json::json;
use tasuki_packet::contract::{Identity, Park, Verifier};
use tasuki_packet::gate::Circumstances;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::risk::risk;
use tasuki_packet::rules::RuleEffect;
use tasuki_packet::trigger::{Effect, TriggerKind};
use tasuki_packet::{Packet, Violation, canonical};

use crate::claim::is_of_same_major;
use crate::decision::hash_of_digest;
use crate::directory::{Directory, Published};
use crate::handoff::Handoff;
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::Sheet;
use crate::terms::{Judge, RiskWord, Terms};

/// From whom to whom, by their own names.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub from: String,
    pub to: String,
}

/// The contract that a packet is under.
pub(super) fn of(
    directory: &Directory,
    packet: &Packet,
    edge: &Edge,
    is_own: bool,
) -> Result<Option<Arc<Published>>, Refusal> {
    if let Some(named) = packet.text("contract") {
        return named_contract(directory, named).map(Some);
    }
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    match on_edge.as_slice() {
        [one] => {
            receiver_reads(directory, one, edge)?;
            Ok(Some(Arc::clone(one)))
        }
        [] if is_own || directory.settings.allows_edges_without_contract => Ok(None),
        [] => {
            let message =
                format!("no contract covers the edge from `{}` to `{}`", edge.from, edge.to);
            Err(Refusal::new(RefusalCode::EdgeRefused, message)
                .hint("`tasuki contract publish` adds one"))
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|published| published.compiled.contract().identity().to_string())
                .collect();
            let message = format!("several contracts cover the edge: {}", names.join(", "));
            Err(Refusal::new(RefusalCode::ContractAmbiguous, message)
                .hint("name one in the packet's `contract`"))
        }
    }
}

/// The newest version that reads a packet of the named one.
fn named_contract(directory: &Directory, named: &str) -> Result<Arc<Published>, Refusal> {
    let unknown = |hint: String| {
        Err(Refusal::new(RefusalCode::ContractUnknown, format!("there is no contract `{named}`"))
            .hint(hint))
    };
    let Ok(identity) = named.parse::<Identity>() else {
        return unknown("a contract is named `name@major.minor`".to_owned());
    };
    if let Some(exact) = directory.contract(&identity) {
        return Ok(Arc::clone(exact));
    }
    let versions = directory.versions(&identity.name);
    let reads = |published: &&Arc<Published>| {
        let contract = published.compiled.contract();
        contract.reads(identity.version) || contract.convert_from.contains_key(&identity.version)
    };
    if let Some(newer) = versions.iter().rev().find(reads) {
        return Ok(Arc::clone(newer));
    }
    let known: Vec<String> = versions
        .iter()
        .map(|published| published.compiled.contract().identity().to_string())
        .collect();
    match known.is_empty() {
        true => unknown("`tasuki contract publish FILE` publishes one".to_owned()),
        false => unknown(format!("published are {}", known.join(", "))),
    }
}

/// A receiver that says which versions it reads is not sent another one.
fn receiver_reads(
    directory: &Directory,
    published: &Published,
    edge: &Edge,
) -> Result<(), Refusal> {
    let Ok(receiver) = directory.find(&edge.to) else { return Ok(()) };
    let identity = published.compiled.contract().identity().to_string();
    let is_read = receiver.reads.is_empty()
        || receiver.reads.iter().any(|read| is_of_same_major(read, &identity));
    if is_read {
        return Ok(());
    }
    let message = format!("`{}` reads {}, not `{identity}`", edge.to, receiver.reads.join(", "));
    Err(Refusal::new(RefusalCode::VersionUnread, message)
        .hint("name a version that it reads in the packet's `contract`"))
}

/// Everything about a packet that breaks its contract, parties called by their own names.
pub(super) fn check(
    directory: &Directory,
    published: &Published,
    packet: &Packet,
    edge: &Edge,
) -> Vec<Violation> {
    let mut members = packet.members().clone();
    members.insert("from_agent".to_owned(), json!(edge.from));
    members.insert("to_agent".to_owned(), json!(edge.to));
    let named = Packet::new(members);
    published.compiled.check_with_members(&named, &|party, role| directory.is_member(party, role))
}

/// The terms of a packet on its edge. The sheet learns which rules demand a person.
pub(super) fn terms(
    directory: &Directory,
    contract: Option<&Published>,
    packet: &Packet,
    sheet: &mut Sheet,
    edge: &Edge,
) -> Result<Terms, Refusal> {
    let settings = &directory.settings;
    let stated = contract.map(|published| published.compiled.contract());
    let mut terms = match stated {
        Some(contract) => Terms::of_contract(contract, settings),
        None => Terms::without_contract(settings),
    };
    if let Some(contract) = stated {
        terms.parks_with_same = contract.park == Park::Same;
        terms.verify = match contract.verify {
            Verifier::Automatic => Judge::Automatic,
            Verifier::Sender => Judge::Sender,
            Verifier::Person => Judge::Person,
        };
    }
    terms.gates = gates(directory, stated.map_or(&[], |contract| &contract.gates), sheet, edge)?;
    let trigger = sheet.trigger_kind();
    terms.effect = trigger.map_or(Effect::Offer, |kind| effect(directory, stated, kind));
    if terms.effect == Effect::Verify {
        terms.asks_return = true;
    }
    let stated_risk = stated.and_then(|contract| contract.risk);
    let classification = sheet.classification.as_deref();
    let has_gate = !terms.gates.is_empty();
    let mut at_stake = risk(trigger, has_gate, classification, sheet.confidence, stated_risk);
    if let Some(rules) = &directory.rules {
        let regulations = regulations(sheet);
        let circumstances = circumstances(sheet, &regulations, edge);
        let is_member = |party: &str, role: &str| directory.is_member(party, role);
        let demands = rules.compiled.demands(packet, &circumstances, at_stake, &is_member);
        if demands.iter().any(|demand| demand.effect == RuleEffect::SensitiveTopic) {
            at_stake = at_stake.max(tasuki_packet::contract::Risk::High);
        }
        sheet.demands = demands.into_iter().map(|demand| demand.rule).collect();
    }
    terms.risk = RiskWord::from(at_stake);
    terms.policy = policy(contract, &terms.gates);
    Ok(terms)
}

/// What a trigger does: by the contract, else by the project, else by default.
fn effect(
    directory: &Directory,
    contract: Option<&tasuki_packet::contract::Contract>,
    kind: TriggerKind,
) -> Effect {
    let of_contract = contract.and_then(|contract| contract.triggers.get(&kind).copied());
    let of_project = || directory.rules.as_ref().map(|rules| rules.stated.effect_of(kind));
    of_contract.or_else(of_project).unwrap_or_else(|| kind.default_effect())
}

/// Digests of the gates that must be signed: named by contract or packet, or applying by themselves.
fn gates(
    directory: &Directory,
    by_contract: &[String],
    sheet: &Sheet,
    edge: &Edge,
) -> Result<Vec<String>, Refusal> {
    let mut digests = Vec::new();
    for name in by_contract.iter().chain(&sheet.gates) {
        let Some((digest, _)) = directory.newest_gate(name) else {
            return Err(Refusal::new(
                RefusalCode::GateUnknown,
                format!("there is no gate `{name}`"),
            )
            .hint("publish its document: `tasuki gate publish FILE`"));
        };
        if !digests.iter().any(|known| known == digest) {
            digests.push(digest.to_owned());
        }
    }
    for digest in applying(directory, sheet, edge) {
        if !digests.contains(&digest) {
            digests.push(digest);
        }
    }
    Ok(digests)
}

fn applying(directory: &Directory, sheet: &Sheet, edge: &Edge) -> Vec<String> {
    let regulations = regulations(sheet);
    let circumstances = circumstances(sheet, &regulations, edge);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    let applies = directory.gates().filter(|(_, gate)| gate.applies_to(&circumstances, &is_member));
    applies.map(|(digest, _)| digest.to_owned()).collect()
}

/// Digests of the gates that apply by themselves when a handoff takes another route.
pub fn gates_on(directory: &Directory, handoff: &Handoff, to: PartyId) -> Vec<String> {
    let edge = Edge { from: directory.name(handoff.facts.sender), to: directory.name(to) };
    applying(directory, &handoff.facts.sheet, &edge)
}

fn regulations(sheet: &Sheet) -> Vec<(&str, &str)> {
    sheet.regulations.iter().map(|(scheme, place)| (scheme.as_str(), place.as_str())).collect()
}

fn circumstances<'a>(
    sheet: &'a Sheet,
    regulations: &'a [(&'a str, &'a str)],
    edge: &'a Edge,
) -> Circumstances<'a> {
    Circumstances {
        classification: sheet.classification.as_deref(),
        regulations,
        trigger: sheet.trigger.as_deref(),
        from: &edge.from,
        to: &edge.to,
    }
}

/// The hash over contract and gates that leaves name.
fn policy(contract: Option<&Published>, gates: &[String]) -> Option<Hash> {
    if contract.is_none() && gates.is_empty() {
        return None;
    }
    let stated = json!({ "contract": contract.map(|published| &published.digest), "gates": gates });
    Some(hash_of_digest(&canonical::digest(&stated)))
}
