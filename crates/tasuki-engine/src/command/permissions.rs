//! The permissions of commands.
//!
//! Each command states its required scopes in its own file; a test below prints them as one table.

use crate::command::Command;
use crate::model::Principal;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::scopes;

/// Refuses a caller whose credential lacks a required scope.
pub fn require_scopes(principal: &Principal, command: &Command) -> Result<(), Refusal> {
    scopes::require(principal, command.scopes())?;
    // The scope `submit` also permits changing what was sent. A write-only token only adds.
    if principal.is_write_only() && !matches!(command, Command::Submit(_) | Command::ApplyDue(_)) {
        let message = format!("a write-only token cannot {}", command.name().replace('_', " "));
        return Err(Refusal::new(RefusalCode::NotAllowed, message)
            .hint("it submits to its receivers; ask the operator for a token with more scopes"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;
    use tasuki_packet::id::{HandoffId, SubscriptionId, TokenId};
    use tasuki_packet::leaf::ActorKind;

    use super::*;
    use crate::model::{
        ContractRecord, DisableReason, EventFilter, GateRecord, PendingAction, PendingKind,
        RulesRecord, Scope, Scopes,
    };
    use crate::rules::fencing::ClaimProof;
    use crate::rules::scopes::{ReadOperation, RequiredScopes};
    use crate::steps::question::ask;
    use crate::steps::system::{mark_delivered, undeliverable};
    use crate::steps::{
        Accept, AddParty, AddSubscription, Adopt, Answer, ApplyDue, Attention, BeginAbsence,
        Cancel, CreateToken, Decline, DisableSubscription, Discard, Edit, EnableSubscription,
        EndAbsence, Halt, Intercept, NewChannel, Park, PassOn, PublishContract, PublishGate,
        RecordOutage, RecordRestore, Redrive, Reject, Release, RemoveSubscription, Renew, Reroute,
        ResetClock, Revise, RevokeToken, RotateSecret, SeenVersion, SetRules, SetSettings, SignOff,
        Withdraw, begin, checkpoint, claim, request_approval, return_packet, submit, verify,
    };
    use crate::testing::World;

    /// Returns one command of every kind that hands work over, about an unknown handoff.
    fn every_command() -> Vec<Command> {
        let handoff = HandoffId::new(1, [1; 10]);
        let shown = ClaimProof { handoff, fence: 1 };
        let source = b"{}".to_vec();
        let seen = SeenVersion::default();
        let not_before = jiff::Timestamp::UNIX_EPOCH;
        vec![
            Command::Begin(begin::Begin { source: source.clone(), ..Default::default() }),
            Command::Submit(submit::Submit::default()),
            Command::PassOn(PassOn::new(shown, source.clone())),
            Command::Revise(Revise { handoff, source: source.clone(), seen: seen.clone() }),
            Command::Ask(ask::Ask {
                handoff,
                field: None,
                text: "why?".to_owned(),
                is_blocking: false,
            }),
            Command::Answer(Answer {
                handoff,
                question: None,
                text: None,
                source: None,
                seen: SeenVersion::default(),
            }),
            Command::Decline(Decline { handoff, reason: None }),
            Command::Claim(claim::Claim::default()),
            Command::Renew(Renew { claim: shown, lease: None }),
            Command::Adopt(Adopt { claim: shown }),
            Command::Checkpoint(checkpoint::Checkpoint {
                claim: shown,
                source: source.clone(),
                work_tree: None,
            }),
            Command::RequestApproval(request_approval::RequestApproval {
                claim: shown,
                action: json!({}),
                to: None,
                ends_task: false,
            }),
            Command::Withdraw(Withdraw { claim: shown, reason: None }),
            Command::Park(Park { claim: shown, not_before, reason: None }),
            Command::Release(Release { claim: shown, reason: None }),
            Command::Return(return_packet::Return {
                claim: shown,
                source: source.clone(),
                work_tree: None,
            }),
            Command::Verify(verify::Verify {
                handoff,
                return_packet: None,
                is_good: true,
                reason: None,
                attention: Attention::default(),
            }),
            Command::MarkDelivered(mark_delivered::MarkDelivered { handoff, is_delivery: false }),
            Command::ApplyDue(ApplyDue),
        ]
    }

    /// Returns one command of every kind that decides, about an unknown handoff.
    fn every_decision() -> Vec<Command> {
        let handoff = HandoffId::new(1, [1; 10]);
        let (source, seen) = (b"{}".to_vec(), SeenVersion::default());
        vec![
            Command::Accept(Accept { handoff, seen: seen.clone(), reason: None }),
            Command::SignOff(SignOff {
                handoff,
                gate: None,
                meaning: None,
                is_denial: false,
                seen: seen.clone(),
                reason: None,
            }),
            Command::Edit(Edit { handoff, source, seen: seen.clone(), reason: None }),
            Command::Reject(Reject { handoff, seen: seen.clone(), reason: None }),
            Command::Reroute(Reroute {
                handoff,
                to: "ben".to_owned(),
                seen: seen.clone(),
                reason: None,
            }),
            Command::Intercept(Intercept { handoff, seen, reason: None }),
            Command::Cancel(Cancel { handoff, seen: SeenVersion::default(), reason: None }),
        ]
    }

    /// Returns one command of every kind.
    fn every_kind() -> impl Iterator<Item = Command> {
        let parties = every_command().into_iter().chain(every_decision());
        parties.chain(every_command_of_operators())
    }

    /// Returns one command of every kind that an operator runs.
    fn every_command_of_operators() -> Vec<Command> {
        let handoff = HandoffId::new(1, [1; 10]);
        let subscription = SubscriptionId::new(1, [1; 10]);
        vec![
            Command::Redrive(Redrive { handoff, reason: None, attention: Attention::default() }),
            Command::Discard(Discard { handoff, reason: None, attention: Attention::default() }),
            Command::Halt(Halt { is_lift: false, reason: None }),
            Command::AddParty(AddParty { name: "dan".to_owned(), ..Default::default() }),
            Command::BeginAbsence(BeginAbsence {
                person: "pia".to_owned(),
                deputy: "quin".to_owned(),
                from: None,
                until: "2026-11-16T10:00:00Z".parse().unwrap(),
            }),
            Command::EndAbsence(EndAbsence { person: "pia".to_owned() }),
            Command::CreateToken(CreateToken { party: "ben".to_owned(), ..Default::default() }),
            Command::RevokeToken(RevokeToken { token: TokenId::new(1, [1; 10]) }),
            Command::AddSubscription(AddSubscription {
                party: "ben".to_owned(),
                channel: NewChannel::Email { address: "ben@example.org".to_owned() },
                filter: EventFilter::default(),
            }),
            Command::DisableSubscription(DisableSubscription {
                subscription,
                because: DisableReason::Asked,
            }),
            Command::EnableSubscription(EnableSubscription { subscription }),
            Command::RemoveSubscription(RemoveSubscription { subscription }),
            Command::RotateSecret(RotateSecret { subscription }),
            Command::PublishContract(PublishContract(ContractRecord {
                document: json!({}),
                schemas: std::collections::BTreeMap::new(),
            })),
            Command::PublishGate(PublishGate(GateRecord { document: json!({}) })),
            Command::SetRules(SetRules(RulesRecord { document: json!({}) })),
            Command::SetSettings(SetSettings(serde_json::Map::new())),
            Command::RecordRestore(RecordRestore {
                last: 0,
                hash: tasuki_packet::leaf::Hash::ZERO,
            }),
            Command::ResetClock(ResetClock),
            Command::RecordOutage(RecordOutage { last_seen: jiff::Timestamp::UNIX_EPOCH }),
            Command::RecordUndeliverable(undeliverable::RecordUndeliverable {
                wait: PendingAction {
                    handoff,
                    n: 1,
                    at: jiff::Timestamp::UNIX_EPOCH,
                    kind: PendingKind::Offer,
                    question: None,
                },
                because: crate::model::UndeliverableReason::NoChannel,
                by_mail: false,
            }),
        ]
    }

    fn list(needs: RequiredScopes) -> String {
        let words = |scopes: &[Scope], between: &str| {
            scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(between)
        };
        match needs {
            RequiredScopes::Nothing => "nothing".to_owned(),
            RequiredScopes::All(all) => words(all, " and "),
            RequiredScopes::Any(some) => words(some, " or "),
        }
    }

    /// Returns every possible set of scopes.
    fn every_set() -> impl Iterator<Item = Scopes> {
        (0..1_u32 << Scope::ALL.len()).map(|bits| {
            let is_in = |(at, _): &(usize, Scope)| bits & 1 << at != 0;
            Scope::ALL.into_iter().enumerate().filter(is_in).map(|(_, scope)| scope).collect()
        })
    }

    #[test]
    fn every_command_has_a_name_in_the_list() {
        let all = every_kind();
        let mut words: Vec<&str> = all.map(|command| command.name()).collect();
        let mut listed = Command::NAMES.to_vec();
        words.sort_unstable();
        listed.sort_unstable();
        assert_eq!(words, listed);
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one line per command and read")]
    fn the_scopes_of_every_command_and_read() {
        let mut table = String::new();
        for command in every_kind() {
            writeln!(table, "{:<21}{}", command.name(), list(command.scopes())).unwrap();
        }
        for question in ReadOperation::ALL {
            writeln!(table, "{:<21}{}", format!("{question:?}?"), list(question.required_scopes()))
                .unwrap();
        }
        insta::assert_snapshot!(table, @"
        begin                submit and receive
        submit               submit
        pass_on              submit and receive
        revise               submit
        ask                  receive or decide
        answer               submit or receive
        decline              receive
        claim                receive
        renew                receive
        adopt                receive
        checkpoint           receive
        request_approval     receive
        withdraw             receive
        park                 receive
        release              receive
        return               receive
        verify               verify
        mark_delivered       receive
        apply_due            nothing
        accept               decide
        sign_off             decide
        edit                 decide
        reject               decide
        reroute              submit or decide
        intercept            decide
        cancel               submit or decide
        redrive              admin
        discard              admin
        halt                 admin
        add_party            admin
        begin_absence        admin or decide
        end_absence          admin or decide
        create_token         admin
        revoke_token         admin
        add_subscription     admin or read
        disable_subscription admin or read
        enable_subscription  admin or read
        remove_subscription  admin or read
        rotate_secret        admin or read
        publish_contract     admin
        publish_gate         admin
        set_rules            admin
        set_settings         admin
        record_restore       admin
        reset_clock          admin
        record_outage        admin
        record_undeliverable admin
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
        Subscriptions?       admin or read
        ");
    }

    #[test]
    fn a_command_is_refused_exactly_when_the_caller_lacks_a_scope_of_the_table() {
        for command in every_kind() {
            for scopes in every_set() {
                let mut world = World::new();
                let mut principal = world.principal("pia");
                principal.scopes = scopes;
                let refused = world.run_as(&principal, command.clone()).err();
                // Creating a token also requires the scopes of the new token, tested separately.
                let is_missing = refused.is_some_and(|no| no.code == RefusalCode::ScopeMissing);
                let is_expected = !command.scopes().are_met_by(scopes);
                let is_own = matches!(command, Command::CreateToken(_)) && !is_expected;
                assert!(is_own || is_missing == is_expected, "{} {scopes:?}", command.name());
            }
        }
    }

    #[test]
    fn an_agent_learns_that_a_person_decides_and_gets_no_hint_to_request_the_scope() {
        for command in every_command().into_iter().chain(every_decision()) {
            if command.scopes() != RequiredScopes::All(&[Scope::Decide]) {
                continue;
            }
            let mut world = World::new();
            let mut principal = world.principal("ben");
            principal.scopes =
                [Scope::Submit, Scope::Receive, Scope::Read, Scope::Verify].into_iter().collect();
            let word = command.name();
            let code = world.run_as(&principal, command).err().map(|refused| refused.code);
            assert_eq!(code, Some(RefusalCode::PersonNeeded), "{word}");
        }
    }

    #[test]
    fn all_missing_scopes_are_named_at_once() {
        let world = World::new();
        let refusal = |kind: ActorKind, needs: RequiredScopes| {
            let mut principal = world.principal("ben");
            principal.scopes = Scopes::none();
            principal.kind = kind;
            world.read_aloud(&scopes::require(&principal, needs).unwrap_err())
        };
        let (agent, human) = (ActorKind::Agent, ActorKind::Human);
        insta::assert_snapshot!(refusal(agent, RequiredScopes::All(&[Scope::Submit, Scope::Receive])), @"
        TK-SCOPE-MISSING: this credential lacks the scopes `submit`, `receive`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit,receive`
        ");
        insta::assert_snapshot!(refusal(human, RequiredScopes::Any(&[Scope::Submit, Scope::Decide])), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit` or `decide`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit`
        ");
        insta::assert_snapshot!(refusal(agent, RequiredScopes::Any(&[Scope::Submit, Scope::Decide])), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit`
        ");
    }
}
