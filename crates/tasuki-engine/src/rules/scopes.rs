//! What each command and each question needs of a credential: the one table, for every door.
//!
//! The engine asks it before a command is even prepared; doors ask it for what is only read. A
//! scope opens a door, it is no right to a handoff: whose turn it is follows from the part that the
//! caller has in it, and the steps ask for that in `authority`.

use crate::command::Command;
use crate::model::principal::{Principal, Scope, Scopes};
use crate::refusal::{Refusal, RefusalCode};

/// What a credential needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but to be one.
    Nothing,
    /// All of these.
    All(&'static [Scope]),
    /// One of these: the part that the caller has decides which.
    Any(&'static [Scope]),
}

/// What somebody wants to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What waits for the caller.
    Inbox,
    /// Which handoff is meant, how it stands and what happened to it, without its packet.
    Card,
    /// A handoff, with its trail.
    Handoff,
    /// Handoffs, by state, party or task.
    Handoffs,
    /// A packet, a brief, a continuation.
    Packet,
    /// What happened, and as it happens.
    Events,
    /// Words in documents and reasons.
    Search,
    /// How work flows.
    Stats,
    /// Leaves of the log as they are.
    Log,
    /// What people decided, with what they saw.
    Decisions,
    /// Parties, contracts, gates, rules and settings.
    Directory,
    /// The dead letters.
    Dead,
    /// Which tokens there are.
    Tokens,
    /// Which subscriptions there are, and what became of their deliveries.
    Subscriptions,
}

use Needs::{All, Any, Nothing};
use Scope::{Admin, Decide, Read, Receive, Submit, Verify};

impl Command {
    /// What a credential needs for this.
    pub const fn needs(&self) -> Needs {
        match self {
            Self::Begin(_) => All(&[Submit, Receive]),
            Self::Submit(request) => match request.parent {
                // Passing on hands over what the caller holds.
                Some(_) => All(&[Submit, Receive]),
                None => All(&[Submit]),
            },
            Self::Revise(_) | Self::Answer(_) => All(&[Submit]),
            Self::Ask(_)
            | Self::Decline(_)
            | Self::Claim(_)
            | Self::Renew(_)
            | Self::Checkpoint(_)
            | Self::Hold(_)
            | Self::Park(_)
            | Self::Release(_)
            | Self::Return(_)
            | Self::Deliver(_) => All(&[Receive]),
            Self::Verify(_) => All(&[Verify]),
            Self::Accept(_)
            | Self::SignOff(_)
            | Self::Edit(_)
            | Self::Reject(_)
            | Self::Intercept(_) => All(&[Decide]),
            // Its sender, or a person.
            Self::Reroute(_) | Self::Cancel(_) => Any(&[Submit, Decide]),
            Self::Redrive(_)
            | Self::Discard(_)
            | Self::Halt(_)
            | Self::AddParty(_)
            | Self::PublishContract(_)
            | Self::PublishGate(_)
            | Self::SetRules(_)
            | Self::SetSettings(_)
            | Self::NoteRestore(_)
            | Self::Resume(_)
            | Self::NoteUntold(_)
            | Self::CreateToken(_)
            | Self::RevokeToken(_)
            | Self::AddSubscription(_)
            | Self::DisableSubscription(_)
            | Self::EnableSubscription(_)
            | Self::RemoveSubscription(_)
            | Self::RotateSecret(_) => All(&[Admin]),
            // What the clock has made due is due whoever asks.
            Self::Settle => Nothing,
        }
    }
}

impl Question {
    /// Every question.
    pub const ALL: [Self; 14] = [
        Self::Inbox,
        Self::Card,
        Self::Handoff,
        Self::Handoffs,
        Self::Packet,
        Self::Events,
        Self::Search,
        Self::Stats,
        Self::Log,
        Self::Decisions,
        Self::Directory,
        Self::Dead,
        Self::Tokens,
        Self::Subscriptions,
    ];

    /// What a credential needs for this. `submit` alone reads nothing: it is a write-only inbox.
    pub const fn needs(self) -> Needs {
        match self {
            // A receiver must see what it may claim, name it, and hear what was decided about it.
            Self::Inbox | Self::Card => Any(&[Receive, Read]),
            Self::Handoff
            | Self::Handoffs
            | Self::Packet
            | Self::Events
            | Self::Search
            | Self::Stats
            | Self::Log
            | Self::Decisions
            | Self::Directory
            | Self::Dead => All(&[Read]),
            Self::Tokens | Self::Subscriptions => All(&[Admin]),
        }
    }
}

