//! Nobody could be told of what waits for a person: an event, shown on the card, and the next rung.
//!
//! Only a server tells anybody, so only a server says this. It is said once for each event, by its
//! number; what the next rung brings is an event of its own, and judged by itself. What nobody waits
//! for any more is passed over.

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

/// Nobody could be told of an event.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RecordUndeliverable {
    /// What waits, since which event.
    pub wait: PendingAction,
    /// Why nobody was told.
    pub because: UndeliverableReason,
    /// Whether whoever says this sends mail, so that people with a mailbox can be told.
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

/// Decides what becomes of a handoff of which nobody could be told.
fn decide(context: &Context<'_>, request: &RecordUndeliverable) -> Result<Change, Refusal> {
    if context.principal.kind != ActorKind::System {
        let message = "only the exchange itself says that nobody could be told";
        return Err(
            Refusal::new(RefusalCode::NotAllowed, message).hint("a server does, when it has tried")
        );
    }
    let PendingAction { n, kind, .. } = request.wait;
    let handoff = context.state.handoff(request.wait.handoff)?;
    let mut change = Change::default();
    if is_over(context, handoff, &request.wait) {
        change.answer.repeated = true;
        return Ok(change);
    }
    // Nothing moves while the project is halted; whoever tells says it again later.
    if context.state.head.is_halted {
        return Err(Refusal::new(RefusalCode::ProjectHalted, "the project is halted")
            .hint("say it again when the halt is lifted"));
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

/// Whether there is nothing to say: it was said, it no longer waits, or an agent goes on with it.
fn is_over(context: &Context<'_>, handoff: &Handoff, wait: &PendingAction) -> bool {
    let is_said =
        handoff.progress.notification_failure.as_ref().is_some_and(|last| wait.n <= last.event);
    is_said
        || !recipients::is_still_pending(handoff, wait)
        || !recipients::is_up_to_people(&context.state.directory, handoff, wait.kind)
}

/// Whether the next rung is taken, as after a missed deadline.
fn moves(context: &Context<'_>, handoff: &Handoff, request: &RecordUndeliverable) -> bool {
    match &handoff.progress.state {
        // While a holder asks leave no deadline runs: the claim stays with it.
        State::Held(hold) if hold.approval_request.is_some() => return false,
        // Whoever asked may go on without the answer.
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
        UndeliverableReason::Failed => true,
        UndeliverableReason::NoChannel => helps(context, handoff, request.by_mail),
    }
}

/// Whether the ladder leads to somebody who is better off. Where nobody has a channel people look by
/// themselves, and neither another person without one nor the dead letter looks for them.
fn helps(context: &Context<'_>, handoff: &Handoff, by_mail: bool) -> bool {
    let directory = &context.state.directory;
    let is_reached = |party: PartyId| match &handoff.progress.state {
        // On any rung the gate waits for the same people, and an agent decides nothing.
        State::Held(hold) if hold.reasons.iter().any(is_gate) => false,
        State::Held(_) => {
            directory.is_people(party) && recipients::is_told(directory, party, by_mail)
        }
        State::Offered(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => recipients::is_reached(directory, party, by_mail),
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

    /// The newest thing that waits, as a server says that nobody could be told of it.
    fn untold(world: &World, because: UndeliverableReason) -> Command {
        let events: Vec<api::Event> =
            world.leaves.iter().map(|row| events::event(row).unwrap()).collect();
        let (wait, _) = *recipients::waits(&events).last().unwrap();
        Command::RecordUndeliverable(RecordUndeliverable { wait, because, by_mail: true })
    }

    /// The exchange says it, and this is where the handoff stands afterwards.
    #[track_caller]
    fn check(world: &mut World, because: UndeliverableReason, expected: &str) {
        let command = untold(world, because);
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
        let untold = card.notification_failure?;
        let party = untold.party.unwrap_or_else(|| "-".to_owned());
        Some(format!("{} {} {} {party}", untold.event, untold.wait, untold.because))
    }

    #[test]
    fn it_is_an_event_on_the_card_and_the_next_rung() {
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
    fn every_rung_is_judged_by_itself_and_the_last_is_the_dead_letter() {
        let mut world = sent("pia", &json!([{ "to": "quin" }, { "to": "role:people" }]));
        check(&mut world, UndeliverableReason::Failed, "offered to quin");
        check(&mut world, UndeliverableReason::Failed, "offered to role:people");
        check(&mut world, UndeliverableReason::Failed, "dead");
        assert_eq!(card(&world).as_deref(), Some("5 escalation failed role:people"));
    }

    #[test]
    fn a_rung_for_another_cause_is_passed_by_as_after_a_missed_deadline() {
        let ladder =
            json!([{ "on": "declined", "to": "ben" }, { "on": "no_progress", "to": "quin" }]);
        check(&mut sent("pia", &ladder), UndeliverableReason::Failed, "offered to quin");
        let ladder = json!([{ "on": "declined", "to": "ben" }]);
        check(&mut sent("pia", &ladder), UndeliverableReason::NoChannel, "offered to pia");
    }

    #[test]
    fn without_a_channel_it_moves_only_to_somebody_who_is_better_off() {
        let check = |to: &str, ladder: &Value, expected: &str| {
            let mut world = sent(to, ladder);
            super::tests::check(&mut world, UndeliverableReason::NoChannel, expected);
            assert!(card(&world).is_some());
        };
        // Neither the dead letter nor another person without a channel.
        check("pia", &json!([]), "offered to pia");
        check("pia", &json!([{ "to": "dead_letter" }]), "offered to pia");
        check("pia", &json!([{ "to": "role:nobody" }]), "offered to pia");
        check("pia", &json!([{ "to": "dead_letter" }, { "to": "ben" }]), "offered to pia");
        // A person with one, an agent, or a rung on the way to them.
        check("pia", &json!([{ "to": "quin" }]), "offered to quin");
        check("pia", &json!([{ "to": "ben" }]), "offered to ben");
        check("pia", &json!([{ "to": "role:people" }]), "offered to role:people");
        check("quin", &json!([{ "to": "pia" }, { "to": "ben" }]), "offered to pia");
    }

    #[test]
    fn a_person_with_a_mailbox_is_no_better_off_where_no_mail_is_sent() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let Command::RecordUndeliverable(request) = untold(&world, UndeliverableReason::NoChannel)
        else {
            panic!()
        };
        let command =
            Command::RecordUndeliverable(RecordUndeliverable { by_mail: false, ..request });
        world.run_as(&Principal::system(), command).unwrap();
        assert_eq!(world.standing(), "offered to pia");
    }

    #[test]
    fn it_is_said_once_for_each_event() {
        let mut world = sent("pia", &json!([]));
        let command = untold(&world, UndeliverableReason::NoChannel);
        world.run_as(&Principal::system(), command.clone()).unwrap();
        ignored(&mut world, command);
        world.advance(60);
        let again = untold(&world, UndeliverableReason::Failed);
        ignored(&mut world, again);
        assert_eq!(world.standing(), "offered to pia");
    }

    #[test]
    fn what_waits_no_longer_is_passed_over() {
        let mut world = sent("pia", &json!([{ "to": "quin" }]));
        let late = untold(&world, UndeliverableReason::Failed);
        world.done("pia", claim(world.newest()));
        ignored(&mut world, late.clone());
        let shown = world.shown();
        world.advance(1);
        world.done("pia", release(shown));
        // It is offered again, and that is another event.
        ignored(&mut world, late);
        check(&mut world, UndeliverableReason::Failed, "offered to quin");
        let late = untold(&world, UndeliverableReason::Failed);
        let cancel = crate::steps::Cancel {
            handoff: world.newest(),
            seen: crate::steps::SeenVersion::default(),
            reason: None,
        };
        world.done("ana", Command::Cancel(cancel));
        ignored(&mut world, late);
    }

    #[test]
    fn what_an_agent_can_take_is_not_judged() {
        let mut world = sent("ben", &json!([{ "to": "quin" }]));
        let command = untold(&world, UndeliverableReason::NoChannel);
        ignored(&mut world, command);
    }

    #[test]
    fn a_hold_that_nobody_heard_of_goes_to_people_and_stays_a_hold() {
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
        // An agent decides nothing.
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
    fn a_holder_that_asks_leave_keeps_its_claim() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "fallback": [{ "to": "cem" }] })));
        world.done("ben", claim(world.newest()));
        world.done("ben", hold(&world, json!({ "run": "make publish" })));
        check(&mut world, UndeliverableReason::Failed, "held for action, by ben");
        assert!(card(&world).is_some());
    }

    #[test]
    fn a_question_moves_it_only_if_nobody_may_go_on_without_the_answer() {
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
        // Once there is an answer, nobody need be told.
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
        let command = untold(&world, UndeliverableReason::Failed);
        world.done("pia", halt(false));
        let refusal = world.run_as(&Principal::system(), command.clone()).unwrap_err();
        insta::assert_snapshot!(world.read_aloud(&refusal), @"
        TK-PROJECT-HALTED: the project is halted
        hint: say it again when the halt is lifted
        ");
        world.done("pia", halt(true));
        world.run_as(&Principal::system(), command).unwrap();
        assert_eq!(world.standing(), "offered to quin");
    }

    #[test]
    fn only_the_exchange_says_it() {
        let mut world = sent("pia", &json!([]));
        let command = untold(&world, UndeliverableReason::Failed);
        insta::assert_snapshot!(world.refusal("quin", command), @"
        TK-NOT-ALLOWED: only the exchange itself says that nobody could be told
        hint: a server does, when it has tried
        ");
    }

    #[test]
    fn the_card_shows_it_until_somebody_has_it() {
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
