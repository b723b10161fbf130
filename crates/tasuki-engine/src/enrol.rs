//! Parties, contracts, gates, rules and settings come into the project.
//!
//! A version of a contract or a gate is immutable: publishing the same again changes nothing, and
//! publishing another content under the same version is refused.

use std::sync::Arc;

use tasuki_packet::contract::{Identity, PartyName};
use tasuki_packet::gate::Gate;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;
use tasuki_packet::limits::NAME_CHARS_MAX;
use tasuki_packet::rules::Rules;

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::decision::hash_of_digest;
use crate::directory::{
    ContractRecord, Directory, GateRecord, Published, Record, RulesRecord, SKILL, Settings,
};
use crate::limits::SETTLE_STEPS_MAX;
use crate::party::{Party, PartyKind};
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// What the names of roles begin with.
const ROLE: &str = "role:";

/// Names that nobody can have.
const RESERVED: [&str; 3] = ["dead_letter", "clock", "system"];

/// What a rung may be for.
const FALLBACK_REASONS: [&str; 6] =
    ["no_progress", "declined", "rejected", "invalid", "expired", "lapsed"];

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
    if let Some(kind) = request.kind {
        must_fit(&party.name, kind)?;
        party.kind = kind;
    }
    for alias in request.aliases.iter().map(|alias| alias.trim()) {
        must_be_alias(alias)?;
        free(context, alias, party.id)?;
        add(&mut party.aliases, alias.to_owned());
    }
    change_members(context, request, &mut party, &mut change)?;
    for name in &request.sends_for {
        let other = named(context, name, &mut change)?;
        add(&mut party.sends_for, other);
    }
    for skill in &request.skills {
        add(&mut party.skills, skill_name(skill)?);
    }
    if let Some(reads) = &request.reads {
        reads.iter().try_for_each(|read| must_be_version(read))?;
        party.reads.clone_from(reads);
    }
    if let Some(authority) = &request.authority {
        party.authority = Some(authority.clone());
    }
    put(context, party, known, &mut change);
    Ok(change)
}

fn change_members(
    context: &Context<'_>,
    request: &AddParty,
    party: &mut Party,
    change: &mut Change,
) -> Result<(), Refusal> {
    let is_asked = !request.members.is_empty() || !request.without_members.is_empty();
    if is_asked && party.kind != PartyKind::Role {
        let message = format!("`{}` is no role, so it has no members", party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("roles are called `role:{}`", party.name)));
    }
    for name in &request.members {
        if names_role(name) || context.state.directory.find(name).is_ok_and(is_role) {
            let message = format!("`{name}` is a role, and members are agents or people");
            return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("add its members one by one"));
        }
        let member = named(context, name, change)?;
        add(&mut party.members, member);
    }
    for name in &request.without_members {
        let member = context.state.directory.find(name)?.id;
        party.members.retain(|one| *one != member);
    }
    Ok(())
}

fn is_role(party: &Party) -> bool {
    party.kind == PartyKind::Role
}

fn names_role(name: &str) -> bool {
    name.trim().to_lowercase().starts_with(ROLE)
}

fn put(context: &Context<'_>, party: Party, before: Option<&Party>, change: &mut Change) {
    change.answer.party = Some(view::party(&directory_after(context, change), &party));
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

/// Adds a party that a packet names for the first time; [`can_be_added`] has said that it may.
pub fn on_first_use(context: &Context<'_>, name: &str, change: &mut Change) -> PartyId {
    let plain = plain(name);
    let id: PartyId = context.draw.id(&format!("party {plain}"), context.now);
    if change.answer.registered.contains(&plain) {
        return id;
    }
    let mut party = Party::new(id, plain.clone(), PartyKind::Agent);
    if plain != name {
        party.aliases.push(name.trim().to_owned());
    }
    change
        .happened_here(EventType::PartyAdded, context.actor())
        .with("party", id)
        .with("kind", party.kind.as_str());
    change.answer.registered.push(plain);
    change.records.push(Record::Party(party));
    id
}

/// Whether a name that nobody has can become a party's by being used.
///
/// Not a role, which would have no members; and not a name that is some other party's once it is
/// written as a party's name is.
pub fn can_be_added(directory: &Directory, name: &str) -> bool {
    let plain = plain(name);
    let is_unknown =
        |name: &str| directory.find(name).is_err_and(|no| no.code == RefusalCode::PartyUnknown);
    directory.settings.registers_on_first_use
        && !names_role(name)
        && !name.starts_with(SKILL)
        && must_be_alias(name.trim()).is_ok()
        && plain.parse::<PartyName>().is_ok()
        && is_unknown(name)
        && is_unknown(&plain)
}

/// The directory with the parties that a change adds, for answers that name them.
pub fn directory_after(context: &Context<'_>, change: &Change) -> Arc<Directory> {
    let mut directory = Arc::clone(&context.state.directory);
    for record in &change.records {
        if let Record::Party(party) = record {
            Arc::make_mut(&mut directory).put_party(party);
        }
    }
    directory
}

/// The name that a party gets whose name in a packet is no name of a party.
pub fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let (role, rest) = match lower.strip_prefix(ROLE) {
        Some(rest) => (ROLE, rest.trim()),
        None => ("", lower.as_str()),
    };
    let letters: String = rest
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .collect();
    let letters = letters.trim_matches(|c| matches!(c, '-' | '.' | '_'));
    let short: String = letters.chars().take(63).collect();
    format!("{role}{short}")
}