impl Needs {
    /// Whether these scopes are enough.
    pub fn are_met_by(self, scopes: Scopes) -> bool {
        match self {
            Nothing => true,
            All(all) => all.iter().all(|scope| scopes.has(*scope)),
            Any(some) => some.iter().any(|scope| scopes.has(*scope)),
        }
    }
}

/// The caller's credential is good for this, or it is refused.
///
/// # Errors
///
/// With all the scopes that are lacking, so that nobody asks for a second token after the first.
pub fn must_meet(principal: &Principal, needs: Needs) -> Result<(), Refusal> {
    // No operator can give `decide` to an agent, so nobody is sent to ask for it.
    let can_have = |scope: &&Scope| **scope != Decide || principal.is_human();
    match needs {
        needs if needs.are_met_by(principal.scopes) => Ok(()),
        All([Decide]) if !principal.is_human() => Err(person_needed()),
        Any(some) => {
            let names: Vec<String> = some.iter().filter(can_have).copied().map(quoted).collect();
            if let [one] = names.as_slice() {
                let message = format!("this credential lacks the scope {one}");
                return Err(missing(message, "ask an operator for a token with it"));
            }
            let message = format!("this credential lacks the scope {}", names.join(" or "));
            Err(missing(message, "ask an operator for a token with one of them"))
        }
        All(all) => Err(lacking(principal.scopes, all)),
        Nothing => Ok(()),
    }
}

/// The refusal of what only a person does.
pub(crate) fn person_needed() -> Refusal {
    Refusal::new(RefusalCode::PersonNeeded, "only a person decides, and you are an agent")
        .hint("a person decides: in the console, or at the command line under their own name")
}

/// The caller has these scopes itself, or it is refused.
pub(crate) fn must_have_all(principal: &Principal, scopes: Scopes) -> Result<(), Refusal> {
    let wanted: Vec<Scope> = scopes.iter().collect();
    if wanted.iter().all(|scope| principal.scopes.has(*scope)) {
        return Ok(());
    }
    Err(lacking(principal.scopes, &wanted))
}

fn lacking(had: Scopes, wanted: &[Scope]) -> Refusal {
    let lacking: Vec<String> =
        wanted.iter().filter(|scope| !had.has(**scope)).copied().map(quoted).collect();
    let (noun, them) = if lacking.len() == 1 { ("scope", "it") } else { ("scopes", "them") };
    let message = format!("this credential lacks the {noun} {}", lacking.join(", "));
    missing(message, &format!("ask an operator for a token with {them}"))
}

fn missing(message: String, hint: &str) -> Refusal {
    Refusal::new(RefusalCode::ScopeMissing, message).hint(hint)
}

