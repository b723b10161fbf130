//! Applies the effects of time: expired leases, missed deadlines, expired packets.
//!
//! `apply_due` decides from `now` alone and runs before every command and every list, so an expiry
//! takes effect even if no timer ran. A deadline is missed at exactly its instant, so that two
//! processes with equal clocks agree. While a project is halted, time moves nothing: durations are
//! paused, but stated instants are not shifted.

use jiff::Timestamp;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Directory, Handoff, Hold, HoldReason, ProjectState, State};
use crate::rules::deciders;
use crate::rules::fallback::{
    self, ActorContext, Cause, CheckpointTarget, clock, end_automatic, follow_checkpoint,
    has_eligible_receiver, next_rung,
};
use crate::rules::gate::{self, AtGate};
use crate::rules::offer::offer;
use crate::rules::route::route;

/// The next effect of time on a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Lapse,
    Expiry,
    GateExpiry,
    SignatureExpiry,
    Deadline(Step),
    NoEligibleReceiver,
    Escalation,
    End,
}

/// The step that a deadline is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Decide,
    Deliver,
    Claim,
    Start,
    Progress,
    Return,
    Verify,
    NoProgress,
}

/// The next effect of time on a handoff, and where it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upcoming {
    /// The instant.
    pub at: Timestamp,
    /// The deadline that is missed at that instant.
    pub due_for: &'static str,
    /// The rung that follows; `None` if the handoff stays with its receiver.
    pub rung: Option<UpcomingRung>,
}

/// The rung that a missed deadline leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpcomingRung {
    /// The party; `None` is the dead letter.
    pub to: Option<PartyId>,
    /// The cause.
    pub on: Cause,
}

/// Returns the instant at which time will next move this handoff.
pub fn due_at(directory: &Directory, handoff: &Handoff) -> Option<Timestamp> {
    next(directory, handoff).map(|(at, _)| at)
}

/// Returns the next effect of time on this handoff.
pub fn upcoming(directory: &Directory, handoff: &Handoff) -> Option<Upcoming> {
    let (at, due) = next(directory, handoff)?;
    let rung = cause_of(directory, handoff, due).map(|on| {
        let person = handoff.claim().filter(|claim| claim.is_intercept).map(|claim| claim.holder);
        let people = person.and_then(|person| next_people(directory, handoff, person));
        let people = people.map(|(_, party)| party).filter(|_| due != Due::GateExpiry);
        UpcomingRung { to: people.or_else(|| fallback::upcoming(directory, handoff, on)), on }
    });
    Some(Upcoming { at, due_for: due.word(), rung })
}

/// Returns the cause for which a due effect of time leads to another rung; `None` if the handoff
/// stays with its receiver.
fn cause_of(directory: &Directory, handoff: &Handoff, due: Due) -> Option<Cause> {
    match due {
        Due::Expiry | Due::GateExpiry => Some(Cause::Expired),
        Due::Deadline(_) | Due::NoEligibleReceiver => Some(Cause::NoProgress),
        Due::SignatureExpiry | Due::Escalation | Due::End => None,
        Due::Lapse => {
            let claim = handoff.claim()?;
            let is_for_agents = claim.is_intercept && !directory.is_people(handoff.facts.receiver);
            let may_try_again = handoff.progress.lapses + 1 < attempts(handoff);
            (is_for_agents || !may_try_again).then_some(Cause::Lapsed)
        }
    }
}

impl Due {
    /// Returns the word for callers.
    const fn word(self) -> &'static str {
        match self {
            Self::Lapse => "lease",
            Self::Expiry => "expires",
            Self::GateExpiry => "gate",
            Self::SignatureExpiry => "signature",
            Self::Deadline(step) => match step {
                Step::Decide => "decide",
                Step::Deliver => "deliver",
                Step::Claim => "claim",
                Step::Start => "start",
                Step::Progress => "progress",
                Step::Return => "return",
                Step::Verify => "verify",
                Step::NoProgress => "no_progress",
            },
            Self::NoEligibleReceiver => "receiver",
            // The named deciders must decide, before others may.
            Self::Escalation => "decide",
            Self::End => "end",
        }
    }
}

/// Applies one due effect of time to this handoff, if there is any.
pub fn apply_due(state: &ProjectState, handoff: &Handoff, now: Timestamp) -> Option<Change> {
    if state.head.is_halted {
        return None;
    }
    let (_, due) = next(&state.directory, handoff).filter(|(at, _)| *at <= now)?;
    let mover = clock(state, now);
    let mut change = Change::default();
    let mut after = handoff.clone();
    match due {
        Due::Lapse => lapse(mover, &mut after, &mut change),
        Due::Expiry => {
            after.progress.has_expired = true;
            move_on(mover, &mut after, Cause::Expired, &mut change);
        }
        Due::End => end_automatic(mover, &mut after, "no checkpoint for 7 days", &mut change),
        Due::Escalation => deciders::escalate(&mut after, now, mover.actor, &mut change),
        Due::GateExpiry => next_rung(mover, &mut after, Cause::Expired, &mut change),
        // The offer waits at the gate again, for new signatures.
        Due::SignatureExpiry => {
            let not_before = if let State::Offered(offer) = &after.progress.state {
                offer.not_before
            } else {
                None
            };
            offer(&state.directory, &mut after, not_before, now, mover.actor, &mut change);
        }
        Due::Deadline(_) | Due::NoEligibleReceiver => {
            move_on(mover, &mut after, Cause::NoProgress, &mut change);
        }
    }
    change.put(after);
    Some(change)
}

