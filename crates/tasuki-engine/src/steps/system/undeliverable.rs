//! Records that a notification could not be delivered to any recipient.
//!
//! The server sends this command once per event, after every channel of every recipient has failed.
//! The step appends `handoff.notification_failed`, which the card shows, and moves the handoff to
//! the next rung of its fallback ladder. A handoff that no longer waits for a person is left alone.

use serde::Serialize;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::{ActorKind, EventType};

use crate::model::{
    Change, Context, Handoff, HoldReason, NotificationFailure, PendingAction, PendingKind, Scope,
    State, UndeliverableReason,
};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback::{Cause, has_eligible_receiver, ladder, next_rung};
use crate::rules::recipients;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Records that a notification could not be delivered.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RecordUndeliverable {
    /// The pending action, with its event.
    pub wait: PendingAction,
    /// The reason for the failure.
    pub because: UndeliverableReason,
    /// `true` if the server sends mail, so that a mailbox is a channel.
    pub by_mail: bool,
}

impl Step for RecordUndeliverable {
    const NAME: &'static str = "record_undeliverable";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RecordUndeliverable {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.wait.handoff)
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self)
    }
}

fn decide(context: &Context<'_>, request: &RecordUndeliverable) -> Result<Change, Refusal> {
    if context.principal.kind != ActorKind::System {
        let message = "only the exchange can record a failed notification";
        return Err(Refusal::new(RefusalCode::NotAllowed, message)
            .hint("the server records it after it has tried to deliver"));
    }
    let PendingAction { n, kind, .. } = request.wait;
    let handoff = context.state.handoff(request.wait.handoff)?;
    let mut change = Change::default();
    if is_over(context, handoff, &request.wait) {
        change.answer.repeated = true;
        return Ok(change);
    }
    // Nothing moves during a halt; the server sends the command again later.
    if context.state.head.is_halted {
        return Err(Refusal::new(RefusalCode::ProjectHalted, "the project is halted")
            .hint("send it again after the halt is lifted"));
    }
    let mut after = handoff.clone();
    let party = recipients::addressee(handoff, kind);
    let event = change.record_event(EventType::NotificationFailed, handoff.id, context.actor());
    event.with("event", n).with("wait", kind.as_str()).with("because", request.because.as_str());
    if let Some(party) = party {
        event.with("party", party);
    }
    let (because, at) = (request.because, context.now);
    after.progress.notification_failure =
        Some(NotificationFailure { event: n, wait: kind, party, because, at });
    if moves(context, handoff, request) {
        next_rung(context.into(), &mut after, Cause::NoProgress, &mut change);
    }
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Returns `true` if the failure is recorded already, not pending, or not up to people.
fn is_over(context: &Context<'_>, handoff: &Handoff, wait: &PendingAction) -> bool {
    let is_recorded =
        handoff.progress.notification_failure.as_ref().is_some_and(|last| wait.n <= last.event);
    is_recorded
        || !recipients::is_still_pending(handoff, wait)
        || !recipients::is_up_to_people(&context.state.directory, handoff, wait.kind)
}

/// Returns `true` if the handoff goes to the next rung, as after a missed deadline.
fn moves(context: &Context<'_>, handoff: &Handoff, request: &RecordUndeliverable) -> bool {
    match &handoff.progress.state {
        // No deadline runs while a holder waits for an approval: it keeps the claim.
        State::Held(hold) if hold.approval_request.is_some() => return false,
        // The person who asked can decide without an answer.
        State::Held(_) if request.wait.kind == PendingKind::Question => return false,
        // The receiver may continue without an answer to a question that does not block.
        State::Offered(_) if request.wait.kind == PendingKind::Question => {
            let question = request.wait.question;
            let mut open = handoff.progress.questions.iter();
            if !open.any(|one| Some(one.id) == question && one.is_blocking) {
                return false;
            }
        }
        State::Held(_)
        | State::Offered(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => {}
    }
    match request.because {
        UndeliverableReason::Failed | UndeliverableReason::MailFailed => true,
        UndeliverableReason::NoChannel => has_reachable_rung(context, handoff, request.by_mail),
    }
}

/// Returns `true` if the ladder has an eligible receiver that can be reached. Otherwise a move
/// gains nothing: people without a channel have to look in either case.
fn has_reachable_rung(context: &Context<'_>, handoff: &Handoff, by_mail: bool) -> bool {
    let directory = &context.state.directory;
    let is_reached = |party: PartyId| match &handoff.progress.state {
        // The gate waits for the same people on every rung, and an agent cannot decide.
        State::Held(hold) if hold.reasons.iter().any(is_gate) => false,
        State::Held(_) => {
            directory.is_people(party)
                && recipients::has_person_with_channel(directory, party, by_mail)
        }
        State::Offered(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => recipients::is_reachable(directory, party, by_mail),
    };
    let used = usize::try_from(handoff.rung()).unwrap_or(usize::MAX);
    let rungs = ladder(handoff).iter().skip(used);
    let next = rungs.take_while(|step| step.to != "dead_letter");
    let for_this = next.filter(|step| step.on.as_deref().is_none_or(|on| on == "no_progress"));
    let mut parties = for_this.filter_map(|step| directory.rung(&step.to)).map(|party| party.id);
    parties.any(|party| has_eligible_receiver(directory, handoff, party) && is_reached(party))
}

const fn is_gate(reason: &HoldReason) -> bool {
    matches!(reason, HoldReason::Gate(_))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_api as api;

    use super::*;
    use crate::command::Command;
    use crate::model::Principal;
    use crate::query::events;
    use crate::steps::Answer;
    use crate::steps::decision::testing::{accept, hold};
    use crate::steps::question::ask;
    use crate::testing::{World, claim, halt, release, submit};

    /// Returns the command for the latest pending action.
    fn undeliverable(world: &World, because: UndeliverableReason) -> Command {
        let events: Vec<api::Event> =
            world.leaves.iter().map(|row| events::event(row).unwrap()).collect();
        let (wait, _) = *recipients::waits(&events).last().unwrap();
        Command::RecordUndeliverable(RecordUndeliverable { wait, because, by_mail: true })
    }

    /// Records the failure and checks the resulting state.
    #[track_caller]
    fn check(world: &mut World, because: UndeliverableReason, expected: &str) {
        let command = undeliverable(world, because);
        world.run_as(&Principal::system(), command).unwrap();
        assert_eq!(world.standing_of(world.newest()), expected);
    }

    #[track_caller]
    fn ignored(world: &mut World, command: Command) {
        let leaves = world.leaves.len();
        assert!(world.run_as(&Principal::system(), command).unwrap().repeated);
        assert_eq!(world.leaves.len(), leaves);
    }

    fn sent(to: &str, fallback: &Value) -> World {
        let mut world = World::new();
        world.change("quin", |quin, _| quin.channels.email = Some("quin@example.org".to_owned()));
        world.done("ana", submit(&json!({ "to_agent": to, "fallback": fallback })));
        world.advance(1);
        world
    }

    fn card(world: &World) -> Option<String> {
        let card = crate::view::handoff(&world.state.directory, world.handoff());
        let undeliverable = card.notification_failure?;
        let party = undeliverable.party.unwrap_or_else(|| "-".to_owned());
        Some(format!(
            "{} {} {} {party}",
            undeliverable.event, undeliverable.wait, undeliverable.because
        ))
    }

    #[test]
    fn a_failure_is_an_event_on_the_card_and_leads_to_the_next_rung() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let from = world.leaves.len();
        check(&mut world, UndeliverableReason::Failed, "offered to quin");
        insta::assert_snapshot!(world.story(from), @"
        handoff.notification_failed by system
        handoff.moved_on by system
        ");
        let leaf: Value = serde_json::from_str(&world.leaves[from].leaf).unwrap();
        let pia = world.id("pia").to_string();
        assert_eq!(
            leaf["attr"],
            json!({ "because": "failed", "event": 1, "party": pia, "wait": "offer" })
        );
        assert_eq!(card(&world).as_deref(), Some("1 offer failed pia"));
        let leaf: Value = serde_json::from_str(&world.leaves[from + 1].leaf).unwrap();
        assert_eq!(leaf["attr"]["because"], "no_progress");
    }

    #[test]
    fn every_rung_has_its_own_notification_and_the_last_is_the_dead_letter() {
        let mut world = sent("pia", &json!([{ "to": "quin" }, { "to": "role:people" }]));
        check(&mut world, UndeliverableReason::Failed, "offered to quin");
        check(&mut world, UndeliverableReason::Failed, "offered to role:people");
        check(&mut world, UndeliverableReason::Failed, "dead");
        assert_eq!(card(&world).as_deref(), Some("5 escalation failed role:people"));
    }

    #[test]
    fn a_rung_for_another_cause_is_skipped_as_after_a_missed_deadline() {
        let ladder =
            json!([{ "on": "declined", "to": "ben" }, { "on": "no_progress", "to": "quin" }]);
        check(&mut sent("pia", &ladder), UndeliverableReason::Failed, "offered to quin");
        let ladder = json!([{ "on": "declined", "to": "ben" }]);
        check(&mut sent("pia", &ladder), UndeliverableReason::NoChannel, "offered to pia");
    }

    #[test]
    fn without_a_channel_it_moves_only_to_a_reachable_receiver() {
        let check = |to: &str, ladder: &Value, expected: &str| {
            let mut world = sent(to, ladder);
            super::tests::check(&mut world, UndeliverableReason::NoChannel, expected);
            assert!(card(&world).is_some());
        };
        // Neither the dead letter nor another person without a channel is reachable.
        check("pia", &json!([]), "offered to pia");
        check("pia", &json!([{ "to": "dead_letter" }]), "offered to pia");
        check("pia", &json!([{ "to": "ana" }]), "offered to pia");
        check("pia", &json!([{ "to": "dead_letter" }, { "to": "ben" }]), "offered to pia");
        // A person with a channel and an agent are, also on a later rung.
        check("pia", &json!([{ "to": "quin" }]), "offered to quin");
        check("pia", &json!([{ "to": "ben" }]), "offered to ben");
        check("pia", &json!([{ "to": "role:people" }]), "offered to role:people");
        check("quin", &json!([{ "to": "pia" }, { "to": "ben" }]), "offered to pia");
    }

    #[test]
    fn a_mailbox_is_no_channel_where_no_mail_is_sent() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let Command::RecordUndeliverable(request) =
            undeliverable(&world, UndeliverableReason::NoChannel)
        else {
            panic!()
        };
        let command =
            Command::RecordUndeliverable(RecordUndeliverable { by_mail: false, ..request });
        world.run_as(&Principal::system(), command).unwrap();
        assert_eq!(world.standing(), "offered to pia");
    }

    #[test]
    fn a_failure_is_recorded_once_per_event() {
        let mut world = sent("pia", &json!([]));
        let command = undeliverable(&world, UndeliverableReason::NoChannel);
        world.run_as(&Principal::system(), command.clone()).unwrap();
        ignored(&mut world, command);
        world.advance(60);
        let again = undeliverable(&world, UndeliverableReason::Failed);
        ignored(&mut world, again);
        assert_eq!(world.standing(), "offered to pia");
    }

    #[test]
    fn an_action_that_is_no_longer_pending_is_ignored() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let late = undeliverable(&world, UndeliverableReason::Failed);
        world.done("pia", claim(world.newest()));
        ignored(&mut world, late.clone());
        let shown = world.shown();
        world.advance(1);
        world.done("pia", release(shown));
        // A new offer is another event.
        ignored(&mut world, late);
        check(&mut world, UndeliverableReason::Failed, "offered to quin");
        let late = undeliverable(&world, UndeliverableReason::Failed);
        let cancel = crate::steps::Cancel {
            handoff: world.newest(),
            seen: crate::steps::SeenVersion::default(),
            reason: None,
        };
        world.done("ana", Command::Cancel(cancel));
        ignored(&mut world, late);
    }

    #[test]
    fn an_offer_that_an_agent_can_claim_is_ignored() {
        let mut world = sent("ben", &json!([{ "to": "quin" }]));
        let command = undeliverable(&world, UndeliverableReason::NoChannel);
        ignored(&mut world, command);
    }

    #[test]
    fn a_hold_without_notification_goes_to_people_and_stays_a_hold() {
        let held = |fallback: Value| {
            let mut world = World::new();
            world.change("quin", |quin, _| quin.channels.email = Some("q@example.org".to_owned()));
            let more = json!({ "to_agent": "pia", "can_intercept": true, "fallback": fallback });
            world.done("ana", submit(&more));
            world
        };
        let mut world = held(json!([{ "to": "quin" }]));
        check(&mut world, UndeliverableReason::NoChannel, "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("quin"));
        assert_eq!(card(&world).as_deref(), Some("2 hold no_channel -"));
        // An agent cannot decide.
        let mut world = held(json!([{ "to": "ben" }]));
        check(&mut world, UndeliverableReason::NoChannel, "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("pia"));
        world.advance(1);
        let command = accept(&world);
        world.done("quin", command);
        assert_eq!(card(&world), None);
    }

    #[test]
    fn a_gate_is_never_skipped() {
        let gated = || {
            let mut world = World::new();
            world.change("quin", |quin, _| quin.channels.email = Some("q@example.org".to_owned()));
            world.gate(json!({
                "gate": "release", "version": "1.0",
                "factors": [{ "name": "safety", "roles": ["role:people"] }],
            }));
            world.contract(&json!({ "gates": ["release"] }));
            world.done("ana", submit(&json!({})));
            world
        };
        check(&mut gated(), UndeliverableReason::NoChannel, "held for gate:release");
        let mut world = gated();
        check(&mut world, UndeliverableReason::Failed, "held for gate:release");
        assert_eq!(world.handoff().facts.receiver, world.id("role:people"));
        check(&mut world, UndeliverableReason::Failed, "dead");
    }

    #[test]
    fn a_holder_that_waits_for_approval_keeps_its_claim() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "fallback": [{ "to": "cem" }] })));
        world.done("ben", claim(world.newest()));
        world.done("ben", hold(&world, json!({ "run": "make publish" })));
        check(&mut world, UndeliverableReason::Failed, "held for action, by ben");
        assert!(card(&world).is_some());
    }

    #[test]
    fn only_a_blocking_question_moves_the_handoff() {
        let asked = |is_blocking: bool| {
            let mut world = World::new();
            world.done("pia", submit(&json!({ "fallback": [{ "to": "cem" }] })));
            let (handoff, text) = (world.newest(), "which region?".to_owned());
            let question = ask::Ask { handoff, field: None, text, is_blocking };
            world.advance(1);
            world.done("ben", Command::Ask(question));
            world
        };
        let mut world = asked(false);
        check(&mut world, UndeliverableReason::Failed, "offered to ben");
        assert_eq!(card(&world).as_deref(), Some("3 question failed pia"));
        check(&mut asked(true), UndeliverableReason::NoChannel, "offered to cem");
        // An answered question needs no notification.
        world.advance(1);
        let answer = Answer {
            handoff: world.newest(),
            question: None,
            text: Some("eu".to_owned()),
            source: None,
            seen: crate::steps::SeenVersion::default(),
        };
        world.done("pia", Command::Answer(answer));
        assert_eq!(card(&world), None);
    }

    #[test]
    fn nothing_moves_while_the_project_is_halted() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let command = undeliverable(&world, UndeliverableReason::Failed);
        world.done("pia", halt(false));
        let refusal = world.run_as(&Principal::system(), command.clone()).unwrap_err();
        insta::assert_snapshot!(world.read_aloud(&refusal), @"
        TK-PROJECT-HALTED: the project is halted
        hint: send it again after the halt is lifted
        ");
        world.done("pia", halt(true));
        world.run_as(&Principal::system(), command).unwrap();
        assert_eq!(world.standing(), "offered to quin");
    }

    #[test]
    fn only_the_exchange_records_a_failure() {
        let mut world = sent("pia", &json!([]));
        let command = undeliverable(&world, UndeliverableReason::Failed);
        insta::assert_snapshot!(world.refusal("quin", command), @"
        TK-NOT-ALLOWED: only the exchange can record a failed notification
        hint: the server records it after it has tried to deliver
        ");
    }

    #[test]
    fn the_card_shows_the_failure_until_the_handoff_is_claimed() {
        let mut world = sent("role:people", &json!([]));
        check(&mut world, UndeliverableReason::NoChannel, "offered to role:people");
        assert_eq!(card(&world).as_deref(), Some("1 offer no_channel role:people"));
        world.advance(1);
        world.done("quin", claim(world.newest()));
        assert_eq!(card(&world), None);
        let shown = world.shown();
        world.advance(1);
        world.done("quin", release(shown));
        assert_eq!(card(&world), None);
    }
}
