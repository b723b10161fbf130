//! Work on its edge: which gates apply to it, which rules of the project demand a person, and what is
//! at stake.
//!
//! Asked at submit, and again wherever the edge or what was said of the work changes. All of it follows
//! from the sheet, so that no packet is opened again.

use tasuki_packet::Packet;
use tasuki_packet::contract::{Contract, Risk};
use tasuki_packet::gate::Circumstances;
use tasuki_packet::id::PartyId;
use tasuki_packet::risk::risk;
use tasuki_packet::rules::Demand;
use tasuki_packet::trigger::{Effect, TriggerKind};

use crate::directory::Directory;
use crate::handoff::Facts;
use crate::sheet::Sheet;

/// From whom to whom, by their own names.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The sender.
    pub from: String,
    /// The receiver: a party or a role.
    pub to: String,
}

impl Edge {
    /// The edge from the sender of a handoff to a party.
    pub fn to(directory: &Directory, facts: &Facts, party: PartyId) -> Self {
        Self { from: directory.name(facts.sender), to: directory.name(party) }
    }
}

/// Digests of the gates that apply by themselves.
pub fn gates(directory: &Directory, sheet: &Sheet, edge: &Edge) -> Vec<String> {
    let regulations = regulations(sheet);
    let circumstances = circumstances(sheet, &regulations, edge);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    let applies = directory.gates().filter(|(_, gate)| gate.applies_to(&circumstances, &is_member));
    applies.map(|(digest, _)| digest.to_owned()).collect()
}

/// What the rules of the project demand.
pub fn demands(directory: &Directory, sheet: &Sheet, edge: &Edge, at_stake: Risk) -> Vec<Demand> {
    let Some(rules) = &directory.rules else { return Vec::new() };
    let regulations = regulations(sheet);
    let circumstances = circumstances(sheet, &regulations, edge);
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    rules.compiled.demands_of(&sheet.found, &circumstances, at_stake, &is_member)
}

/// What a trigger does: by the contract, else by the project, else by default.
pub fn effect(directory: &Directory, contract: Option<&Contract>, kind: TriggerKind) -> Effect {
    let of_contract = contract.and_then(|contract| contract.triggers.get(&kind).copied());
    let of_project = || directory.rules.as_ref().map(|rules| rules.stated.effect_of(kind));
    of_contract.or_else(of_project).unwrap_or_else(|| kind.default_effect())
}

/// Whether a person has to look at a handoff of which somebody states this trigger now.
pub fn holds(directory: &Directory, facts: &Facts, kind: TriggerKind) -> bool {
    let own = directory.contract_of(&facts.terms).map(|own| own.compiled.contract());
    let edge = Edge::to(directory, facts, facts.receiver);
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    let asks = |contract: &Contract| contract.triggers.get(&kind) == Some(&Effect::Hold);
    effect(directory, own, kind) == Effect::Hold
        || facts.receiver != facts.first_receiver
            && on_edge.iter().any(|published| asks(published.compiled.contract()))
}

/// The rules of the project whose words or patterns are in a packet, by name.
pub fn found_in(directory: &Directory, packet: &Packet) -> Vec<String> {
    directory.rules.as_ref().map_or_else(Vec::new, |rules| rules.compiled.found_in(packet))
}

/// What a wrong handoff would cost.
pub fn stake(sheet: &Sheet, gates: &[String], contract: Option<&Contract>) -> Risk {
    risk(
        sheet.trigger_kind(),
        !gates.is_empty(),
        sheet.classification.as_deref(),
        sheet.confidence,
        contract.and_then(|contract| contract.risk),
    )
}

/// Adds what is not there yet.
pub fn push_new(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for entry in more {
        if !list.contains(&entry) {
            list.push(entry);
        }
    }
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