/// Other names are free, but not endless, and none that means something else.
fn must_be_alias(alias: &str) -> Result<(), Refusal> {
    let lower = alias.to_lowercase();
    let refuse = |message: String| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("choose another alias"))
    };
    let characters = alias.chars().count();
    if characters == 0 || characters > NAME_CHARS_MAX {
        return refuse(format!("an alias has 1 to {NAME_CHARS_MAX} characters, not {characters}"));
    }
    if lower.starts_with(ROLE) || lower.starts_with(SKILL) {
        return refuse(format!("`{alias}` is the name of a role or a skill, not of a party"));
    }
    if RESERVED.contains(&lower.as_str()) {
        return refuse(format!("`{alias}` is reserved"));
    }
    Ok(())
}

/// A skill as it is stored: without the prefix that a receiver is named with.
fn skill_name(skill: &str) -> Result<String, Refusal> {
    let name = skill.strip_prefix(SKILL).unwrap_or(skill).trim();
    if !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX {
        return Ok(name.to_owned());
    }
    let message = format!("a skill has 1 to {NAME_CHARS_MAX} characters");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("name it like `python`"))
}

fn must_be_version(read: &str) -> Result<(), Refusal> {
    match read.parse::<Identity>() {
        Ok(_) => Ok(()),
        Err(form) => {
            let message = format!("`{read}` is no version of a contract: {form}");
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("`tasuki contract ls` lists the versions"))
        }
    }
}

fn new_party(context: &Context<'_>, name: &str, kind: Option<PartyKind>) -> Result<Party, Refusal> {
    if let Err(form) = name.parse::<PartyName>() {
        let refusal =
            Refusal::new(RefusalCode::ArgumentInvalid, format!("`{name}` is no name: {form}"));
        let plain = plain(name);
        return Err(match plain.parse::<PartyName>() {
            Ok(_) => refusal.hint(format!("call it `{plain}`, with the alias `{name}`")),
            Err(_) => refusal.hint("choose a name like `hermes-main` or `role:reviewer`"),
        });
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
    let taken = |by: String| {
        let message = format!("`{name}` is a name of {by}");
        Err(Refusal::new(RefusalCode::PartyTaken, message).hint("choose another name"))
    };
    match context.state.directory.find(name) {
        Ok(other) if other.id == own => Ok(()),
        Ok(other) => taken(format!("`{}`", other.name)),
        Err(refusal) if refusal.code == RefusalCode::PartyUnknown => Ok(()),
        Err(_) => taken("several parties".to_owned()),
    }
}

fn named(context: &Context<'_>, name: &str, change: &mut Change) -> Result<PartyId, Refusal> {
    let directory = &context.state.directory;
    match directory.find(name) {
        Ok(party) => Ok(party.id),
        Err(_) if can_be_added(directory, name) => Ok(on_first_use(context, name, change)),
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
    if directory.published_gate(&gate.identity()).is_some() {
        let message = format!(
            "gate `{}` was published with other content, and a version is immutable",
            gate.identity()
        );
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
    change.answer.published = Some("rules".to_owned());
    let known = context.state.directory.rules.as_ref();
    if known.is_some_and(|known| known.stated.digest() == rules.digest()) {
        change.answer.repeated = true;
        return Ok(change);
    }
    change
        .happened_here(EventType::RulesPublished, context.actor())
        .with("rules", hash_of_digest(&rules.digest()));
    change.records.push(Record::Rules(record.clone()));
    Ok(change)
}

/// Decides that the project has these settings from now on.
pub fn set_settings(context: &Context<'_>, settings: &Settings) -> Result<Change, Refusal> {
    authority::operator(context)?;
    must_work(settings)?;
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

/// Settings with which no work could move are a mistake.
fn must_work(settings: &Settings) -> Result<(), Refusal> {
    let refuse = |message: String, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    for (name, value) in [("hops", settings.hops), ("attempts", settings.attempts)] {
        if value == 0 {
            return refuse(format!("`{name}` is 0, and must be at least 1"), "leave it out");
        }
    }
    let rungs = settings.ladder.len();
    if rungs > SETTLE_STEPS_MAX {
        let message = format!("the ladder has {rungs} rungs, the limit is {SETTLE_STEPS_MAX}");
        return refuse(message, "the dead letter follows the last rung by itself");
    }
    for step in &settings.ladder {
        if step.to != "dead_letter" && step.to.parse::<PartyName>().is_err() {
            let message = format!("the rung to `{}` leads to no party", step.to);
            return refuse(message, "name a party, a role, or `dead_letter`");
        }
        let is_reason = |on: &String| FALLBACK_REASONS.contains(&on.as_str());
        if let Some(on) = step.on.as_ref().filter(|on| !is_reason(on)) {
            let message = format!("the rung to `{}` is for `{on}`, which never happens", step.to);
            let hint = format!("it is one of {}", FALLBACK_REASONS.join(", "));
            return refuse(message, &hint);
        }
    }
    Ok(())
}
