//! Adds or changes a party.

use serde::Serialize;
use tasuki_packet::document::limits::NAME_CHARS_MAX;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::contract::{Identity, PartyName};

use super::offers::reevaluate_offers;
use super::token::revoke_all;
use crate::model::directory::SKILL;
use crate::model::directory::address::must_be_email;
use crate::model::directory::party::{names_role, plain};
use crate::model::{
    Change, Channels, Context, Directory, LoadSet, Party, PartyKind, Record, Scope,
};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::auto_register::{can_be_added, directory_after, must_be_alias, on_first_use};
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::view;

/// Adds or changes a party. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AddParty {
    /// Its name.
    pub name: String,
    /// The kind; defaults to an agent for a new party.
    pub kind: Option<PartyKind>,
    /// Aliases to add.
    pub aliases: Vec<String>,
    /// Names of members to add to a role.
    pub members: Vec<String>,
    /// Names of members to remove from a role.
    pub without_members: Vec<String>,
    /// Skills to add.
    pub skills: Vec<String>,
    /// The supported contract versions, which replace the current ones.
    pub reads: Option<Vec<String>>,
    /// The limit of its authority, which replaces the current one.
    pub authority: Option<Vec<String>>,
    /// Names of parties that it may send for, to add.
    pub sends_for: Vec<String>,
    /// The mailbox of a person, which replaces the current one. An empty text removes it.
    pub email: Option<String>,
}

impl Step for AddParty {
    const NAME: &'static str = "add_party";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(self.clone())
    }
}

impl PreparedStep for AddParty {
    fn load(&self, directory: &Directory, _caller: PartyId, set: &mut LoadSet) {
        // An offer to a role without members left moves on.
        if self.changes_members() {
            set.offers_of.extend(directory.find(&self.name).map(|role| role.id));
        }
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        add_party(context, self)
    }
}

impl AddParty {
    /// Returns `true` if it changes the members of a role.
    pub fn changes_members(&self) -> bool {
        !self.members.is_empty() || !self.without_members.is_empty()
    }
}

/// Decides the addition or change of a party.
fn add_party(context: &Context<'_>, request: &AddParty) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let directory = &context.state.directory;
    let known = directory.parties().into_iter().find(|party| party.name == request.name);
    let mut change = Change::default();
    let mut party = match known {
        Some(party) => party.clone(),
        None => new_party(context, &request.name, request.kind)?,
    };
    if let Some(kind) = request.kind {
        must_fit(&party.name, kind)?;
        if kind == PartyKind::Human && known.is_none_or(|known| known.kind != kind) {
            authorization::require_may_create_humans(context)?;
        }
        party.kind = kind;
        if kind != PartyKind::Human {
            party.channels = Channels::default();
            party.absence = None;
        }
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
    if let Some(email) = &request.email {
        must_be_reached(&party, email)?;
        party.channels.email = Some(email.clone()).filter(|email| !email.is_empty());
    }
    let was_another = known.is_some_and(|known| known.kind != party.kind);
    let (id, name) = (party.id, party.name.clone());
    put(context, party, known, &mut change);
    if was_another {
        let count = revoke_all(context, id, &mut change);
        change.answer.notes.extend(revoked(count, &name));
    }
    Ok(change)
}

fn revoked(count: usize, name: &str) -> Option<String> {
    let tokens = match count {
        0 => return None,
        1 => "1 token".to_owned(),
        count => format!("{count} tokens"),
    };
    let verb = if count == 1 { "was" } else { "were" };
    Some(format!("the kind of `{name}` changed; {tokens} {verb} revoked"))
}

fn change_members(
    context: &Context<'_>,
    request: &AddParty,
    party: &mut Party,
    change: &mut Change,
) -> Result<(), Refusal> {
    if request.changes_members() && party.kind != PartyKind::Role {
        let message = format!("`{}` is not a role and cannot have members", party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("the role would be `role:{}`", party.name)));
    }
    for name in &request.members {
        if names_role(name) || context.state.directory.find(name).is_ok_and(is_role) {
            let message = format!("`{name}` is a role; members must be agents or people");
            return Err(
                Refusal::new(RefusalCode::ArgumentInvalid, message).hint("add its members instead")
            );
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

fn put(context: &Context<'_>, party: Party, before: Option<&Party>, change: &mut Change) {
    change.answer.party =
        Some(Box::new(view::party_card(&directory_after(context, change), &party)));
    if before == Some(&party) {
        change.answer.repeated = true;
        return;
    }
    let kind = if before.is_none() { EventType::PartyAdded } else { EventType::PartyChanged };
    change
        .record_project_event(kind, context.actor())
        .with("party", party.id)
        .with("kind", party.kind.as_str())
        .with("stated", party.commitment(&context.state.head));
    let id = party.id;
    change.records.push(Record::Party(party));
    reevaluate_offers(context, id, change);
}

/// Refuses a mailbox for an agent or a role.
fn must_be_reached(party: &Party, email: &str) -> Result<(), Refusal> {
    if email.is_empty() {
        return Ok(());
    }
    if party.kind != PartyKind::Human {
        let message = format!("`{}` is not a person; only people have a mailbox", party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("to make it a person, use `tasuki party add {} --human`", party.name)));
    }
    must_be_email(email)
}

/// Returns a skill without its prefix.
fn skill_name(skill: &str) -> Result<String, Refusal> {
    let name = skill.strip_prefix(SKILL).unwrap_or(skill).trim();
    if !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX {
        return Ok(name.to_owned());
    }
    let message = format!("a skill must have 1 to {NAME_CHARS_MAX} characters");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("use a name like `python`"))
}

fn must_be_version(read: &str) -> Result<(), Refusal> {
    match read.parse::<Identity>() {
        Ok(_) => Ok(()),
        Err(form) => {
            let message = format!("`{read}` is not a contract version: {form}");
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("`tasuki contract list` lists the versions"))
        }
    }
}

