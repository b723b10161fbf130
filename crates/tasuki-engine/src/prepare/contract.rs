//! Which contract covers an edge, whether a packet keeps it, and the terms that follow.

use std::sync::Arc;

use serde_json::json;
use tasuki_packet::contract::{Contract, Identity, Park, Risk, Verifier};
use tasuki_packet::gate::Circumstances;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::risk::risk;
use tasuki_packet::rules::{Demand, RuleEffect};
use tasuki_packet::trigger::{Effect, TriggerKind};
use tasuki_packet::{Code, Packet, Violation, canonical};

use super::background::Background;
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
        return named_contract(directory, named, edge).map(Some);
    }
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    match on_edge.as_slice() {
        [newest] => newest_read(directory, newest, edge).map(Some),
        [] if is_own || directory.settings.allows_edges_without_contract => Ok(None),
        [] => {
            let message =
                format!("no contract covers the edge from `{}` to `{}`", edge.from, edge.to);
            Err(Refusal::new(RefusalCode::EdgeRefused, message)
                .hint("`tasuki contract publish FILE` adds one that does"))
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|published| format!("`{}`", published.compiled.contract().identity()))
                .collect();
            let message = format!(
                "several contracts cover the edge from `{}` to `{}`: {}",
                edge.from,
                edge.to,
                names.join(", ")
            );
            Err(Refusal::new(RefusalCode::ContractAmbiguous, message)
                .hint("name one in the packet's `contract`"))
        }
    }
}

/// The newest version on the edge that the receiver reads.
fn newest_read(
    directory: &Directory,
    newest: &Published,
    edge: &Edge,
) -> Result<Arc<Published>, Refusal> {
    let versions = directory.versions(&newest.compiled.contract().name);
    let fits = |published: &&Arc<Published>| {
        reads(directory, published, edge)
            && directory.covers(published.compiled.contract(), &edge.from, &edge.to)
    };
    let found = versions.iter().rev().find(fits).map(Arc::clone);
    found.ok_or_else(|| unread(directory, versions, edge))
}

/// The named version if the receiver reads it, else the newest that it reads and that takes such a
/// packet.
fn named_contract(
    directory: &Directory,
    named: &str,
    edge: &Edge,
) -> Result<Arc<Published>, Refusal> {
    let unknown = |hint: String| {
        Err(Refusal::new(RefusalCode::ContractUnknown, format!("there is no contract `{named}`"))
            .hint(hint))
    };
    let Ok(identity) = named.parse::<Identity>() else {
        return unknown("a contract is named `name@major.minor`".to_owned());
    };
    let versions = directory.versions(&identity.name);
    let takes = |published: &&Arc<Published>| {
        let contract = published.compiled.contract();
        contract.version == identity.version
            || contract.reads(identity.version)
            || contract.convert_from.contains_key(&identity.version)
    };
    let taking: Vec<Arc<Published>> = versions.iter().filter(takes).map(Arc::clone).collect();
    let is_read = |published: &&Arc<Published>| reads(directory, published, edge);
    let exact = directory.contract(&identity).filter(is_read);
    if let Some(found) = exact.or_else(|| taking.iter().rev().find(is_read)) {
        return Ok(Arc::clone(found));
    }
    match (taking.is_empty(), versions.is_empty()) {
        (false, _) => Err(unread(directory, &taking, edge)),
        (true, true) => unknown("`tasuki contract publish FILE` publishes one".to_owned()),
        (true, false) => unknown(format!("published are {}", listed(versions))),
    }
}

/// Whether the receiver reads a version. One that says nothing reads all.
fn reads(directory: &Directory, published: &Published, edge: &Edge) -> bool {
    let identity = published.compiled.contract().identity().to_string();
    directory.find(&edge.to).map_or(true, |receiver| {
        receiver.reads.is_empty()
            || receiver.reads.iter().any(|read| is_of_same_major(read, &identity))
    })
}

/// The refusal that names both lists: what the receiver reads, and what there is.
fn unread(directory: &Directory, versions: &[Arc<Published>], edge: &Edge) -> Refusal {
    let reads = directory.find(&edge.to).map_or(String::new(), |party| party.reads.join("`, `"));
    let message = format!("`{}` reads `{reads}`, not {}", edge.to, listed(versions));
    Refusal::new(RefusalCode::VersionUnread, message)
        .hint("publish a version that it reads and that converts from this one")
}