fn quoted(scope: Scope) -> String {
    format!("`{}`", scope.as_str())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;
    use tasuki_packet::id::{HandoffId, SubscriptionId, TokenId};
    use tasuki_packet::leaf::ActorKind;

    use super::*;
    use crate::model::directory::subscription::Because;
    use crate::model::directory::{ContractRecord, GateRecord, RulesRecord};
    use crate::model::event_filter::Filter;
    use crate::model::pending_action::{Wait, WaitKind};
    use crate::rules::authorization::Shown;
    use crate::rules::fallback::{Dead, Decline};
    use crate::steps::admin::{
        AddParty, AddSubscription, CreateToken, DisableSubscription, EnableSubscription,
        NewChannel, RemoveSubscription, RevokeToken, RotateSecret,
    };
    use crate::steps::cancel::{Cancel, HaltRequest};
    use crate::steps::claim::Renew;
    use crate::steps::decision::{Accept, Intercept, Looked, Reject, Reroute, SignOff};
    use crate::steps::release::{Park, Release};
    use crate::steps::revise::{Edit, Revise};
    use crate::steps::system::outage::Resume;
    use crate::steps::system::restore::Restored;
    use crate::steps::system::{mark_delivered, undeliverable};
    use crate::steps::{
        ask, begin, checkpoint, claim, request_approval, return_packet, submit, verify,
    };
    use crate::testing::World;

    /// One command of every kind, about a handoff that nobody knows.
    fn every_command() -> Vec<Command> {
        let handoff = HandoffId::new(1, [1; 10]);
        let shown = Shown { handoff, token: 1 };
        let source = b"{}".to_vec();
        let looked = Looked::default();
        let not_before = jiff::Timestamp::UNIX_EPOCH;
        vec![
            Command::Begin(begin::Request { source: source.clone(), ..Default::default() }),
            Command::Submit(submit::Request::default()),
            Command::Submit(submit::Request { parent: Some(shown), ..Default::default() }),
            Command::Revise(Revise { handoff, source: source.clone(), looked: looked.clone() }),
            Command::Ask(ask::Ask {
                handoff,
                field: None,
                text: "why?".to_owned(),
                is_blocking: false,
            }),
            Command::Answer(ask::Answer {
                handoff,
                question: None,
                text: None,
                source: None,
                looked: Looked::default(),
            }),
            Command::Decline(Decline { handoff, reason: None }),
            Command::Claim(claim::Request::default()),
            Command::Renew(Renew { shown, lease: None }),
            Command::Checkpoint(checkpoint::Request { shown, source: source.clone() }),
            Command::Hold(request_approval::Request { shown, action: json!({}) }),
            Command::Park(Park { shown, not_before, reason: None }),
            Command::Release(Release { shown, reason: None }),
            Command::Return(return_packet::Request { shown, source: source.clone() }),
            Command::Verify(verify::Request { handoff, is_good: true, reason: None }),
            Command::Accept(Accept { handoff, looked: looked.clone(), reason: None }),
            Command::SignOff(SignOff {
                handoff,
                gate: None,
                meaning: None,
                is_denial: false,
                looked: looked.clone(),
                reason: None,
            }),
            Command::Edit(Edit { handoff, source, looked: looked.clone(), reason: None }),
            Command::Reject(Reject { handoff, looked: looked.clone(), reason: None }),
            Command::Reroute(Reroute {
                handoff,
                to: "ben".to_owned(),
                looked: looked.clone(),
                reason: None,
            }),
            Command::Intercept(Intercept { handoff, looked, reason: None }),
            Command::Cancel(Cancel { handoff, looked: Looked::default(), reason: None }),
            Command::Deliver(mark_delivered::Request { handoff, is_delivery: false }),
            Command::Settle,
        ]
    }

    /// The same for those who run a project.
    fn every_command_of_operators() -> Vec<Command> {
        let handoff = HandoffId::new(1, [1; 10]);
        let subscription = SubscriptionId::new(1, [1; 10]);
        vec![
            Command::Redrive(Dead { handoff, reason: None }),
            Command::Discard(Dead { handoff, reason: None }),
            Command::Halt(HaltRequest { is_lift: false, reason: None }),
            Command::AddParty(AddParty { name: "dan".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { party: "ben".to_owned(), ..Default::default() }),
            Command::RevokeToken(RevokeToken { token: TokenId::new(1, [1; 10]) }),
            Command::AddSubscription(AddSubscription {
                party: "ben".to_owned(),
                channel: NewChannel::Email { address: "ben@example.org".to_owned() },
                filter: Filter::default(),
            }),
            Command::DisableSubscription(DisableSubscription {
                subscription,
                because: Because::Asked,
            }),
            Command::EnableSubscription(EnableSubscription { subscription }),
            Command::RemoveSubscription(RemoveSubscription { subscription }),
            Command::RotateSecret(RotateSecret { subscription }),
            Command::PublishContract(ContractRecord {
                document: json!({}),
                schemas: std::collections::BTreeMap::new(),
            }),
            Command::PublishGate(GateRecord { document: json!({}) }),
            Command::SetRules(RulesRecord { document: json!({}) }),
            Command::SetSettings(serde_json::Map::new()),
            Command::NoteRestore(Restored { last: 0, hash: tasuki_packet::leaf::Hash::ZERO }),
            Command::Resume(Resume { last_seen: jiff::Timestamp::UNIX_EPOCH }),
            Command::NoteUntold(undeliverable::Request {
                wait: Wait {
                    handoff,
                    n: 1,
                    at: jiff::Timestamp::UNIX_EPOCH,
                    kind: WaitKind::Offer,
                    question: None,
                },
                because: crate::model::pending_action::Because::NoChannel,
                by_mail: false,
            }),
        ]
    }

    fn told(needs: Needs) -> String {
        let words = |scopes: &[Scope], between: &str| {
            scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(between)
        };
        match needs {
            Nothing => "nothing".to_owned(),
            All(all) => words(all, " and "),
            Any(some) => words(some, " or "),
        }
    }

    /// Every set of scopes there is.
    fn every_set() -> impl Iterator<Item = Scopes> {
        (0..1_u32 << Scope::ALL.len()).map(|bits| {
            let is_in = |(at, _): &(usize, Scope)| bits & 1 << at != 0;
            Scope::ALL.into_iter().enumerate().filter(is_in).map(|(_, scope)| scope).collect()
        })
    }

    #[test]
    fn every_command_has_a_word_in_the_list() {
        let all = every_command().into_iter().chain(every_command_of_operators());
        let mut words: Vec<&str> = all.map(|command| command.word()).collect();
        let mut listed = Command::WORDS.to_vec();
        words.sort_unstable();
        listed.sort_unstable();
        assert_eq!(words, listed);
    }

    #[test]
    fn what_commands_and_questions_need() {
        let mut table = String::new();
        for command in every_command().into_iter().chain(every_command_of_operators()) {
            writeln!(table, "{:<21}{}", command.word(), told(command.needs())).unwrap();
        }
        for question in Question::ALL {
            writeln!(table, "{:<21}{}", format!("{question:?}?"), told(question.needs())).unwrap();
        }
        insta::assert_snapshot!(table, @"
        begin                submit and receive
        submit               submit
        pass_on              submit and receive
        revise               submit
        ask                  receive
        answer               submit
        decline              receive
        claim                receive
        renew                receive
        checkpoint           receive
        hold                 receive
        park                 receive
        release              receive
        return               receive
        verify               verify
        accept               decide
        sign_off             decide
        edit                 decide
        reject               decide
        reroute              submit or decide
        intercept            decide
        cancel               submit or decide
        deliver              receive
        settle               nothing
        redrive              admin
        discard              admin
        halt                 admin
        add_party            admin
        create_token         admin
        revoke_token         admin
        add_subscription     admin
        disable_subscription admin
        enable_subscription  admin
        remove_subscription  admin
        rotate_secret        admin
        publish_contract     admin
        publish_gate         admin
        set_rules            admin
        set_settings         admin
        note_restore         admin
        resume               admin
        note_untold          admin
        Inbox?               receive or read
        Card?                receive or read
        Handoff?             read
        Handoffs?            read
        Packet?              read
        Events?              read
        Search?              read
        Stats?               read
        Log?                 read
        Decisions?           read
        Directory?           read
        Dead?                read
        Tokens?              admin
        Subscriptions?       admin
        ");
    }

    #[test]
    fn a_command_is_refused_for_want_of_a_scope_exactly_where_the_table_says_so() {
        for command in every_command().into_iter().chain(every_command_of_operators()) {
            for scopes in every_set() {
                let mut world = World::new();
                let mut principal = world.principal("pia");
                principal.scopes = scopes;
                let refused = world.run_as(&principal, command.clone()).err();
                // Creating a token needs what the token gets besides, and that is its own test.
                let is_missing = refused.is_some_and(|no| no.code == RefusalCode::ScopeMissing);
                let is_expected = !command.needs().are_met_by(scopes);
                let is_own = matches!(command, Command::CreateToken(_)) && !is_expected;
                assert!(is_own || is_missing == is_expected, "{} {scopes:?}", command.word());
            }
        }
    }

    #[test]
    fn an_agent_is_told_that_a_person_decides_and_not_to_ask_for_the_scope() {
        for command in every_command() {
            if command.needs() != All(&[Decide]) {
                continue;
            }
            let mut world = World::new();
            let mut principal = world.principal("ben");
            principal.scopes = [Submit, Receive, Read, Verify].into_iter().collect();
            let word = command.word();
            let code = world.run_as(&principal, command).err().map(|refused| refused.code);
            assert_eq!(code, Some(RefusalCode::PersonNeeded), "{word}");
        }
    }

    #[test]
    fn everything_that_is_lacking_is_named_at_once() {
        let world = World::new();
        let refusal = |kind: ActorKind, needs: Needs| {
            let mut principal = world.principal("ben");
            principal.scopes = Scopes::none();
            principal.kind = kind;
            world.read_aloud(&must_meet(&principal, needs).unwrap_err())
        };
        let (agent, human) = (ActorKind::Agent, ActorKind::Human);
        insta::assert_snapshot!(refusal(agent, All(&[Submit, Receive])), @"
        TK-SCOPE-MISSING: this credential lacks the scopes `submit`, `receive`
        hint: ask an operator for a token with them
        ");
        insta::assert_snapshot!(refusal(human, Any(&[Submit, Decide])), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit` or `decide`
        hint: ask an operator for a token with one of them
        ");
        insta::assert_snapshot!(refusal(agent, Any(&[Submit, Decide])), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit`
        hint: ask an operator for a token with it
        ");
    }
}
