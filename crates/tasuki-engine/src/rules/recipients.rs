//! Pending actions: the people to notify of each, and the channels that reach them.
//!
//! The exchange notifies people without any subscription. Offers and escalations go to the
//! receiver, holds to the people who may decide, questions to the sender, failures to the sender and
//! the operators. A failed notification is recorded by `steps/system/undeliverable`.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    Directory, FailureKind, Handoff, Hold, HoldReason, Party, PartyKind, PendingAction,
    PendingKind, Scope, State, SubscriptionRecord, UndeliverableReason, failure,
};
use crate::ports::LeafRow;
use crate::rules::gate::AtGate;
use crate::rules::{deciders, deputies};

/// The cause of a notification that failed by email.
const MAIL_FAILED: &str = UndeliverableReason::MailFailed.as_str();

/// The people who operate a project: those that the server names, and those with a live token with
/// the scope `admin`.
#[derive(Debug, Clone, Copy)]
pub struct Operators<'a> {
    /// The names in the settings of the server.
    pub named: &'a [String],
    /// The time at which tokens must be live.
    pub now: Timestamp,
}

/// Returns the pending actions of a page of events, in their order.
///
/// A step may append several events at one instant. Only the last of them shows the resulting
/// state, so the earlier ones are dropped, except questions and failures.
pub fn waits(events: &[api::Event]) -> Vec<(PendingAction, &api::Event)> {
    let mut waits: Vec<(PendingAction, &api::Event)> = Vec::new();
    for event in events {
        let Some(wait) = wait(event) else { continue };
        if !stands_alone(wait.kind) {
            waits.retain(|(other, _)| {
                let is_same = (other.handoff, other.at) == (wait.handoff, wait.at);
                !is_same || stands_alone(other.kind)
            });
        }
        waits.push((wait, event));
    }
    waits
}

/// Returns `true` if later events of the same step do not replace an action.
const fn stands_alone(kind: PendingKind) -> bool {
    matches!(kind, PendingKind::Question | PendingKind::Failure(_))
}

/// Returns the pending action of an event.
#[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
fn wait(event: &api::Event) -> Option<PendingAction> {
    let handoff: HandoffId = event.handoff.as_ref()?.parse().ok()?;
    let attribute = |name: &str| event.attributes.get(name).and_then(Value::as_str);
    let is_now = |state: &str| event.after.as_deref() == Some(state);
    let kind = match EventType::named(&event.kind)? {
        EventType::Asked => PendingKind::Question,
        EventType::Held if is_now("held") => PendingKind::Hold,
        // Without a receiver the rung was skipped.
        EventType::MovedOn if attribute("receiver").is_some() && !is_now("held") => {
            PendingKind::Escalation
        }
        EventType::Rejected | EventType::Denied if is_now("rejected") => {
            PendingKind::Failure(FailureKind::Rejected)
        }
        EventType::Died => PendingKind::Failure(FailureKind::Dead),
        // A failed email is not reported by email.
        EventType::NotificationFailed if attribute("because") != Some(MAIL_FAILED) => {
            PendingKind::Failure(FailureKind::NotificationFailed)
        }
        kind if is_now("offered") && offers(kind) => PendingKind::Offer,
        _ => return None,
    };
    let question = attribute("question").and_then(|id| id.parse().ok());
    Some(PendingAction { handoff, n: event.n, at: event.at, kind, question })
}

/// Returns `true` if an event makes an offer or renews it for another revision.
const fn offers(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::Submitted
            | EventType::Accepted
            | EventType::SignedOff
            | EventType::Revised
            | EventType::Edited
            | EventType::Answered
            | EventType::Rerouted
            | EventType::Parked
            | EventType::Released
            | EventType::Lapsed
            | EventType::FailedVerification
            | EventType::Redriven
    )
}

/// The edge in the details of a leaf.
#[derive(Deserialize)]
struct Edge<'r> {
    #[serde(borrow)]
    from: Option<Cow<'r, str>>,
    #[serde(borrow)]
    to: Option<Cow<'r, str>>,
}