fn listed(versions: &[Arc<Published>]) -> String {
    let names: Vec<String> = versions
        .iter()
        .map(|published| format!("`{}`", published.compiled.contract().identity()))
        .collect();
    names.join(", ")
}

/// What the contract of the work asks to be returned, where packet and contract of the next hop no
/// longer do.
pub(super) fn owed_returns(
    background: &Background,
    packet: &Packet,
    contract: Option<&Published>,
) -> Vec<Violation> {
    let parent = background.handoff.as_ref();
    let parent = parent.and_then(|parent| parent.facts.terms.contract.as_deref()?.parse().ok());
    let parent = parent.and_then(|identity: Identity| background.directory.contract(&identity));
    let Some(parent) = parent else { return Vec::new() };
    let still = contract.map_or(&[][..], |own| &own.compiled.contract().returns.require);
    let is_carried = |field: &str| still.iter().any(|one| one == field) || asks_for(packet, field);
    let dropped = |field: &String| {
        let message =
            format!("`return_required` drops `{field}`, which the contract of the work asks for");
        Violation::new(Code::OwedDropped, "/return_required", message)
            .allowed(field.clone())
            .hint("carry it along: whoever has the work owes it")
    };
    let owed = &parent.compiled.contract().returns.require;
    owed.iter().filter(|field| !is_carried(field)).map(dropped).collect()
}

fn asks_for(packet: &Packet, field: &str) -> bool {
    packet.items("return_required").any(|item| item.text == field)
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
    kept: &[String],
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
    let trigger = sheet.trigger_kind();
    terms.effect = trigger.map_or(Effect::Offer, |kind| effect(directory, stated, kind));
    terms.asks_return |= terms.effect == Effect::Verify;
    let by_contract = stated.map_or(&[][..], |contract| &contract.gates);
    let mut gates = gates(directory, by_contract, sheet, edge, kept)?;
    let at_stake = stake(sheet, &gates, stated);
    let demands = demands(directory, packet, sheet, edge, at_stake);
    if demands.iter().any(|demand| demand.effect == RuleEffect::SensitiveTopic) {
        // As if the sender had said so: gates for that trigger apply, and the risk is its risk.
        sheet.trigger = Some(TriggerKind::SensitiveTopic.as_str().to_owned());
        push_new(&mut gates, applying(directory, sheet, edge));
    }
    sheet.demands = demands.into_iter().map(|demand| demand.rule).collect();
    terms.risk = RiskWord::from(stake(sheet, &gates, stated));
    terms.policy = policy(contract, &gates);
    terms.gates = gates;
    Ok(terms)
}

fn stake(sheet: &Sheet, gates: &[String], contract: Option<&Contract>) -> Risk {
    risk(
        sheet.trigger_kind(),
        !gates.is_empty(),
        sheet.classification.as_deref(),
        sheet.confidence,
        contract.and_then(|contract| contract.risk),
    )
}

/// What the rules of the project demand for this packet.
fn demands(
    directory: &Directory,
    packet: &Packet,
    sheet: &Sheet,
    edge: &Edge,
    at_stake: Risk,
) -> Vec<Demand> {
    let Some(rules) = &directory.rules else { return Vec::new() };
    let regulations = regulations(sheet);
    let circumstances = circumstances(sheet, &regulations, edge);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    rules.compiled.demands(packet, &circumstances, at_stake, &is_member)
}

/// What a trigger does: by the contract, else by the project, else by default.
fn effect(directory: &Directory, contract: Option<&Contract>, kind: TriggerKind) -> Effect {
    let of_contract = contract.and_then(|contract| contract.triggers.get(&kind).copied());
    let of_project = || directory.rules.as_ref().map(|rules| rules.stated.effect_of(kind));
    of_contract.or_else(of_project).unwrap_or_else(|| kind.default_effect())
}

/// Digests of the gates that must be signed: named by contract or packet, applying by themselves,
/// or kept from the revision before.
fn gates(
    directory: &Directory,
    by_contract: &[String],
    sheet: &Sheet,
    edge: &Edge,
    kept: &[String],
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
        push_new(&mut digests, [digest.to_owned()]);
    }
    push_new(&mut digests, applying(directory, sheet, edge));
    push_new(&mut digests, kept.iter().cloned());
    Ok(digests)
}

fn push_new(digests: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for digest in more {
        if !digests.contains(&digest) {
            digests.push(digest);
        }
    }
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