fn new_party(context: &Context<'_>, name: &str, kind: Option<PartyKind>) -> Result<Party, Refusal> {
    if let Err(form) = name.parse::<PartyName>() {
        let refusal = Refusal::new(
            RefusalCode::ArgumentInvalid,
            format!("`{name}` is not a valid name: {form}"),
        );
        let plain = plain(name);
        return Err(match plain.parse::<PartyName>() {
            Ok(_) => refusal.hint(format!("use the name `{plain}` and the alias `{name}`")),
            Err(_) => refusal.hint("use a name like `hermes-main` or `role:reviewer`"),
        });
    }
    let id = context.seed.id("party", context.now);
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
    let message = format!("`{name}` cannot have the kind `{}`", kind.as_str());
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("role names start with `role:`, other names do not"))
}

/// Refuses a name of another party.
fn free(context: &Context<'_>, name: &str, own: PartyId) -> Result<(), Refusal> {
    let taken = |by: String| {
        let message = format!("the name `{name}` is taken by {by}");
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
        Err(_) if can_be_added(directory, context.principal.authentication, name) => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::model::Settings;
    use crate::testing::World;

    fn party(name: &str) -> AddParty {
        AddParty { name: name.to_owned(), ..AddParty::default() }
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|one| (*one).to_owned()).collect()
    }

    #[test]
    fn a_party_is_added_then_changed_then_the_same() {
        let mut world = World::new();
        let request = AddParty {
            aliases: texts(&["Web Scraper"]),
            skills: texts(&["skill:python", "web"]),
            reads: Some(texts(&["work@1.0"])),
            authority: Some(texts(&["read:*"])),
            sends_for: texts(&["ana"]),
            ..party("scraper")
        };
        let answer = world.run("pia", Command::AddParty(request.clone())).unwrap();
        let shown = answer.party.unwrap();
        assert_eq!((shown.name.as_str(), shown.kind.as_str()), ("scraper", "agent"));
        assert_eq!(
            (shown.aliases, shown.skills),
            (texts(&["Web Scraper"]), texts(&["python", "web"]))
        );
        let again = world.run("pia", Command::AddParty(request)).unwrap();
        assert!(again.repeated);
        let more = AddParty { aliases: texts(&["Spider"]), ..party("scraper") };
        let changed = world.run("pia", Command::AddParty(more)).unwrap().party.unwrap();
        assert_eq!(changed.aliases, texts(&["Web Scraper", "Spider"]));
        assert_eq!(changed.skills, texts(&["python", "web"]));
        assert_eq!(world.story(0), "party.added by pia\nparty.changed by pia");
        let known = world.state.directory.find("web scraper").unwrap();
        assert_eq!(known.sends_for, [world.id("ana")]);
        assert_eq!(known.authority, Some(texts(&["read:*"])));
    }

    #[test]
    fn the_kind_of_a_party_must_match_its_name() {
        let mut world = World::new();
        let of = |name: &str, kind: PartyKind| {
            Command::AddParty(AddParty { kind: Some(kind), ..party(name) })
        };
        world.run("pia", of("dan", PartyKind::Human)).unwrap();
        world.run("pia", Command::AddParty(party("role:new"))).unwrap();
        assert_eq!(world.state.directory.find("role:new").unwrap().kind, PartyKind::Role);
        insta::assert_snapshot!(world.refusal("pia", of("dan", PartyKind::Role)), @"
        TK-ARGUMENT-INVALID: `dan` cannot have the kind `role`
        hint: role names start with `role:`, other names do not
        ");
        insta::assert_snapshot!(world.refusal("pia", of("role:other", PartyKind::Agent)), @"
        TK-ARGUMENT-INVALID: `role:other` cannot have the kind `agent`
        hint: role names start with `role:`, other names do not
        ");
    }

    #[test]
    fn a_name_has_a_form_and_one_owner() {
        let mut world = World::new();
        world.change("ben", |party, _| party.aliases = texts(&["Benjamin"]));
        insta::assert_snapshot!(world.refusal("pia", Command::AddParty(party("Web Scraper"))), @"
        TK-ARGUMENT-INVALID: `Web Scraper` is not a valid name: 1 to 63 characters from `a-z`, `0-9`, `.`, `_`, `-`, with the prefix `role:` for a role; `dead_letter`, `clock` and `system` are reserved
        hint: use the name `web-scraper` and the alias `Web Scraper`
        ");
        insta::assert_snapshot!(world.refusal("pia", Command::AddParty(party("***"))), @"
        TK-ARGUMENT-INVALID: `***` is not a valid name: 1 to 63 characters from `a-z`, `0-9`, `.`, `_`, `-`, with the prefix `role:` for a role; `dead_letter`, `clock` and `system` are reserved
        hint: use a name like `hermes-main` or `role:reviewer`
        ");
        insta::assert_snapshot!(world.refusal("pia", Command::AddParty(party("benjamin"))), @"
        TK-PARTY-TAKEN: the name `benjamin` is taken by `ben`
        hint: choose another name
        ");
        let alias =
            |alias: &str| Command::AddParty(AddParty { aliases: texts(&[alias]), ..party("cem") });
        insta::assert_snapshot!(world.refusal("pia", alias("BENJAMIN")), @"
        TK-PARTY-TAKEN: the name `BENJAMIN` is taken by `ben`
        hint: choose another name
        ");
        insta::assert_snapshot!(world.refusal("pia", alias("role:x")), @"
        TK-ARGUMENT-INVALID: `role:x` names a role or a skill, not a party
        hint: choose another alias
        ");
        insta::assert_snapshot!(world.refusal("pia", alias("System")), @"
        TK-ARGUMENT-INVALID: `System` is reserved
        hint: choose another alias
        ");
        insta::assert_snapshot!(world.refusal("pia", alias(&"x".repeat(201))), @"
        TK-ARGUMENT-INVALID: an alias must have 1 to 200 characters, not 201
        hint: choose another alias
        ");
        world.run("pia", alias("Cem ")).unwrap();
    }

    #[test]
    fn a_role_has_members_who_are_agents_or_people() {
        let mut world = World::new();
        let with = |role: &str, members: &[&str]| {
            Command::AddParty(AddParty { members: texts(members), ..party(role) })
        };
        let answer = world.run("pia", with("role:nobody", &["ana", "pia"])).unwrap();
        assert_eq!(answer.party.unwrap().members, texts(&["ana", "pia"]));
        let without = AddParty { without_members: texts(&["ana"]), ..party("role:nobody") };
        let answer = world.run("pia", Command::AddParty(without)).unwrap();
        assert_eq!(answer.party.unwrap().members, texts(&["pia"]));
        insta::assert_snapshot!(world.refusal("pia", with("ana", &["ben"])), @"
        TK-ARGUMENT-INVALID: `ana` is not a role and cannot have members
        hint: the role would be `role:ana`
        ");
        insta::assert_snapshot!(world.refusal("pia", with("role:team", &["role:people"])), @"
        TK-ARGUMENT-INVALID: `role:people` is a role; members must be agents or people
        hint: add its members instead
        ");
        insta::assert_snapshot!(world.refusal("pia", with("role:team", &["dan"])), @"
        TK-PARTY-UNKNOWN: unknown party `dan`
        hint: add it with `tasuki party add dan`
        ");
        let stranger = AddParty { without_members: texts(&["dan"]), ..party("role:team") };
        assert_eq!(
            world.run("pia", Command::AddParty(stranger)).unwrap_err().code,
            RefusalCode::PartyUnknown
        );
    }

    #[test]
    fn members_are_added_on_first_use_once() {
        let settings = Settings { registers_on_first_use: true, ..Settings::default() };
        let mut world = World::with(settings);
        let request = AddParty {
            members: texts(&["dan", "Dan"]),
            sends_for: texts(&["dan"]),
            ..party("role:new")
        };
        let answer = world.run("pia", Command::AddParty(request)).unwrap();
        assert_eq!(answer.registered, ["dan"]);
        assert_eq!(answer.party.unwrap().members, ["dan"]);
        assert_eq!(world.story(0), "party.added by pia\nparty.added by pia");
    }

    #[test]
    fn only_the_card_of_a_person_shows_their_mailbox() {
        let mut world = World::new();
        let at = |name: &str, email: &str| {
            Command::AddParty(AddParty { email: Some(email.to_owned()), ..party(name) })
        };
        let answer = world.run("pia", at("quin", "quin@example.org")).unwrap();
        assert_eq!(answer.party.unwrap().email.as_deref(), Some("quin@example.org"));
        assert!(world.run("pia", at("quin", "quin@example.org")).unwrap().repeated);
        let directory = &world.state.directory;
        let quin = directory.find("quin").unwrap();
        assert_eq!(view::party(directory, quin).email, None);
        assert!(!world.everything().contains("example.org"), "it is in no leaf");
        let agent = AddParty { kind: Some(PartyKind::Agent), ..party("quin") };
        let answer = world.clone().run("pia", Command::AddParty(agent)).unwrap();
        assert_eq!(answer.party.unwrap().email, None, "a program has no mailbox");
        world.run("pia", at("quin", "")).unwrap();
        assert_eq!(world.state.directory.find("quin").unwrap().channels.email, None);
        insta::assert_snapshot!(world.refusal("pia", at("ana", "ana@example.org")), @"
        TK-ARGUMENT-INVALID: `ana` is not a person; only people have a mailbox
        hint: to make it a person, use `tasuki party add ana --human`
        ");
        insta::assert_snapshot!(world.refusal("pia", at("quin", "quin at example.org")), @"
        TK-ARGUMENT-INVALID: invalid email address
        hint: use the form `ana@example.org`
        ");
    }

    #[test]
    fn supported_versions_must_be_contract_versions() {
        let mut world = World::new();
        let reads = AddParty { reads: Some(texts(&["work"])), ..party("ben") };
        insta::assert_snapshot!(world.refusal("pia", Command::AddParty(reads)), @"
        TK-ARGUMENT-INVALID: `work` is not a contract version: `name@major.minor`, as in `review@1.2`
        hint: `tasuki contract list` lists the versions
        ");
        let skill = AddParty { skills: texts(&["skill:"]), ..party("ben") };
        insta::assert_snapshot!(world.refusal("pia", Command::AddParty(skill)), @"
        TK-ARGUMENT-INVALID: a skill must have 1 to 200 characters
        hint: use a name like `python`
        ");
    }
}