/// Returns `true` if a leaf may create a pending action for a person. It reads only what it needs,
/// because most leaves do not.
pub fn may_leave_waiting(directory: &Directory, row: &LeafRow) -> bool {
    may_wait(directory, row.kind, |kind| {
        // The reader of the whole event reports damage.
        let Ok(edge) = serde_json::from_str::<Edge<'_>>(&row.detail) else { return true };
        concerns(directory, kind, edge.from.as_deref(), edge.to.as_deref())
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
fn may_wait(
    directory: &Directory,
    event: EventType,
    concerns: impl FnOnce(PendingKind) -> bool,
) -> bool {
    let kind = match event {
        EventType::Held | EventType::MovedOn => return true,
        EventType::Rejected | EventType::Denied => PendingKind::Failure(FailureKind::Rejected),
        EventType::Died => PendingKind::Failure(FailureKind::Dead),
        EventType::NotificationFailed => PendingKind::Failure(FailureKind::NotificationFailed),
        EventType::Asked => PendingKind::Question,
        kind if offers(kind) => PendingKind::Offer,
        _ => return false,
    };
    directory.people().next().is_some() && concerns(kind)
}

/// Returns `true` if the event itself does not rule out that people are concerned.
pub fn may_concern_people(directory: &Directory, kind: PendingKind, event: &api::Event) -> bool {
    concerns(directory, kind, event.from.as_deref(), event.to.as_deref())
}

fn concerns(
    directory: &Directory,
    kind: PendingKind,
    from: Option<&str>,
    to: Option<&str>,
) -> bool {
    let party = notified_party(kind, from, to).and_then(|name| directory.find(name).ok());
    is_for_people(directory, party)
}

/// Returns the party at the end of the edge that is notified, as far as the event shows it.
fn notified_party<T>(kind: PendingKind, from: Option<T>, to: Option<T>) -> Option<T> {
    match kind {
        PendingKind::Offer => to,
        PendingKind::Question => from,
        PendingKind::Hold | PendingKind::Escalation | PendingKind::Failure(_) => None,
    }
}

/// Returns `true` if a party includes people. An unknown party may.
fn is_for_people(directory: &Directory, party: Option<&Party>) -> bool {
    party.is_none_or(|party| !people_of(directory, party.id).is_empty())
}

/// Returns `true` if the action is still pending: no one has decided, claimed or moved the handoff.
pub fn is_still_pending(handoff: &Handoff, wait: &PendingAction) -> bool {
    match (&handoff.progress.state, wait.kind) {
        (State::Offered(_) | State::Held(_), PendingKind::Question) => {
            handoff.progress.questions.iter().any(|open| Some(open.id) == wait.question)
        }
        (State::Held(hold), PendingKind::Hold) => hold.pending_since() == wait.at,
        (State::Offered(offer), PendingKind::Offer | PendingKind::Escalation) => {
            offer.since == wait.at
        }
        (State::Returned(returned), PendingKind::Escalation) => returned.since == wait.at,
        (_, PendingKind::Failure(kind)) => {
            failure::of(handoff).is_some_and(|failure| failure.kind == kind)
        }
        _ => false,
    }
}

/// Returns the people to notify of a pending action.
pub fn people<'d>(
    directory: &'d Directory,
    handoff: &Handoff,
    kind: PendingKind,
    operators: &Operators<'_>,
) -> Vec<&'d Party> {
    // A task that a program began by itself waits for no one.
    if handoff.progress.ends_at.is_some() && kind == PendingKind::Offer {
        return Vec::new();
    }
    if let PendingKind::Failure(_) = kind {
        let is_told = |person: &&Party| {
            person.id == handoff.facts.sender || operators.include(directory, person)
        };
        return directory.people().filter(is_told).collect();
    }
    let people = match addressee(handoff, kind) {
        Some(party) => people_of(directory, party),
        None => not_yet_notified(directory, handoff, deciders(directory, handoff)),
    };
    if kind == PendingKind::Question {
        return people;
    }
    with_deputies(directory, handoff, people, operators.now)
}

/// Adds the deputies of those who are away, where a deputy may act.
fn with_deputies<'d>(
    directory: &'d Directory,
    handoff: &Handoff,
    mut people: Vec<&'d Party>,
    now: Timestamp,
) -> Vec<&'d Party> {
    for person in people.clone() {
        let Some(absence) = deputies::absence(directory, person.id, now) else { continue };
        let both = (person.id, absence.deputy);
        let is_known = people.iter().any(|known| known.id == absence.deputy);
        if !is_known && deputies::may_replace(directory, handoff, both, now) {
            people.extend(directory.party(absence.deputy));
        }
    }
    people
}

