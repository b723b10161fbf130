//! Creates and revokes tokens.
//!
//! The text of a token is in the response that creates it, once. It is stored nowhere: not in the
//! directory, the log, or the record of an idempotency key.

use std::collections::BTreeSet;

use serde::Serialize;
use tasuki_api::Secret;
use tasuki_packet::credential::{Credential, CredentialKind, ending};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{PartyId, TokenId};
use tasuki_packet::leaf::EventType;

use crate::limits::{
    NETWORKS_MAX, TOKEN_LIFE_DEFAULT, TOKEN_LIFE_MAX, TOKEN_LIFE_MIN, TOKEN_RECEIVERS_MAX,
    TOKENS_MAX,
};
use crate::model::context::later;
use crate::model::{
    Change, Context, Directory, Network, Party, PartyKind, Record, Scope, Scopes, TokenKey,
    TokenRecord,
};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::{self, RequiredScopes};
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::view;

/// Creates a token.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CreateToken {
    /// The name of its party.
    pub party: String,
    /// The scopes; defaults to those that its kind of party usually needs.
    pub scopes: Option<Scopes>,
    /// The lifetime; defaults to 30 days.
    pub expires_in: Option<Duration>,
    /// The receivers of a write-only token, which has the scope `submit` alone.
    pub to: Vec<String>,
    /// The networks it may be used from; empty for any.
    pub from: Vec<Network>,
    /// A name for it.
    pub name: Option<String>,
}

impl Step for CreateToken {
    const NAME: &'static str = "create_token";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, input: &PrepareInput) -> Result<Self, Refusal> {
        let name = text::name(self.name.as_deref(), &input.directory.settings)?;
        Ok(Self { name, ..self.clone() })
    }
}

impl PreparedStep for CreateToken {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        create_token(context, self)
    }
}

/// Revokes a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RevokeToken {
    /// The token.
    pub token: TokenId,
}

impl Step for RevokeToken {
    const NAME: &'static str = "revoke_token";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RevokeToken {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        revoke_token(context, *self)
    }
}

/// Decides the creation of a token.
fn create_token(context: &Context<'_>, request: &CreateToken) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let directory = &context.state.directory;
    let party = directory.find(&request.party)?;
    let kind = kind_of(party)?;
    if kind == CredentialKind::Human {
        authorization::require_may_create_humans(context)?;
    }
    let to = receivers(directory, &request.to)?;
    let scopes = request.scopes.unwrap_or_else(|| usual(kind, &to));
    must_suit(party, scopes)?;
    must_name_receivers(scopes, &to)?;
    scopes::must_have_all(context.principal, scopes)?;
    let life = request.expires_in.unwrap_or(TOKEN_LIFE_DEFAULT);
    must_be_life(life)?;
    if request.from.len() > NETWORKS_MAX {
        let message =
            format!("a token can name at most {NETWORKS_MAX} networks, not {}", request.from.len());
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("use a larger network that contains several of them"));
    }
    let live = directory.tokens().into_iter().filter(|token| token.is_live(context.now));
    if live.filter(|token| token.party == party.id).count() >= TOKENS_MAX {
        let message = format!("`{}` has {TOKENS_MAX} live tokens, which is the limit", party.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("revoke unused tokens; `tasuki token list` lists them"));
    }
    let id = new_id(context);
    let shown = Credential::new(kind, directory.project, id, context.seed.salt("token secret"));
    let token = TokenRecord {
        id,
        hash: TokenKey::of(&context.state.head).hash(shown.secret()),
        party: party.id,
        scopes,
        from: request.from.clone(),
        to,
        name: request.name.clone(),
        created_at: context.now,
        expires_at: later(context.now, life),
        revoked_at: None,
    };
    let mut change = Change::default();
    let created = change
        .record_project_event(EventType::TokenCreated, context.actor())
        .with("credential", id)
        .with("party", party.id)
        .with("scopes", scopes.words())
        .with("until", token.expires_at)
        .with("secret", token.commitment_to_secret());
    if let Some(networks) = token.commitment_to_networks() {
        created.with("networks", networks);
    }
    if let Some(receivers) = token.commitment_to_receivers() {
        created.with("receivers", receivers);
    }
    let mut answer = view::token(directory, &token);
    answer.text = Some(Secret(shown.text()));
    change.answer.token = Some(Box::new(answer));
    change.records.push(Record::Token(token));
    Ok(change)
}

