//! Parties, contracts, gates, rules and settings come into the project.
//!
//! A version of a contract or a gate is immutable: publishing the same again changes nothing, and
//! publishing another content under the same version is refused.

use tasuki_packet::contract::{Identity, PartyName};
use tasuki_packet::gate::Gate;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;
use tasuki_packet::rules::Rules;

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::decision::hash_of_digest;
use crate::directory::{ContractRecord, GateRecord, Published, Record, RulesRecord, Settings};
use crate::party::{Party, PartyKind};
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A party to be added or changed. What is not said stays as it is.
#[derive(Debug, Clone, Default)]
pub struct AddParty {
    /// Its name.
    pub name: String,
    /// What it is; an agent if nothing is said and it is new.
    pub kind: Option<PartyKind>,
    /// Other names, added to those it has.
    pub aliases: Vec<String>,
    /// Names of members, added to those a role has.
    pub members: Vec<String>,
    /// Names of members to be taken out of a role.
    pub without_members: Vec<String>,
    /// Skills, added to those it has.
    pub skills: Vec<String>,
    /// Contract versions it reads, in place of those it has.
    pub reads: Option<Vec<String>>,
    /// What it may do at most, in place of what it has.
    pub authority: Option<Vec<String>>,
    /// Names of parties it may send for, added to those it has.
    pub sends_for: Vec<String>,
}

/// Decides that a party is added or changed.
pub fn add_party(context: &Context<'_>, request: &AddParty) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let directory = &context.state.directory;
    let known = directory.parties().into_iter().find(|party| party.name == request.name);
    let mut change = Change::default();
    let mut party = match known {
        Some(party) => party.clone(),
        None => new_party(context, &request.name, request.kind)?,
    };
    let before = known.cloned();
    if let Some(kind) = request.kind {
        must_fit(&party.name, kind)?;
        party.kind = kind;
    }
    for alias in &request.aliases {
        free(context, alias, party.id)?;
        add(&mut party.aliases, alias.clone());
    }
    if !request.members.is_empty() && party.kind != PartyKind::Role {
        let message = format!("`{}` is no role, so it has no members", party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("roles are called `role:{}`", party.name)));
    }
    for name in &request.members {
        let member = named(context, name, &mut change)?;
        add(&mut party.members, member);
    }
    for name in &request.without_members {
        let member = directory.find(name)?.id;
        party.members.retain(|one| *one != member);
    }
    for name in &request.sends_for {
        let other = named(context, name, &mut change)?;
        add(&mut party.sends_for, other);
    }
    request.skills.iter().for_each(|skill| add(&mut party.skills, skill.clone()));
    if let Some(reads) = &request.reads {
        party.reads.clone_from(reads);
    }
    if let Some(authority) = &request.authority {
        party.authority = Some(authority.clone());
    }
    put(context, party, before.as_ref(), &mut change);
    Ok(change)
}

fn put(context: &Context<'_>, party: Party, before: Option<&Party>, change: &mut Change) {
    change.answer.party = Some(view::party(&context.state.directory, &party));
    if before == Some(&party) {
        change.answer.repeated = true;
        return;
    }
    let kind = if before.is_none() { EventType::PartyAdded } else { EventType::PartyChanged };
    change
        .happened_here(kind, context.actor())
        .with("party", party.id)
        .with("kind", party.kind.as_str());
    change.records.push(Record::Party(party));
}

/// Adds a party that a packet names for the first time.
pub fn on_first_use(context: &Context<'_>, name: &str, change: &mut Change) -> PartyId {
    let id: PartyId = context.draw.id(&format!("party {name}"), context.now);
    let plain = plain(name);
    let kind = if plain.starts_with("role:") { PartyKind::Role } else { PartyKind::Agent };
    let mut party = Party::new(id, plain.clone(), kind);
    if plain != name {
        party.aliases.push(name.to_owned());
    }
    change
        .happened_here(EventType::PartyAdded, context.actor())
        .with("party", id)
        .with("kind", kind.as_str());
    change.answer.registered.push(plain);
    change.records.push(Record::Party(party));
    id
}

/// The name that a party gets whose name in a packet is no name of a party.
pub fn plain(name: &str) -> String {
    let (role, rest) = match name.strip_prefix("role:") {
        Some(rest) => ("role:", rest),
        None => ("", name),
    };
    let letters = rest.trim().to_lowercase();
    let letters: String = letters
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .collect();
    let letters = letters.trim_matches(|c| matches!(c, '-' | '.' | '_'));
    let short: String = letters.chars().take(63).collect();
    format!("{role}{short}")
}