/// Moves a handoff to the next rung. Intercepted work goes to people instead.
fn move_on(mover: ActorContext<'_>, handoff: &mut Handoff, cause: Cause, change: &mut Change) {
    let taken_over = handoff.claim().filter(|claim| claim.is_intercept);
    let person = taken_over.map(|claim| claim.holder);
    if person.is_some_and(|person| to_people(mover, handoff, person, cause, change)) {
        offer(&mover.state.directory, handoff, None, mover.now, mover.actor, change);
    } else {
        next_rung(mover, handoff, cause, change);
    }
}

fn next(directory: &Directory, handoff: &Handoff) -> Option<(Timestamp, Due)> {
    // The lease of a parent that waits for its child does not run.
    if handoff.progress.child.is_some() {
        return None;
    }
    if let Some(ends_at) = handoff.progress.ends_at {
        return next_of_automatic(directory, handoff, ends_at);
    }
    let mut due: Vec<(Timestamp, Due)> = Vec::with_capacity(7);
    let deadlines = &handoff.facts.terms.deadlines;
    let progress = &handoff.progress;
    let mut deadline = |step: Step, from: Timestamp, after: Option<Duration>| {
        let at = after.map(|after| directory.pauses.deadline(from, after));
        due.extend(at.map(|at| (at, Due::Deadline(step))));
    };
    let no_progress_timeout = fallback::no_progress_timeout(handoff);
    match &progress.state {
        State::Held(Hold { approval_request: None, since, .. }) => {
            deadline(Step::Decide, progress.progress_at.max(*since), no_progress_timeout);
        }
        State::Held(_) => {}
        State::Offered(offer) => {
            let from = offer.not_before.unwrap_or(offer.since).max(offer.since);
            if !is_rung_of_people(directory, handoff) {
                if progress.delivered_at.is_none() {
                    deadline(Step::Deliver, from, deadlines.deliver);
                }
                deadline(Step::Claim, from, deadlines.claim);
            }
            deadline(Step::NoProgress, progress.progress_at.max(from), no_progress_timeout);
            // The role has no eligible member left, so there is no need to wait for a deadline.
            if !fallback::has_eligible_claimer(directory, handoff) {
                due.push((from, Due::NoEligibleReceiver));
            }
        }
        State::Claimed(claim) => {
            if progress.started_at.is_none() {
                deadline(Step::Start, progress.progress_at, deadlines.start);
            }
            deadline(Step::Progress, progress.progress_at, deadlines.progress);
            let held = progress.given_back.as_ref().map(|given_back| given_back.held);
            let left = deadlines.return_packet.map(|time| time.less(held));
            deadline(Step::Return, claim.since, left);
            deadline(Step::NoProgress, progress.progress_at, no_progress_timeout);
            due.push((directory.pauses.lease_end(claim), Due::Lapse));
        }
        State::Returned(returned) => {
            deadline(Step::Verify, returned.since, returned.verify);
        }
        State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return None,
    }
    due.extend(deciders::escalates_at(handoff).map(|at| (at, Due::Escalation)));
    due.extend(gate_expiries(directory, handoff).map(|at| (at, Due::GateExpiry)));
    due.extend(signature_expiry(directory, handoff).map(|at| (at, Due::SignatureExpiry)));
    due.extend(expiry(handoff).map(|at| (at, Due::Expiry)));
    due.into_iter().min()
}