/// Decides the revocation of a token.
fn revoke_token(context: &Context<'_>, request: RevokeToken) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let directory = &context.state.directory;
    let mut token = directory.token(request.token).cloned().ok_or_else(|| {
        Refusal::new(RefusalCode::TokenUnknown, format!("unknown token {}", request.token))
            .hint("`tasuki token list` lists them")
    })?;
    let mut change = Change::default();
    if token.revoked_at.is_some() {
        change.answer.token = Some(Box::new(view::token(directory, &token)));
        change.answer.repeated = true;
        return Ok(change);
    }
    token.revoked_at = Some(context.now);
    change.answer.token = Some(Box::new(view::token(directory, &token)));
    revoke(context, token, &mut change);
    Ok(change)
}

/// Revokes all tokens of a party whose kind changed. An agent's token must not become a person's.
pub(super) fn revoke_all(context: &Context<'_>, party: PartyId, change: &mut Change) -> usize {
    let live = |token: &&TokenRecord| token.party == party && token.is_live(context.now);
    let tokens: Vec<TokenRecord> =
        context.state.directory.tokens().into_iter().filter(live).cloned().collect();
    let count = tokens.len();
    for token in tokens {
        revoke(context, TokenRecord { revoked_at: Some(context.now), ..token }, change);
    }
    count
}

fn revoke(context: &Context<'_>, token: TokenRecord, change: &mut Change) {
    change
        .record_project_event(EventType::TokenRevoked, context.actor())
        .with("credential", token.id)
        .with("party", token.party);
    change.records.push(Record::Token(token));
}

fn kind_of(party: &Party) -> Result<CredentialKind, Refusal> {
    match party.kind {
        PartyKind::Agent => Ok(CredentialKind::Agent),
        PartyKind::Human => Ok(CredentialKind::Human),
        PartyKind::Role => {
            let message = format!("`{}` is a role and cannot have a token", party.name);
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("create a token for one of its members"))
        }
    }
}

/// Returns the scopes to hand over work, receive it and judge its return. A person also decides. A
/// token with receivers only submits.
fn usual(kind: CredentialKind, to: &[PartyId]) -> Scopes {
    if !to.is_empty() {
        return Scopes::none().with(Scope::Submit);
    }
    let work = Scopes::none()
        .with(Scope::Submit)
        .with(Scope::Receive)
        .with(Scope::Read)
        .with(Scope::Verify);
    match kind {
        CredentialKind::Agent => work,
        CredentialKind::Human => work.with(Scope::Decide),
    }
}

fn must_suit(party: &Party, scopes: Scopes) -> Result<(), Refusal> {
    let refuse = |message: String, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    if scopes == Scopes::none() {
        return refuse("a token needs at least one scope".to_owned(), "add a scope");
    }
    if party.kind == PartyKind::Agent && scopes.has(Scope::Decide) {
        let message = format!("`{}` is an agent; only people can decide", party.name);
        return refuse(message, "remove the scope `decide`");
    }
    Ok(())
}

/// Returns the receivers of a write-only token, in the order of their ids.
fn receivers(directory: &Directory, names: &[String]) -> Result<Vec<PartyId>, Refusal> {
    if names.len() > TOKEN_RECEIVERS_MAX {
        let message = format!(
            "a token can name at most {TOKEN_RECEIVERS_MAX} receivers, not {}",
            names.len()
        );
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("create a role with them as members, and name the role"));
    }
    let found: Result<BTreeSet<PartyId>, Refusal> =
        names.iter().map(|name| directory.find(name).map(|party| party.id)).collect();
    Ok(found?.into_iter().collect())
}