fn new_party(context: &Context<'_>, name: &str, kind: Option<PartyKind>) -> Result<Party, Refusal> {
    if let Err(form) = name.parse::<PartyName>() {
        return Err(Refusal::new(
            RefusalCode::ArgumentInvalid,
            format!("`{name}` is no name: {form}"),
        )
        .hint(format!("call it `{}`, and give it the alias", plain(name))));
    }
    let id = context.draw.id("party", context.now);
    free(context, name, id)?;
    let usual = if name.starts_with("role:") { PartyKind::Role } else { PartyKind::Agent };
    let kind = kind.unwrap_or(usual);
    must_fit(name, kind)?;
    Ok(Party::new(id, name, kind))
}

fn must_fit(name: &str, kind: PartyKind) -> Result<(), Refusal> {
    if name.starts_with("role:") == (kind == PartyKind::Role) {
        return Ok(());
    }
    let message = format!("`{name}` cannot be of kind `{}`", kind.as_str());
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("the names of roles begin with `role:`, and no others do"))
}

/// A name must not belong to another party.
fn free(context: &Context<'_>, name: &str, own: PartyId) -> Result<(), Refusal> {
    match context.state.directory.find(name) {
        Ok(other) if other.id != own => {
            let message = format!("`{name}` is a name of `{}`", other.name);
            Err(Refusal::new(RefusalCode::PartyTaken, message).hint("choose another name"))
        }
        _ => Ok(()),
    }
}

fn named(context: &Context<'_>, name: &str, change: &mut Change) -> Result<PartyId, Refusal> {
    let directory = &context.state.directory;
    match directory.find(name) {
        Ok(party) => Ok(party.id),
        Err(refusal)
            if refusal.code == RefusalCode::PartyUnknown
                && directory.settings.registers_on_first_use =>
        {
            Ok(on_first_use(context, name, change))
        }
        Err(refusal) => Err(refusal),
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// Decides that a version of a contract can be used.
pub fn publish_contract(
    context: &Context<'_>,
    record: &ContractRecord,
    published: &Published,
) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let identity: Identity = published.compiled.contract().identity();
    let mut change = Change::default();
    change.answer.published = Some(identity.to_string());
    match context.state.directory.contract(&identity) {
        Some(known) if known.digest == published.digest => {
            change.answer.repeated = true;
            return Ok(change);
        }
        Some(_) => {
            let message = format!(
                "`{identity}` was published with other content, and a version is immutable"
            );
            return Err(Refusal::new(RefusalCode::ContractChanged, message)
                .hint("publish it under the next version"));
        }
        None => {}
    }
    change
        .happened_here(EventType::ContractPublished, context.actor())
        .with("contract", hash_of_digest(&published.digest));
    change.records.push(Record::Contract(record.clone()));
    Ok(change)
}

/// Decides that a version of a gate can be used.
pub fn publish_gate(
    context: &Context<'_>,
    record: &GateRecord,
    gate: &Gate,
) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let digest = gate.digest();
    let mut change = Change::default();
    change.answer.published = Some(gate.identity().to_string());
    let directory = &context.state.directory;
    if directory.gate(&digest).is_some() {
        change.answer.repeated = true;
        return Ok(change);
    }
    if directory.gates().any(|(_, known)| known.identity() == gate.identity()) {
        let message = format!("gate `{}` was published with other content", gate.identity());
        return Err(Refusal::new(RefusalCode::ContractChanged, message)
            .hint("publish it under the next version"));
    }
    change
        .happened_here(EventType::GatePublished, context.actor())
        .with("gate", hash_of_digest(&digest));
    change.records.push(Record::Gate(record.clone()));
    Ok(change)
}

/// Decides that the project has these rules from now on.
pub fn set_rules(
    context: &Context<'_>,
    record: &RulesRecord,
    rules: &Rules,
) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let mut change = Change::default();
    change
        .happened_here(EventType::RulesPublished, context.actor())
        .with("rules", hash_of_digest(&rules.digest()));
    change.answer.published = Some("rules".to_owned());
    change.records.push(Record::Rules(record.clone()));
    Ok(change)
}

/// Decides that the project has these settings from now on.
pub fn set_settings(context: &Context<'_>, settings: &Settings) -> Result<Change, Refusal> {
    authority::operator(context)?;
    let mut change = Change::default();
    if context.state.directory.settings == *settings {
        change.answer.repeated = true;
        return Ok(change);
    }
    let value = serde_json::to_value(settings).unwrap_or_default();
    let digest = tasuki_packet::canonical::digest(&value);
    change
        .happened_here(EventType::ProjectChanged, context.actor())
        .with("settings", hash_of_digest(&digest));
    change.records.push(Record::Settings(settings.clone()));
    Ok(change)
}