/// Returns the next effect of time on a task that a program began by itself. It misses no deadline,
/// and does not end while a holder renews its lease.
fn next_of_automatic(
    directory: &Directory,
    handoff: &Handoff,
    ends_at: Timestamp,
) -> Option<(Timestamp, Due)> {
    match &handoff.progress.state {
        State::Offered(_) => Some((ends_at, Due::End)),
        State::Claimed(claim) => Some((directory.pauses.lease_end(claim), Due::Lapse)),
        State::Held(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => None,
    }
}

/// Returns `true` if the ladder brought the work to people. The deadlines of the contract are meant
/// for the first receiver; people have the time that their rung gives them.
fn is_rung_of_people(directory: &Directory, handoff: &Handoff) -> bool {
    handoff.progress.rung > 0 && directory.is_people(handoff.facts.receiver)
}

/// Returns the packet's own deadline. It is missed only once, and never by returned work.
fn expiry(handoff: &Handoff) -> Option<Timestamp> {
    let is_back = matches!(handoff.progress.state, State::Returned(_));
    handoff.facts.summary.expires_at.filter(|_| !handoff.progress.has_expired && !is_back)
}

fn gate_expiries(directory: &Directory, handoff: &Handoff) -> impl Iterator<Item = Timestamp> {
    let hold = if let State::Held(hold) = &handoff.progress.state { Some(hold) } else { None };
    hold.into_iter().flat_map(|hold| {
        hold.reasons.iter().filter_map(|reason| match reason {
            HoldReason::Gate(digest) => {
                gate::expires_at(directory.gate(digest)?, hold.since, &directory.pauses)
            }
            HoldReason::Asked
            | HoldReason::Confidence
            | HoldReason::Trigger
            | HoldReason::Label
            | HoldReason::Action
            | HoldReason::Changed(_) => None,
        })
    })
}

/// Returns the instant at which a gate of an offer first needs new signatures.
fn signature_expiry(directory: &Directory, handoff: &Handoff) -> Option<Timestamp> {
    let State::Offered(_) = handoff.progress.state else { return None };
    let gates = handoff.facts.terms.gates.iter();
    // Evaluated at the beginning of time, when no signature has expired yet.
    let at_gates =
        gates.filter_map(|digest| AtGate::new(directory, handoff, digest, Timestamp::MIN));
    at_gates.filter_map(|at_gate| at_gate.signed_until()).min()
}

/// Ends an expired lease: offers the work again with the last checkpoint, or takes the next rung.
fn lapse(mover: ActorContext<'_>, handoff: &mut Handoff, change: &mut Change) {
    let State::Claimed(claim) = handoff.progress.state.clone() else { return };
    handoff.progress.lapses += 1;
    handoff.progress.given_back = None;
    handoff.progress.progress_at = mover.now;
    change
        .record_event(EventType::Lapsed, handoff.id, mover.actor)
        .with("fence", claim.fence)
        .with("attempt", handoff.progress.lapses);
    let has_moved = if claim.is_intercept {
        to_people(mover, handoff, claim.holder, Cause::Lapsed, change)
    } else {
        has_followed(mover, handoff, change)
    };
    let directory = &mover.state.directory;
    let is_for_agents_again = claim.is_intercept && !directory.is_people(handoff.facts.receiver);
    let may_try_again = handoff.progress.lapses < attempts(handoff);
    if has_moved || may_try_again && !is_for_agents_again {
        offer(&mover.state.directory, handoff, None, mover.now, mover.actor, change);
    } else {
        next_rung(mover, handoff, Cause::Lapsed, change);
    }
}

/// Sends the work to the party that its last checkpoint names, and returns `true` if it went there.
/// As for a rung, an event without a receiver records that no eligible receiver was found.
fn has_followed(mover: ActorContext<'_>, handoff: &mut Handoff, change: &mut Change) -> bool {
    let lead = follow_checkpoint(mover, handoff, change);
    if let CheckpointTarget::ToNobody(why) = &lead {
        let event = change.record_event(EventType::MovedOn, handoff.id, mover.actor);
        event.with("rung", handoff.rung()).with("because", Cause::Lapsed.as_str());
        event.because(Some(why));
    }
    lead == CheckpointTarget::Followed
}

/// Returns the number of claims before the work goes to the next rung. A task that a party began
/// for itself gets at least two, because no other party has been asked yet.
fn attempts(handoff: &Handoff) -> u32 {
    if handoff.progress.ends_at.is_some() {
        return u32::MAX;
    }
    let facts = &handoff.facts;
    let is_own = facts.is_begun && facts.receiver == facts.sender;
    if is_own { facts.terms.attempts.max(2) } else { facts.terms.attempts }
}

/// Moves intercepted work to the next people on the ladder, or else back to the person. It never
/// goes straight back to an agent. Returns `true` if it found people.
fn to_people(
    mover: ActorContext<'_>,
    handoff: &mut Handoff,
    person: PartyId,
    cause: Cause,
    change: &mut Change,
) -> bool {
    let directory = &mover.state.directory;
    let Some((rung, party)) = next_people(directory, handoff, person) else { return false };
    handoff.progress.rung = rung;
    change
        .record_event(EventType::MovedOn, handoff.id, mover.actor)
        .with("rung", rung)
        .with("because", cause.as_str())
        .with("receiver", party);
    route(directory, handoff, party, mover.now);
    true
}

/// Returns the next people on the ladder with their rung, or else the person who took the work over;
/// `None` if it is with people already.
fn next_people(
    directory: &Directory,
    handoff: &Handoff,
    person: PartyId,
) -> Option<(u32, PartyId)> {
    if directory.is_people(handoff.facts.receiver) {
        return None;
    }
    let can_go_to = |party: PartyId| has_eligible_receiver(directory, handoff, party);
    let rungs =
        (1..).zip(fallback::ladder(handoff)).skip_while(|(n, _)| *n <= handoff.progress.rung);
    let named = rungs.filter_map(|(n, step)| Some((n, directory.rung(&step.to)?.id)));
    let mut people = named.filter(|(_, party)| directory.is_people(*party) && can_go_to(*party));
    let is_there = directory.has_eligible_receiver(person);
    people.next().or_else(|| is_there.then_some((handoff.progress.rung, person)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::model::Settings;
    use crate::steps::system::mark_delivered;
    use crate::steps::{Attention, Intercept, Redrive, SeenVersion, begin};
    use crate::testing::{
        World, checkpoint, claim, halt, packet, pass_on, release, return_packet, submit, verdict,
    };

    /// Checks the state just before an instant and at exactly that instant.
    #[track_caller]
    fn due(world: &mut World, seconds: i64, before: &str, after: &str) {
        world.advance(seconds);
        world.now -= jiff::SignedDuration::from_micros(1);
        world.apply_due();
        assert_eq!(world.standing_of(world.newest()), before);
        world.now += jiff::SignedDuration::from_micros(1);
        let promised = upcoming(&world.state.directory, world.handoff()).unwrap();
        assert_eq!(promised.at, world.now);
        world.apply_due();
        assert_eq!(world.standing_of(world.newest()), after);
        is_kept(world, promised);
    }

    /// Checks that a handoff went where it was said to go.
    #[track_caller]
    fn is_kept(world: &World, promised: Upcoming) {
        let (directory, handoff) = (&world.state.directory, world.handoff());
        let receiver = handoff.judge().unwrap_or(handoff.facts.receiver);
        match promised.rung.map(|rung| rung.to) {
            Some(None) => assert_eq!(handoff.progress.state, State::Dead),
            Some(Some(party)) => assert_eq!(directory.name(receiver), directory.name(party)),
            None => assert!(handoff.is_open()),
        }
    }

    #[test]
    fn the_next_deadline_says_what_it_is_for() {
        let word = |world: &World| {
            upcoming(&world.state.directory, world.handoff()).map(|one| one.due_for)
        };
        for step in ["deliver", "claim"] {
            assert_eq!(word(&submitted(&deadline(step), &json!({}))), Some(step));
        }
        for step in ["start", "progress", "return"] {
            assert_eq!(word(&claimed(&deadline(step), &json!({}))), Some(step));
        }
        assert_eq!(word(&claimed(&json!({}), &json!({}))), Some("lease"));
        let expires = json!({ "expires_at": "2026-11-15T10:00:01Z" });
        assert_eq!(word(&submitted(&json!({}), &expires)), Some("expires"));
    }

    fn submitted(contract: &Value, more: &Value) -> World {
        let mut world = World::new();
        world.contract(contract);
        world.done("ana", submit(more));
        world
    }

    fn claimed(contract: &Value, more: &Value) -> World {
        let mut world = submitted(contract, more);
        world.done("ben", claim(world.newest()));
        world
    }

    fn deadline(step: &str) -> Value {
        json!({ "deadlines": { step: "10m" } })
    }

    #[test]
    fn a_missed_deadline_of_any_step_is_the_next_rung() {
        let (offered, taken) = ("offered to ben", "claimed by ben, fence 1");
        let people = "offered to role:people";
        due(&mut submitted(&deadline("deliver"), &json!({})), 600, offered, people);
        due(&mut submitted(&deadline("claim"), &json!({})), 600, offered, people);
        due(&mut claimed(&deadline("start"), &json!({})), 600, taken, people);
        due(&mut claimed(&deadline("progress"), &json!({})), 600, taken, people);
        due(&mut claimed(&deadline("return"), &json!({})), 600, taken, people);
        let mut world = claimed(&deadline("verify"), &json!({ "return_required": ["status"] }));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        due(&mut world, 600, "returned", "returned, judged by role:people");
    }

    #[test]
    fn people_on_a_rung_have_the_time_that_the_ladder_gives_them() {
        let ladder = |after: Option<&str>| {
            let mut dead = json!({ "to": "dead_letter" });
            if let Some(after) = after {
                dead["after"] = json!(after);
            }
            json!({
                "deadlines": { "deliver": "5m", "claim": "10m" },
                "fallback": [{ "to": "cem" }, { "to": "role:people" }, dead],
            })
        };
        let climbed = |after: Option<&str>| {
            let mut world = submitted(&ladder(after), &json!({}));
            due(&mut world, 300, "offered to ben", "offered to cem");
            due(&mut world, 300, "offered to cem", "offered to role:people");
            world
        };
        let world = climbed(None);
        assert_eq!(due_at(&world.state.directory, world.handoff()), None);
        due(&mut climbed(Some("2h")), 7200, "offered to role:people", "dead");
        // The first receiver has the deadlines of the contract, even if it is a person.
        let mut world = World::new();
        world.contract(&json!({ "to": ["pia"], "deadlines": { "claim": "10m" } }));
        world.done("ana", submit(&json!({ "to_agent": "pia" })));
        due(&mut world, 600, "offered to pia", "offered to role:people");
    }

    #[test]
    fn an_unjudged_return_moves_on_after_a_day() {
        const DAY: i64 = 86_400;
        let returned = |sender: &str, ladder: &Value| {
            let mut world = World::new();
            let more = json!({ "return_required": ["status"], "fallback": ladder });
            world.done(sender, submit(&more));
            world.done("ben", claim(world.newest()));
            let shown = world.shown();
            world.done("ben", return_packet(shown, &json!({})));
            world
        };
        let people = json!([{ "to": "role:people" }]);
        let mut world = returned("ana", &people);
        due(&mut world, DAY, "returned", "returned, judged by role:people");
        // People keep a return that no one else would judge.
        assert_eq!(due_at(&world.state.directory, world.handoff()), None);
        let mut world = returned("ana", &json!([{ "to": "cem" }, { "to": "role:people" }]));
        due(&mut world, DAY, "returned", "returned, judged by cem");
        due(&mut world, DAY, "returned, judged by cem", "returned, judged by role:people");
        due(&mut returned("ana", &json!([{ "to": "dead_letter" }])), DAY, "returned", "dead");
        let world = returned("pia", &json!([{ "to": "dead_letter" }]));
        assert_eq!(due_at(&world.state.directory, world.handoff()), None);
        due(&mut returned("quin", &people), DAY, "returned", "returned, judged by role:people");
    }

    #[test]
    fn the_time_to_judge_a_return_does_not_change_with_the_members_of_a_role() {
        let mut world = World::new();
        let more = json!({ "return_required": ["status"], "fallback": [{ "to": "role:people" }] });
        world.done("ana", submit(&more));
        world.done("ben", claim(world.newest()));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        due(&mut world, 86_400, "returned", "returned, judged by role:people");
        world.change("role:people", |role, id| role.members.push(id("cem")));
        assert_eq!(due_at(&world.state.directory, world.handoff()), None);
    }

    #[test]
    fn a_deadline_that_was_met_moves_nothing() {
        let quiet = |world: &mut World, expected: &str| {
            world.advance(600);
            world.apply_due();
            assert_eq!(world.standing(), expected);
        };
        let mut world = submitted(&deadline("deliver"), &json!({}));
        let handoff = world.newest();
        world.done(
            "ben",
            Command::MarkDelivered(mark_delivered::MarkDelivered { handoff, is_delivery: true }),
        );
        quiet(&mut world, "offered to ben");
        quiet(&mut claimed(&deadline("claim"), &json!({})), "claimed by ben, fence 1");
        for step in ["start", "progress"] {
            let mut world = claimed(&deadline(step), &json!({}));
            world.advance(599);
            let shown = world.shown();
            world.done("ben", checkpoint(shown, &json!({})));
            world.advance(-1);
            quiet(&mut world, "claimed by ben, fence 1");
        }
    }

    #[test]
    fn in_returned_the_verification_climbs_the_ladder_to_the_dead_letter() {
        let mut world = claimed(&deadline("verify"), &json!({ "return_required": ["status"] }));
        let (shown, id) = (world.shown(), world.newest());
        world.done("ben", return_packet(shown, &json!({})));
        due(&mut world, 600, "returned", "returned, judged by role:people");
        assert_eq!(world.handoff().facts.receiver, world.id("ben"));
        // A failed return goes back to its receiver as work.
        let before = world.state.clone();
        world.check("quin", verdict(&world, id, false), "offered to ben");
        world.state = before;
        due(&mut world, 600, "returned, judged by role:people", "dead");
    }

    #[test]
    fn verification_uses_no_rung_of_the_work_and_every_return_starts_at_the_first() {
        let mut world = claimed(&deadline("verify"), &json!({ "return_required": ["status"] }));
        let id = world.newest();
        for _ in 0..2 {
            let shown = world.shown();
            world.done("ben", return_packet(shown, &json!({})));
            due(&mut world, 600, "returned", "returned, judged by role:people");
            assert_eq!(world.handoff().progress.rung, 0);
            world.check("quin", verdict(&world, id, false), "offered to ben");
            world.done("ben", claim(id));
        }
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        world.check("quin", verdict(&world, id, false), "offered to role:people");
    }

    #[test]
    fn no_rung_lets_a_party_verify_its_own_return() {
        let mut world = World::new();
        let contract = json!({
            "deadlines": { "verify": "10m" },
            "fallback": [{ "to": "ben" }, { "to": "role:people" }, { "to": "dead_letter" }],
        });
        world.contract(&contract);
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        world.done("ben", claim(world.newest()));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        due(&mut world, 600, "returned", "returned, judged by role:people");
    }

    #[test]
    fn the_packets_own_deadline_moves_it_once() {
        let more = json!({ "expires_at": "2026-11-15T10:10:00Z" });
        due(&mut submitted(&json!({}), &more), 600, "offered to ben", "offered to role:people");
        let mut world = claimed(&json!({}), &more);
        due(&mut world, 600, "claimed by ben, fence 1", "offered to role:people");
        assert_eq!(due_at(&world.state.directory, world.handoff()), None);
    }

    #[test]
    fn a_rung_sets_the_no_progress_timeout_of_the_one_before() {
        let ladder = json!([
            { "after": "10m", "on": "no_progress", "to": "cem" },
            { "on": "declined", "to": "pia" },
            { "after": "5m", "to": "role:people" },
            { "after": "1h", "to": "dead_letter" },
        ]);
        let mut world = submitted(&json!({}), &json!({ "fallback": ladder }));
        due(&mut world, 600, "offered to ben", "offered to cem");
        due(&mut world, 300, "offered to cem", "offered to role:people");
        world.done("pia", claim(world.newest()));
        world.advance(3599);
        let shown = world.shown();
        world.done("pia", checkpoint(shown, &json!({})));
        due(&mut world, 3600, "claimed by pia, fence 1", "dead");
    }

    #[test]
    fn the_one_line_form_is_a_rung_like_any_other() {
        let line = "escalate_to_cem_if_not_progressed_within_300s";
        let mut world = submitted(&json!({}), &json!({ "fallback": line }));
        due(&mut world, 300, "offered to ben", "offered to cem");
    }

    #[test]
    fn a_lapse_uses_up_an_attempt_and_the_last_one_is_the_next_rung() {
        let mut world = submitted(&json!({ "lease": { "for": "10m", "attempts": 2 } }), &json!({}));
        let id = world.newest();
        world.done("ben", claim(id));
        due(&mut world, 600, "claimed by ben, fence 1", "offered to ben");
        world.done("ben", claim(id));
        due(&mut world, 600, "claimed by ben, fence 2", "offered to role:people");
        insta::assert_snapshot!(world.story(1), @"
        handoff.delivered by ben
        handoff.claimed by ben
        handoff.lapsed by clock
        handoff.claimed by ben
        handoff.lapsed by clock
        handoff.moved_on by clock
        ");
    }

    fn begun(settings: Settings, attempts: u32) -> World {
        let mut world = World::with(Settings { attempts, ..settings });
        let source = packet(&json!({}));
        world.done("ben", Command::Begin(begin::Begin { source, ..Default::default() }));
        world
    }

    #[test]
    fn a_begun_task_goes_to_the_party_its_last_checkpoint_names_else_to_its_own_next_session() {
        let ladder = crate::model::packet_summary::steps(Some(&json!([{ "to": "role:people" }])));
        let settings = Settings { ladder, ..Settings::default() };
        let mut world = begun(settings.clone(), 2);
        due(&mut world, 1800, "claimed by ben, fence 1", "offered to ben");
        world.done("ben", claim(world.newest()));
        due(&mut world, 1800, "claimed by ben, fence 2", "offered to role:people");

        // Its own next session comes before the ladder, whatever the number of attempts.
        let mut world = begun(settings.clone(), 1);
        due(&mut world, 1800, "claimed by ben, fence 1", "offered to ben");
        world.done("ben", claim(world.newest()));
        due(&mut world, 1800, "claimed by ben, fence 2", "offered to role:people");

        // The named party comes before the ladder, whatever the number of attempts.
        let mut world = begun(settings, 1);
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "to_agent": "cem" })));
        due(&mut world, 1800, "claimed by ben, fence 1", "offered to cem");
        world.done("cem", claim(world.newest()));
        due(&mut world, 1800, "claimed by cem, fence 2", "offered to role:people");
        insta::assert_snapshot!(world.story(0), @"
        handoff.begun by ben
        handoff.checkpointed by ben
        handoff.started by ben
        handoff.lapsed by clock
        handoff.rerouted by clock
        handoff.delivered by cem
        handoff.claimed by cem
        handoff.lapsed by clock
        handoff.moved_on by clock
        ");
    }

    fn begun_by_a_program(settings: Settings) -> World {
        let mut world = World::with(Settings { attempts: 1, ..settings });
        let source = packet(&json!({ "fallback": [{ "after": "1m", "to": "cem" }] }));
        let begin = begin::Begin { source, is_automatic: true, ..Default::default() };
        world.done("ben", Command::Begin(begin));
        world
    }

    const DAY: i64 = 24 * 3600;

    #[test]
    fn a_task_begun_by_a_program_has_no_ladder_and_ends_a_week_after_its_last_checkpoint() {
        let ladder = crate::model::packet_summary::steps(Some(&json!([{ "to": "role:people" }])));
        let mut world = begun_by_a_program(Settings { ladder, ..Settings::default() });
        world.advance(600);
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({})));
        for fence in [1, 2, 3] {
            due(&mut world, 1800, &format!("claimed by ben, fence {fence}"), "offered to ben");
            world.done("ben", claim(world.newest()));
        }
        let shown = world.shown();
        world.check("ben", release(shown), "offered to ben");
        world.advance(7 * DAY - 3 * 1800 - 1);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
        world.advance(1);
        world.apply_due();
        assert_eq!(world.standing(), "cancelled");
        assert!(world.story(0).ends_with("handoff.cancelled by clock"), "{}", world.story(0));
    }

    #[test]
    fn a_task_begun_by_a_program_does_not_end_while_it_is_held() {
        let mut world = begun_by_a_program(Settings::default());
        for _ in 0..8 * 24 * 4 {
            world.advance(900);
            let renew = crate::steps::Renew { claim: world.shown(), lease: None };
            world.done("ben", Command::Renew(renew));
        }
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        world.advance(1800);
        world.apply_due();
        assert_eq!(world.standing(), "cancelled");
    }

    #[test]
    fn a_task_begun_by_a_program_that_its_party_declines_is_no_dead_letter() {
        let mut world = begun_by_a_program(Settings::default());
        let shown = world.shown();
        world.done("ben", release(shown));
        world.check("ben", crate::testing::decline(world.newest()), "cancelled");
    }

    #[test]
    fn a_task_begun_by_a_program_is_an_ordinary_one_once_another_party_has_it() {
        let mut world = begun_by_a_program(Settings::default());
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "to_agent": "cem" })));
        world.check("ben", release(shown), "offered to cem");
        assert_eq!(world.handoff().progress.ends_at, None);
    }

    #[test]
    fn a_released_begun_task_goes_to_the_party_its_last_checkpoint_names() {
        let mut world = begun(Settings::default(), 3);
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "to_agent": "cem" })));
        world.check("ben", release(shown), "offered to cem");
        let leaf = &world.leaves.last().unwrap().leaf;
        assert!(leaf.contains(&world.id("cem").to_string()), "{leaf}");
    }

    fn taken_over(contract: &Value) -> World {
        let mut world = claimed(contract, &json!({}));
        let (handoff, seen) = (world.newest(), SeenVersion::default());
        let reason = Some("it matters".to_owned());
        world.done("pia", Command::Intercept(Intercept { handoff, seen, reason }));
        world
    }

    #[test]
    fn intercepted_work_goes_to_people_and_never_straight_back_to_an_agent() {
        let ladder = json!([{ "to": "cem" }, { "to": "role:people" }, { "to": "dead_letter" }]);
        for attempts in [1, 3] {
            let contract = json!({ "lease": { "attempts": attempts }, "fallback": ladder });
            let mut world = taken_over(&contract);
            due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to role:people");
            insta::allow_duplicates!(insta::assert_snapshot!(world.story(4), @"
            handoff.lapsed by clock
            handoff.moved_on by clock
            "));
        }
        // Without people on the ladder it stays with the person.
        let contract = json!({ "lease": { "attempts": 1 }, "fallback": [{ "to": "dead_letter" }] });
        let mut world = taken_over(&contract);
        due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to pia");
        // The lease of that person expires again: only the dead letter is left.
        world.done("pia", claim(world.newest()));
        due(&mut world, 8 * 3600, "claimed by pia, fence 3", "dead");
    }

    #[test]
    fn intercepted_work_does_not_go_down_the_ladder_when_people_let_it_lapse() {
        let ladder = json!([{ "to": "cem" }, { "to": "role:people" }, { "to": "dead_letter" }]);
        let contract = json!({ "lease": { "attempts": 1 }, "fallback": ladder });
        let mut world = taken_over(&contract);
        due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to role:people");
        world.done("quin", claim(world.newest()));
        due(&mut world, 8 * 3600, "claimed by quin, fence 3", "dead");
    }

    /// Halts the project for a day, five minutes after it began.
    fn halted_for_a_day(world: &mut World) {
        world.advance(300);
        world.done("pia", halt(false));
        world.advance(24 * 3600);
        world.apply_due();
        world.done("pia", halt(true));
    }

    #[test]
    fn after_a_halt_every_duration_has_as_much_left_as_before() {
        for step in ["deliver", "claim"] {
            let mut world = submitted(&deadline(step), &json!({}));
            halted_for_a_day(&mut world);
            due(&mut world, 300, "offered to ben", "offered to role:people");
        }
        let ladder = json!([{ "after": "10m", "to": "cem" }]);
        let mut world = submitted(&json!({}), &json!({ "fallback": ladder }));
        halted_for_a_day(&mut world);
        due(&mut world, 300, "offered to ben", "offered to cem");
        let more = json!({ "fallback": ladder, "can_intercept": true });
        let mut world = submitted(&json!({}), &more);
        halted_for_a_day(&mut world);
        due(&mut world, 300, "held for asked", "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("cem"));
        let mut world = claimed(&deadline("verify"), &json!({ "return_required": ["status"] }));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        halted_for_a_day(&mut world);
        due(&mut world, 300, "returned", "returned, judged by role:people");
    }

    #[test]
    fn deadlines_of_work_submitted_during_a_halt_start_when_it_is_lifted() {
        let mut world = World::new();
        world.contract(&deadline("claim"));
        world.done("pia", halt(false));
        world.advance(3600);
        world.done("ana", submit(&json!({})));
        world.advance(3600);
        world.done("pia", halt(true));
        due(&mut world, 600, "offered to ben", "offered to role:people");
    }

    #[test]
    fn two_halts_are_subtracted_but_an_earlier_one_is_not() {
        let mut world = World::new();
        world.contract(&deadline("claim"));
        halted_for_a_day(&mut world);
        world.done("ana", submit(&json!({})));
        halted_for_a_day(&mut world);
        world.advance(-60);
        halted_for_a_day(&mut world);
        due(&mut world, 60, "offered to ben", "offered to role:people");
    }

    #[test]
    fn a_stated_instant_is_not_shifted_by_a_halt() {
        let more = json!({ "expires_at": "2026-11-15T10:10:00Z" });
        let mut world = submitted(&json!({}), &more);
        halted_for_a_day(&mut world);
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn nothing_is_due_during_a_halt() {
        let mut world = submitted(&deadline("claim"), &json!({}));
        let shown = |world: &World| crate::view::handoff(&world.state.directory, world.handoff());
        let before = shown(&world).due_at.unwrap();
        world.done("pia", halt(false));
        assert_eq!(shown(&world).due_at, None);
        world.advance(3600);
        world.done("pia", halt(true));
        assert_eq!(shown(&world).due_at.unwrap(), before + jiff::SignedDuration::from_hours(1));
    }

    #[test]
    fn a_parent_that_waits_cannot_lapse_and_comes_back_when_its_child_dies() {
        let mut world = claimed(&json!({}), &json!({}));
        let (parent, shown) = (world.newest(), world.shown());
        world.done("ben", checkpoint(shown, &json!({})));
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        world.advance(10 * 3600);
        world.apply_due();
        assert_eq!(world.standing_of(parent), "claimed by ben, waiting for its child");
        world.done("cem", crate::testing::decline(child));
        assert_eq!(world.standing_of(child), "dead");
        assert_eq!(world.standing_of(parent), "offered to ben");
        let progress = &world.state.handoff(parent).unwrap().progress;
        assert_eq!((progress.child, progress.lapses), (None, 0));
        assert_eq!(progress.checkpoint.as_ref().unwrap().count, 1);
        world.done("ben", claim(parent));
        world.check("ben", checkpoint(shown, &json!({})), "refused TK-CLAIM-STALE");
    }

    #[test]
    fn a_person_that_took_their_own_work_back_keeps_it() {
        let mut world = World::new();
        world.contract(&json!({ "from": ["pia"], "fallback": [{ "to": "dead_letter" }] }));
        world.done("pia", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        let (handoff, seen) = (world.newest(), SeenVersion::default());
        let reason = Some("it matters".to_owned());
        world.done("pia", Command::Intercept(Intercept { handoff, seen, reason }));
        due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to pia");
        world.check("pia", claim(handoff), "claimed by pia, fence 3");
    }

    #[test]
    fn a_missed_deadline_of_intercepted_work_leads_to_people_too() {
        let ladder = json!([{ "to": "cem" }, { "to": "role:people" }, { "to": "dead_letter" }]);
        let contract = json!({ "deadlines": { "progress": "5m" }, "fallback": ladder });
        let mut world = taken_over(&contract);
        due(&mut world, 300, "claimed by pia, fence 2", "offered to role:people");
        let contract = json!({ "deadlines": { "progress": "5m" }, "fallback": [{ "to": "cem" }] });
        let mut world = taken_over(&contract);
        due(&mut world, 300, "claimed by pia, fence 2", "offered to pia");
    }

    #[test]
    fn a_second_deadline_does_not_return_intercepted_work_to_an_agent() {
        let deadlines = json!({ "progress": "5m", "claim": "5m" });
        let ladder = json!([{ "to": "cem" }, { "to": "role:team" }]);
        let contract = json!({ "deadlines": deadlines, "fallback": ladder });
        let mut world = taken_over(&contract);
        due(&mut world, 300, "claimed by pia, fence 2", "offered to pia");
        due(&mut world, 300, "offered to pia", "dead");
        // A redrive starts again with the first receiver.
        let handoff = world.newest();
        let redrive =
            Command::Redrive(Redrive { handoff, reason: None, attention: Attention::default() });
        world.check("pia", redrive, "offered to ben");
        due(&mut world, 300, "offered to ben", "offered to cem");
    }

    #[test]
    fn a_person_can_give_intercepted_work_back() {
        let contract = json!({ "fallback": [{ "to": "cem" }, { "to": "dead_letter" }] });
        let mut world = taken_over(&contract);
        let shown = world.shown();
        world.check("pia", release(shown), "offered to ben");
        world.check("ben", crate::testing::decline(world.newest()), "offered to cem");
        let mut world = taken_over(&contract);
        due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to pia");
        world.check("pia", crate::testing::decline(world.newest()), "offered to cem");
    }

    #[test]
    fn an_agent_that_joins_the_role_cannot_claim_intercepted_work() {
        let ladder = json!([{ "to": "role:people" }, { "to": "dead_letter" }]);
        let mut world = taken_over(&json!({ "fallback": ladder }));
        due(&mut world, 8 * 3600, "claimed by pia, fence 2", "offered to role:people");
        world.change("role:people", |role, id| role.members.push(id("cem")));
        insta::assert_snapshot!(world.refusal("cem", claim(world.newest())), @"
        TK-PERSON-NEEDED: `pia` took over handoff hof_1; only a person can give it back
        hint: ask `pia` or another person to release or reroute it
        ");
        world.check("quin", claim(world.newest()), "claimed by quin, fence 3");
    }
}