/// Leaves out the people who were notified before a hold escalated. If there are no others, they are
/// notified again.
fn not_yet_notified<'d>(
    directory: &Directory,
    handoff: &Handoff,
    all: Vec<&'d Party>,
) -> Vec<&'d Party> {
    let State::Held(hold) = &handoff.progress.state else { return all };
    let mut others = all.clone();
    others.retain(|person| !deciders::was_asked_before(directory, handoff, hold, person.id));
    if others.is_empty() { all } else { others }
}

impl Operators<'_> {
    fn include(&self, directory: &Directory, person: &Party) -> bool {
        let has_token = || {
            let mut tokens = directory.tokens().into_iter().filter(|one| one.party == person.id);
            tokens.any(|one| one.is_live(self.now) && one.scopes.has(Scope::Admin))
        };
        self.named.contains(&person.name) || has_token()
    }
}

/// Returns `true` if only people can act. Agents poll, and need no notification. A failure stays in
/// the inbox if no one can be notified of it.
pub fn is_up_to_people(directory: &Directory, handoff: &Handoff, kind: PendingKind) -> bool {
    if let PendingKind::Failure(_) = kind {
        return false;
    }
    addressee(handoff, kind).is_none_or(|party| directory.is_people(party))
}

/// Returns the party to notify. A hold has none, because any decider may act.
pub fn addressee(handoff: &Handoff, kind: PendingKind) -> Option<PartyId> {
    match (kind, &handoff.progress.state) {
        (PendingKind::Hold, _) => None,
        (PendingKind::Question, _) => {
            Some(handoff.claim().map_or(handoff.facts.sender, |claim| claim.holder))
        }
        (_, State::Returned(_)) => handoff.progress.judge.or(Some(handoff.facts.sender)),
        (PendingKind::Offer | PendingKind::Escalation, _) => Some(handoff.facts.receiver),
        (PendingKind::Failure(_), _) => Some(handoff.facts.sender),
    }
}

/// Returns the people who may decide about a hold. For gates these are the possible signers, for
/// other reasons the people who receive the work, or else any person. No one decides about work
/// that they sent or an action that they requested.
fn deciders<'d>(directory: &'d Directory, handoff: &Handoff) -> Vec<&'d Party> {
    let State::Held(hold) = &handoff.progress.state else { return Vec::new() };
    let mut own = people_of(directory, handoff.facts.receiver);
    let may_decide = |person: PartyId| deciders::admit(directory, hold, person, hold.since);
    own.retain(|person| !is_own(handoff, hold, person.id) && may_decide(person.id));
    let is_plain = |reason: &HoldReason| !matches!(reason, HoldReason::Gate(_));
    let takes_plain = |party: &Party| {
        hold.reasons.iter().any(is_plain)
            && may_decide(party.id)
            && (own.is_empty() || own.iter().any(|o| o.id == party.id))
    };
    let decides = |party: &&Party| {
        !is_own(handoff, hold, party.id)
            && (takes_plain(party) || signs(directory, handoff, hold, party.id))
    };
    directory.people().filter(decides).collect()
}

fn is_own(handoff: &Handoff, hold: &Hold, party: PartyId) -> bool {
    let asking = hold.approval_request.as_ref().map(|asked| asked.claim.holder);
    handoff.facts.sender == party || asking == Some(party)
}

fn signs(directory: &Directory, handoff: &Handoff, hold: &Hold, party: PartyId) -> bool {
    let gates = hold.reasons.iter().filter_map(|reason| {
        if let HoldReason::Gate(digest) = reason {
            AtGate::new(directory, handoff, digest, hold.since)
        } else {
            None
        }
    });
    gates.into_iter().any(|gate| !gate.factors_for(party).is_empty())
}

/// Returns the person, or the people in the role.
fn people_of(directory: &Directory, party: PartyId) -> Vec<&Party> {
    match directory.party(party) {
        None => Vec::new(),
        // Most parties are agents, and need no search through the people.
        Some(found) if found.members.is_empty() => {
            Some(found).filter(|party| party.kind == PartyKind::Human).into_iter().collect()
        }
        Some(_) => {
            let is_in = |person: &&Party| directory.is_or_is_in(person.id, party);
            directory.people().filter(is_in).collect()
        }
    }
}

/// Returns the active subscriptions of a person.
pub fn subscriptions_of(
    directory: &Directory,
    person: PartyId,
) -> impl Iterator<Item = &SubscriptionRecord> {
    let all = directory.subscriptions().into_iter().map(std::convert::AsRef::as_ref);
    all.filter(move |one| one.party == person && one.is_active())
}