/// Requires receivers of a token that only submits, and of no other token.
fn must_name_receivers(scopes: Scopes, to: &[PartyId]) -> Result<(), Refusal> {
    let is_write_only = scopes == Scopes::none().with(Scope::Submit);
    let (message, hint) = match (is_write_only, to.is_empty()) {
        (true, false) | (false, true) => return Ok(()),
        (true, true) => (
            "a token with the scope `submit` alone must name its receivers",
            "name them with `--to`, such as `--to role:intake`",
        ),
        (false, false) => (
            "only a token with the scope `submit` alone can be limited to receivers",
            "remove the receivers, or use `--scope submit`",
        ),
    };
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
}

fn must_be_life(life: Duration) -> Result<(), Refusal> {
    if (TOKEN_LIFE_MIN..=TOKEN_LIFE_MAX).contains(&life) {
        return Ok(());
    }
    let message =
        format!("the lifetime of a token must be {TOKEN_LIFE_MIN} to {TOKEN_LIFE_MAX}, not {life}");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("create a new token before the old one expires"))
}

/// Returns a new id with a unique ending, by which tokens are looked up.
fn new_id(context: &Context<'_>) -> TokenId {
    let ids = (0_u64..)
        .map(|attempt| -> TokenId { context.seed.id(&format!("token {attempt}"), context.now) });
    let is_free =
        |id: &TokenId| context.state.directory.token_ending_with(&ending(id.as_bytes())).is_none();
    let mut free = ids.filter(is_free);
    free.next().expect("a project has fewer tokens than there are endings")
}

#[cfg(test)]
mod tests {
    use tasuki_packet::leaf::Authentication;

    use super::*;
    use crate::command::Command;
    use crate::model::directory::token;
    use crate::model::{Principal, RemoteAddress};
    use crate::steps::AddParty;
    use crate::testing::{World, claim, return_packet, submit, verdict};

    fn create(party: &str) -> CreateToken {
        CreateToken { party: party.to_owned(), ..CreateToken::default() }
    }

    fn text(world: &mut World, request: CreateToken) -> String {
        let answer = world.run("pia", Command::CreateToken(request)).unwrap();
        answer.token.unwrap().text.unwrap().0
    }

    fn shown(world: &World, text: &str) -> Result<Principal, Refusal> {
        shown_from(world, text, RemoteAddress::Unknown)
    }

    fn shown_from(world: &World, text: &str, place: RemoteAddress) -> Result<Principal, Refusal> {
        let key = TokenKey::of(&world.state.head);
        token::principal(&world.state.directory, &key, &text.parse().unwrap(), place, world.now)
    }