/// Returns the subscriptions that a person had at this instant and that have failed permanently.
pub fn lost_subscriptions(
    directory: &Directory,
    person: PartyId,
    then: Timestamp,
) -> impl Iterator<Item = &SubscriptionRecord> {
    let all = directory.subscriptions().into_iter().map(std::convert::AsRef::as_ref);
    all.filter(move |one| one.party == person && one.has_failed_since(then))
}

/// Returns `true` if a party has a member who is an agent, which polls, or a person with a channel.
pub fn is_reachable(directory: &Directory, party: PartyId, by_mail: bool) -> bool {
    let is_agent =
        |id: &PartyId| directory.party(*id).is_some_and(|found| found.kind == PartyKind::Agent);
    let members = directory.party(party).map_or(&[][..], |found| &found.members);
    is_agent(&party)
        || members.iter().any(is_agent)
        || has_person_with_channel(directory, party, by_mail)
}

/// Returns `true` if a person, or any person in a role, has a channel.
pub fn has_person_with_channel(directory: &Directory, party: PartyId, by_mail: bool) -> bool {
    people_of(directory, party).into_iter().any(|person| has_channel(directory, person, by_mail))
}

/// Returns `true` if any person of the project has a channel.
pub fn is_anybody_told(directory: &Directory, by_mail: bool) -> bool {
    directory.people().any(|person| has_channel(directory, person, by_mail))
}