    #[test]
    fn a_token_works_only_from_its_networks() {
        let mut world = World::new();
        let from = ["10.0.0.0/8", "2001:db8::/32"].map(|text| text.parse().unwrap()).to_vec();
        let bound = text(&mut world, CreateToken { from, ..create("ben") });
        let free = text(&mut world, create("ben"));
        let place = |address: &str| RemoteAddress::Address(address.parse().unwrap());
        for good in ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7"] {
            assert!(shown_from(&world, &bound, place(good)).is_ok(), "{good}");
        }
        for elsewhere in [place("192.0.2.7"), place("::1"), RemoteAddress::Unknown] {
            let refusal = shown_from(&world, &bound, elsewhere).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::TokenNetwork, "{elsewhere:?}");
            assert!(shown_from(&world, &free, elsewhere).is_ok());
        }
        let ending = bound.parse::<Credential>().unwrap().token_ending;
        let id = world.state.directory.token_ending_with(&ending).unwrap().id.to_string();
        let refusal =
            shown_from(&world, &bound, place("::ffff:192.0.2.7")).unwrap_err().to_string();
        insta::assert_snapshot!(refusal.replace(&id, "tok_…"), @"token tok_… may not be used from 192.0.2.7");
        // Without the secret, the refusal does not reveal this.
        let guessed = bound.parse::<Credential>().unwrap();
        let guessed =
            Credential::new(guessed.kind, world.state.head.project, id.parse().unwrap(), [7; 32]);
        let refusal = shown_from(&world, &guessed.text(), RemoteAddress::Unknown).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::TokenInvalid);
    }

    #[test]
    fn the_default_token_of_an_agent_judges_what_its_party_sent_and_nothing_else() {
        let mut world = World::new();
        let more = serde_json::json!({ "return_required": ["status"] });
        world.done("ana", submit(&more));
        let handoff = world.newest();
        world.done("ben", claim(handoff));
        let returned = return_packet(world.shown(), &serde_json::json!({}));
        world.done("ben", returned);
        for (name, expected) in [("cem", "TK-NOT-ALLOWED"), ("ben", "TK-OWN-HANDOFF"), ("ana", "")]
        {
            let token = text(&mut world, create(name));
            let principal = shown(&world, &token).unwrap();
            let verdict = verdict(&world, handoff, true);
            let judged = world.run_as(&principal, verdict);
            let code = judged.err().map_or("", |refused| refused.code.as_str());
            assert_eq!(code, expected, "{name}");
        }
        assert_eq!(world.standing(), "done");
    }

    /// Covers threats T11 and G4: no agent can make itself a person.
    #[test]
    fn the_token_of_an_agent_cannot_create_a_person() {
        let mut world = World::new();
        let mut agent = world.principal("ben");
        agent.authentication = Authentication::Token;
        for command in [
            Command::CreateToken(CreateToken {
                scopes: Some(Scopes::none().with(Scope::Verify)),
                ..create("pia")
            }),
            Command::AddParty(AddParty {
                name: "fake".to_owned(),
                kind: Some(PartyKind::Human),
                ..AddParty::default()
            }),
            Command::AddParty(AddParty {
                name: "ben".to_owned(),
                kind: Some(PartyKind::Human),
                ..AddParty::default()
            }),
        ] {
            assert_eq!(
                world.run_as(&agent, command.clone()).unwrap_err().code,
                RefusalCode::PersonNeeded
            );
            let mut person = world.principal("pia");
            person.authentication = Authentication::Token;
            world.clone().run_as(&person, command).unwrap();
        }
        insta::assert_snapshot!(world.refusal_as(&agent, Command::CreateToken(create("pia"))), @"
        TK-PERSON-NEEDED: `ben` is an agent and cannot register people or issue their credentials
        hint: ask a person with the scope `admin`, or the operator
        ");
    }

    #[test]
    fn the_token_of_an_agent_never_becomes_a_persons() {
        let mut world = World::new();
        let text = text(&mut world, create("ben"));
        let change = |kind| {
            Command::AddParty(AddParty {
                name: "ben".to_owned(),
                kind: Some(kind),
                ..AddParty::default()
            })
        };
        assert!(world.run("pia", change(PartyKind::Agent)).unwrap().notes.is_empty());
        assert!(shown(&world, &text).is_ok());
        let answer = world.run("pia", change(PartyKind::Human)).unwrap();
        assert_eq!(answer.notes, ["the kind of `ben` changed; 1 token was revoked"]);
        assert_eq!(shown(&world, &text).unwrap_err().code, RefusalCode::TokenRevoked);
        insta::assert_snapshot!(world.story(1), @"
        party.changed by pia
        token.revoked by pia
        ");
    }

    #[test]
    fn the_leaf_of_a_token_commits_to_its_networks() {
        let mut world = World::new();
        text(&mut world, create("ben"));
        let from = vec!["10.0.0.0/8".parse().unwrap()];
        text(&mut world, CreateToken { from, ..create("ben") });
        let has = |leaf: usize| world.leaves[leaf].leaf.contains("\"networks\":");
        assert_eq!([has(0), has(1)], [false, true]);
        let from = vec!["10.0.0.0/8".parse().unwrap(); NETWORKS_MAX + 1];
        let many = Command::CreateToken(CreateToken { from, ..create("ben") });
        world.check("pia", many, "refused TK-ARGUMENT-INVALID");
    }

    #[test]
    fn a_token_proves_its_party_and_its_scopes() {
        let mut world = World::new();
        let text = text(&mut world, create("ben"));
        let principal = shown(&world, &text).unwrap();
        let token = world.state.directory.tokens()[0].clone();
        let expected = Principal {
            authentication: tasuki_packet::leaf::Authentication::Token,
            credential: Some(token.id),
            scopes: usual(CredentialKind::Agent, &[]),
            ..world.principal("ben")
        };
        assert_eq!(principal, expected);
        assert_eq!(principal.scopes.words(), ["submit", "receive", "read", "verify"]);
        assert!(text.starts_with(&format!("tasuki_agent_01010101_{}_", token.ending())));
        assert_eq!(world.story(0), "token.created by pia");
    }

    #[test]
    fn the_secret_is_in_the_first_answer_and_nowhere_else() {
        let mut world = World::new();
        let answer = world.run("pia", Command::CreateToken(create("ben"))).unwrap();
        let text = answer.token.as_ref().unwrap().text.clone().unwrap().0;
        let secret = text.parse::<Credential>().unwrap().secret().to_owned();
        let kept = answer.without_secrets();
        let records = serde_json::to_string(&world.state.directory.tokens()).unwrap();
        for place in [
            world.everything(),
            records,
            serde_json::to_string(&kept).unwrap(),
            format!("{answer:?} {:?}", world.state.directory),
        ] {
            assert!(!place.contains(&secret), "{place}");
        }
        assert_eq!(kept.token.unwrap().id, answer.token.unwrap().id);
        assert_eq!(kept.notes, ["the text of a token is shown once, in the first response"]);
    }

    #[test]
    fn only_the_whole_token_of_this_project_works() {
        let mut world = World::new();
        let good = text(&mut world, create("ben"));
        let other = text(&mut world, create("cem"));
        let (good, other): (Credential, Credential) =
            (good.parse().unwrap(), other.parse().unwrap());
        let key = TokenKey::of(&world.state.head);
        let directory = &world.state.directory;
        let (mut mixed, mut elsewhere, mut unknown) = (good.clone(), good.clone(), good.clone());
        mixed.token_ending = other.token_ending;
        elsewhere.project_ending = "00000000".to_owned();
        unknown.token_ending = "00000000".to_owned();
        for wrong in [mixed, elsewhere, unknown] {
            let refusal =
                token::principal(directory, &key, &wrong, RemoteAddress::Unknown, world.now)
                    .unwrap_err();
            assert_eq!(refusal.code, RefusalCode::TokenInvalid);
        }
        assert!(
            token::principal(directory, &key, &good, RemoteAddress::Unknown, world.now).is_ok()
        );
    }

    #[test]
    fn a_token_expires_or_is_revoked() {
        let mut world = World::new();
        let an_hour = "1h".parse().ok();
        let short = text(&mut world, CreateToken { expires_in: an_hour, ..create("ben") });
        let long = text(&mut world, create("ben"));
        world.advance(3_599);
        assert!(shown(&world, &short).is_ok());
        world.advance(1);
        assert_eq!(shown(&world, &short).unwrap_err().code, RefusalCode::TokenExpired);
        let ending = long.parse::<Credential>().unwrap().token_ending;
        let id = world.state.directory.token_ending_with(&ending).unwrap().id;
        let revoke = || Command::RevokeToken(RevokeToken { token: id });
        let answer = world.run("pia", revoke()).unwrap();
        assert_eq!(answer.token.unwrap().revoked_at, Some(world.now));
        assert_eq!(shown(&world, &long).unwrap_err().code, RefusalCode::TokenRevoked);
        assert!(world.run("pia", revoke()).unwrap().repeated);
        insta::assert_snapshot!(world.story(0), @"
        token.created by pia
        token.created by pia
        token.revoked by pia
        ");
        let unknown = RevokeToken { token: TokenId::new(1, [9; 10]) };
        world.check("pia", Command::RevokeToken(unknown), "refused TK-TOKEN-UNKNOWN");
    }

    #[test]
    fn a_token_cannot_have_scopes_that_its_creator_lacks() {
        let mut world = World::new();
        let admin = Scopes::none().with(Scope::Admin);
        let mut operator = world.principal("pia");
        operator.scopes = admin.with(Scope::Read);
        insta::assert_snapshot!(world.refusal_as(&operator, Command::CreateToken(create("ben"))), @"
        TK-SCOPE-MISSING: this credential lacks the scopes `submit`, `receive`, `verify`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit,receive,read,verify,admin`
        ");
        let read = CreateToken { scopes: Some(Scopes::none().with(Scope::Read)), ..create("ben") };
        world.run_as(&operator, Command::CreateToken(read.clone())).unwrap();
        operator.scopes = usual(CredentialKind::Human, &[]);
        for command in [
            Command::CreateToken(read),
            Command::RevokeToken(RevokeToken { token: world.state.directory.tokens()[0].id }),
        ] {
            let refusal = world.refusal_as(&operator, command);
            assert!(
                refusal.starts_with("TK-SCOPE-MISSING: this credential lacks the scope `admin`")
            );
        }
    }

    #[test]
    fn invalid_tokens_are_refused() {
        let mut world = World::new();
        let refusal =
            |world: &mut World, request| world.refusal("pia", Command::CreateToken(request));
        let with =
            |party: &str, scopes: Scopes| CreateToken { scopes: Some(scopes), ..create(party) };
        insta::assert_snapshot!(refusal(&mut world, create("role:team")), @"
        TK-ARGUMENT-INVALID: `role:team` is a role and cannot have a token
        hint: create a token for one of its members
        ");
        insta::assert_snapshot!(refusal(&mut world, with("ben", Scopes::none())), @"
        TK-ARGUMENT-INVALID: a token needs at least one scope
        hint: add a scope
        ");
        insta::assert_snapshot!(refusal(&mut world, with("ben", Scopes::all())), @"
        TK-ARGUMENT-INVALID: `ben` is an agent; only people can decide
        hint: remove the scope `decide`
        ");
        for life in ["59s", "91d"] {
            let request = CreateToken { expires_in: life.parse().ok(), ..create("ben") };
            assert_eq!(
                refusal(&mut world, request),
                format!(
                    "TK-ARGUMENT-INVALID: the lifetime of a token must be 1m to 90d, not {life}\n\
                     hint: create a new token before the old one expires"
                )
            );
        }
        assert!(refusal(&mut world, create("nobody")).starts_with("TK-PARTY-UNKNOWN"));
        let secret = CreateToken {
            name: Some(format!("{}{}", "ghp_", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6")),
            ..create("ben")
        };
        assert!(refusal(&mut world, secret).starts_with("TK-SECRET-FOUND"));
    }

    #[test]
    fn a_party_has_a_limit_of_live_tokens() {
        let mut world = World::new();
        for _ in 0..TOKENS_MAX {
            text(&mut world, create("ben"));
        }
        world.check("pia", Command::CreateToken(create("ben")), "refused TK-ARGUMENT-INVALID");
        let token = world.state.directory.tokens()[0].id;
        world.run("pia", Command::RevokeToken(RevokeToken { token })).unwrap();
        text(&mut world, create("ben"));
    }
}