/// Returns `true` if a person has a channel outside the exchange. Signing in to look is not a
/// channel (docs/decisions/0013).
fn has_channel(directory: &Directory, person: &Party, by_mail: bool) -> bool {
    (by_mail && person.channels.email.is_some())
        || subscriptions_of(directory, person.id).next().is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::{Channel, EventFilter, Principal, Record, Status};
    use crate::query::events;
    use crate::steps::decision::testing::{accept, gated, hold, intercept};
    use crate::steps::question::ask;
    use crate::steps::system::undeliverable::RecordUndeliverable;
    use crate::steps::{Answer, Reject, SeenVersion, submit as submitting};
    use crate::testing::{World, claim, decline, release, return_packet, submit};

    /// Returns the people notified of each pending action, as `event kind: names`.
    fn notified(world: &World, from: usize) -> String {
        let events: Vec<api::Event> =
            world.leaves.iter().skip(from).map(|row| events::event(row).unwrap()).collect();
        for (wait, event) in waits(&events) {
            let row = world.leaves.iter().find(|row| row.n == event.n).unwrap();
            let directory = &world.state.directory;
            let may_concern = may_concern_people(directory, wait.kind, event);
            assert_eq!(may_leave_waiting(directory, row), may_concern, "{}", event.kind);
        }
        let line = |(wait, event): (PendingAction, &api::Event)| {
            let handoff = world.state.handoff(wait.handoff).unwrap();
            let directory = &world.state.directory;
            let operators = Operators { named: &["quin".to_owned()], now: world.now };
            let people = people(directory, handoff, wait.kind, &operators);
            let names: Vec<&str> = people.iter().map(|party| party.name.as_str()).collect();
            let mark = if is_still_pending(handoff, &wait) { "" } else { " (over)" };
            let agents =
                if is_up_to_people(directory, handoff, wait.kind) { "" } else { ", or agents" };
            let kind = wait.kind.as_str();
            format!("{} {kind}: {}{agents}{mark}", event.kind, names.join(" "))
        };
        waits(&events).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn failures_are_for_the_sender_and_the_operators() {
        let mut world = World::new();
        world.done("pia", submit(&json!({})));
        let from = world.leaves.len();
        world.done("ben", decline(world.newest()));
        assert_eq!(notified(&world, from), "handoff.died dead: pia quin, or agents");

        let mut world = World::new();
        world.done("ana", submit(&json!({ "can_intercept": true })));
        let from = world.leaves.len();
        let reject = Reject {
            handoff: world.newest(),
            seen: SeenVersion::default(),
            reason: Some("no".to_owned()),
        };
        world.done("pia", Command::Reject(reject));
        assert_eq!(notified(&world, from), "handoff.rejected rejected: quin, or agents");
    }

    #[test]
    fn a_failed_notification_is_reported_unless_it_was_an_email() {
        let failed = |because: UndeliverableReason| {
            let mut world = World::new();
            world.done(
                "ana",
                submit(&json!({ "to_agent": "pia", "fallback": [{ "to": "role:people" }] })),
            );
            let from = world.leaves.len();
            let handoff = world.newest();
            let (n, at) = (world.leaves[from - 1].n, world.now);
            let wait = PendingAction { handoff, n, at, kind: PendingKind::Offer, question: None };
            let command = RecordUndeliverable { wait, because, by_mail: true };
            world.run_as(&Principal::system(), Command::RecordUndeliverable(command)).unwrap();
            notified(&world, from)
        };
        insta::assert_snapshot!(failed(UndeliverableReason::Failed), @"
        handoff.notification_failed notification_failed: quin, or agents
        handoff.moved_on escalation: pia quin
        ");
        insta::assert_snapshot!(failed(UndeliverableReason::MailFailed), @"handoff.moved_on escalation: pia quin");
    }

    #[test]
    fn without_people_only_actions_that_need_a_person_are_pending() {
        let mut world = World::new();
        for name in ["pia", "quin"] {
            world.change(name, |party, _| party.kind = PartyKind::Agent);
        }
        world.done("ana", submit(&json!({})));
        world.done("ana", submit(&json!({ "task_id": "task-2", "can_intercept": true })));
        let directory = &world.state.directory;
        let left = world.leaves.iter().filter(|row| may_leave_waiting(directory, row));
        let kinds: Vec<EventType> = left.map(|row| row.kind).collect();
        assert_eq!(kinds, [EventType::Held]);
    }

    #[test]
    fn an_offer_is_for_its_receiver_and_for_the_people_in_a_role() {
        let check = |to: &str, expected: &str| {
            let mut world = World::new();
            world.add("role:both", PartyKind::Role);
            world.change("role:both", |role, id| role.members = vec![id("ben"), id("pia")]);
            world.done("ana", submit(&json!({ "to_agent": to })));
            assert_eq!(notified(&world, 0), format!("handoff.submitted offer: {expected}"), "{to}");
        };
        check("pia", "pia");
        check("role:people", "pia quin");
        check("role:both", "pia, or agents");
        check("ben", ", or agents");
    }

    #[test]
    fn a_hold_is_for_its_deciders_and_never_for_its_sender() {
        let held = |from: &str, to: &str| {
            let mut world = World::new();
            world.done(from, submit(&json!({ "to_agent": to, "can_intercept": true })));
            notified(&world, 0)
        };
        assert_eq!(held("ana", "ben"), "handoff.held hold: pia quin");
        assert_eq!(held("ana", "pia"), "handoff.held hold: pia");
        assert_eq!(held("pia", "ben"), "handoff.held hold: quin");
        assert_eq!(held("pia", "role:people"), "handoff.held hold: quin");
    }

    #[test]
    fn a_hold_at_a_gate_is_for_those_who_can_sign() {
        let mut world = World::new();
        world.add("eva", PartyKind::Human);
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
        }));
        world.contract(&json!({ "gates": ["release"] }));
        world.done("ana", submit(&json!({})));
        assert_eq!(notified(&world, 0), "handoff.held hold: pia quin");
        // A plain reason beside it is for everyone.
        world.done("ana", submit(&json!({ "task_id": "task-2", "can_intercept": true })));
        assert!(notified(&world, 0).ends_with("handoff.held hold: eva pia quin"));
        let signed = gated(&json!({}));
        assert!(notified(&signed, 0).contains("handoff.held hold: "));
    }

    #[test]
    fn an_approval_request_is_for_everyone_but_its_holder() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "to_agent": "pia" })));
        world.done("pia", claim(world.newest()));
        let from = world.leaves.len();
        world.done("pia", hold(&world, json!({ "run": "make publish" })));
        assert_eq!(notified(&world, from), "handoff.held hold: quin");
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        let from = world.leaves.len();
        world.done("ben", hold(&world, json!({ "run": "make publish" })));
        assert_eq!(notified(&world, from), "handoff.held hold: pia quin");
    }

    #[test]
    fn a_question_is_for_its_sender_as_long_as_it_is_open() {
        let mut world = World::new();
        world.done("pia", submit(&json!({})));
        let question = |world: &World| {
            let text = "which region?".to_owned();
            let handoff = world.newest();
            Command::Ask(ask::Ask { handoff, field: None, text, is_blocking: true })
        };
        let from = world.leaves.len();
        world.done("ben", question(&world));
        assert_eq!(notified(&world, from), "handoff.asked question: pia");
        let answer = Answer {
            handoff: world.newest(),
            question: None,
            text: Some("eu".to_owned()),
            source: None,
            seen: crate::steps::SeenVersion::default(),
        };
        world.done("pia", Command::Answer(answer));
        insta::assert_snapshot!(notified(&world, from), @"
        handoff.asked question: pia (over)
        handoff.answered offer: , or agents
        ");
    }

    #[test]
    fn only_the_last_event_of_a_step_is_notified() {
        let mut world = World::new();
        world.contract(&json!({ "lease": { "attempts": 1 } }));
        world.done("ana", submit(&json!({ "can_intercept": true })));
        let command = accept(&world);
        world.advance(1);
        world.done("pia", command);
        world.done("ben", claim(world.newest()));
        world.advance(30 * 60);
        world.apply_due();
        // The lapse is notified with the hold that it led to, on the edge of the rung to people.
        insta::assert_snapshot!(notified(&world, 0), @"
        handoff.held hold: pia quin (over)
        handoff.accepted offer: pia quin (over)
        handoff.held hold: pia quin
        ");
    }

    #[test]
    fn every_offer_notifies_its_receiver() {
        let mut world = World::new();
        world.done(
            "ana",
            submit(&json!({ "to_agent": "role:people", "fallback": [{ "to": "pia" }] })),
        );
        let id = world.newest();
        world.advance(1);
        world.done("pia", claim(id));
        let shown = world.shown();
        world.advance(1);
        world.done("pia", release(shown));
        for name in ["pia", "quin"] {
            world.advance(1);
            world.done(name, decline(id));
        }
        insta::assert_snapshot!(notified(&world, 0), @"
        handoff.submitted offer: pia (over)
        handoff.released offer: pia (over)
        handoff.moved_on escalation: pia
        ");
        world.advance(1);
        let command = intercept(&world, "");
        world.done("quin", command);
        assert!(notified(&world, 0).ends_with("handoff.moved_on escalation: pia (over)"));
    }

    #[test]
    fn an_unverified_return_escalates_to_the_judge() {
        let mut world = World::new();
        world.contract(&json!({ "deadlines": { "verify": "10m" } }));
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        world.done("ben", claim(world.newest()));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        let from = world.leaves.len();
        world.advance(600);
        world.apply_due();
        assert_eq!(notified(&world, from), "handoff.moved_on escalation: pia quin");
    }

    #[test]
    fn a_hold_that_a_contract_releases_at_once_is_an_offer() {
        let mut world = World::new();
        world.contract(&json!({
            "to": ["pia"], "confidence": { "auto_progress_at": 0.8, "hold_below": 0.7 },
        }));
        let more = json!({ "to_agent": "pia", "can_intercept": true, "confidence": 0.9 });
        let source = crate::testing::packet(&more);
        world.done("ana", Command::Submit(submitting::Submit { source, ..Default::default() }));
        assert_eq!(notified(&world, 0), "handoff.accepted offer: pia");
    }

    #[test]
    fn a_mailbox_counts_where_mail_is_sent_and_a_subscription_everywhere() {
        let mut world = World::new();
        let reached = |world: &World, name: &str, by_mail: bool| {
            let (directory, party) = (&world.state.directory, world.id(name));
            (
                has_person_with_channel(directory, party, by_mail),
                is_reachable(directory, party, by_mail),
            )
        };
        for name in ["pia", "role:people", "role:nobody"] {
            assert_eq!(reached(&world, name, true), (false, false), "{name}");
        }
        for name in ["ben", "role:team"] {
            assert_eq!(reached(&world, name, true), (false, true), "{name}");
        }
        world.change("pia", |pia, _| pia.channels.email = Some("pia@example.org".to_owned()));
        assert_eq!(reached(&world, "role:people", true), (true, true));
        assert_eq!(reached(&world, "role:people", false), (false, false));
        let mut record = SubscriptionRecord {
            id: tasuki_packet::id::SubscriptionId::new(1, [1; 10]),
            party: world.id("quin"),
            channel: Channel::Webhook { url: "https://example.org".to_owned(), secrets: vec![] },
            filter: EventFilter::default(),
            created_at: world.now,
            from: 1,
            status: Status::Active,
        };
        world.put(&Record::Subscription(Box::new(record.clone())));
        assert_eq!(reached(&world, "quin", false), (true, true));
        record.status = Status::Removed { at: world.now };
        world.put(&Record::Subscription(Box::new(record)));
        assert_eq!(reached(&world, "quin", false), (false, false));
    }
}
