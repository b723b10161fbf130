//! The fallback ladder: the next rung when a receiver cannot continue, finally the dead letter.
//!
//! The packet's ladder comes first, else the contract's, else the project's. Every ladder ends in
//! the dead letter, so no handoff is lost. A rung without an eligible receiver is skipped and
//! recorded as an event. The next rung is decided like a submit: gates still apply.

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Actor, EventType};

use crate::limits::VERIFY_DEFAULT;
use crate::model::{
    CLOCK, Change, Context, Directory, Handoff, Judge, PartyKind, ProjectState, Rung, State,
};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::offer::offer;
use crate::rules::route::{is_supported_by, route};
use crate::rules::{chain, gate};

/// The rung that ends every ladder.
pub const DEAD_LETTER: &str = "dead_letter";

/// The cause for which work leaves its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A deadline passed.
    NoProgress,
    /// The receiver declined.
    Declined,
    /// The return failed too often.
    Rejected,
    /// The packet's own deadline passed.
    Expired,
    /// The lease lapsed too often.
    Lapsed,
    /// The holder parked it, and the contract sends parked work to another party.
    Parked,
}

/// The state, time and actor of a step, taken by a caller or by the clock.
#[derive(Debug, Clone, Copy)]
pub struct ActorContext<'a> {
    /// The state of the project.
    pub state: &'a ProjectState,
    /// The time of the step.
    pub now: Timestamp,
    /// The actor that events record.
    pub actor: Actor,
}

impl<'a> From<&Context<'a>> for ActorContext<'a> {
    fn from(context: &Context<'a>) -> Self {
        Self { state: context.state, now: context.now, actor: context.actor() }
    }
}

impl Cause {
    /// Returns the cause as written in leaves and rungs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoProgress => "no_progress",
            Self::Declined => "declined",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Lapsed => "lapsed",
            Self::Parked => "parked",
        }
    }
}

/// Moves a handoff to the next rung for this cause that has an eligible receiver.
pub fn next_rung(
    mover: ActorContext<'_>,
    handoff: &mut Handoff,
    cause: Cause,
    change: &mut Change,
) {
    let directory = &mover.state.directory;
    let ladder = ladder(handoff).to_vec();
    while let Some(step) = usize::try_from(handoff.rung()).ok().and_then(|at| ladder.get(at)) {
        if let State::Returned(_) = handoff.progress.state {
            handoff.progress.judging_rung += 1;
        } else {
            handoff.progress.rung += 1;
        }
        if step.on.as_deref().is_some_and(|on| on != cause.as_str()) {
            continue;
        }
        if step.to == DEAD_LETTER {
            break;
        }
        let event = change.record_event(EventType::MovedOn, handoff.id, mover.actor);
        event.with("rung", handoff.rung()).with("because", cause.as_str());
        let party = directory.rung(&step.to).map(|party| party.id);
        if let Some(party) = party.filter(|party| has_eligible_receiver(directory, handoff, *party))
        {
            event.with("receiver", party);
            assign(mover, handoff, party, change);
            return;
        }
        // Without a receiver in its leaf, the event records that the rung was skipped.
        event.because(Some(&format!("no eligible receiver for `{}`", step.to)));
    }
    dead_letter(mover, handoff, cause, change);
}

/// Refuses a ladder that leads to an unknown party or to a role without members.
pub fn require_known_rungs(directory: &Directory, handoff: &Handoff) -> Result<(), Refusal> {
    ladder(handoff)
        .iter()
        .filter(|step| step.to != "dead_letter")
        .try_for_each(|step| require_known_rung(directory, &step.to))
}

fn require_known_rung(directory: &Directory, to: &str) -> Result<(), Refusal> {
    let party = directory.find_rung(to).map_err(|refusal| Refusal {
        message: format!("`fallback`: {}", refusal.message),
        ..refusal
    })?;
    if directory.has_eligible_receiver(party.id) {
        return Ok(());
    }
    let name = &party.name;
    let message = format!("`fallback`: `{name}` has no members");
    Err(Refusal::new(RefusalCode::RoleEmpty, message)
        .hint(format!("add one with `tasuki party add {name} --member NAME`")))
}

/// Returns `true` if a rung with an eligible receiver is left for this cause.
pub fn has_rung_for(directory: &Directory, handoff: &Handoff, cause: Cause) -> bool {
    upcoming(directory, handoff, cause).is_some()
}

/// Returns the party that this cause leads to: that of the first rung left for it with an eligible
/// receiver. Without one, it leads to the dead letter.
pub fn upcoming(directory: &Directory, handoff: &Handoff, cause: Cause) -> Option<PartyId> {
    let used = usize::try_from(handoff.rung()).unwrap_or(usize::MAX);
    let left = ladder(handoff).iter().skip(used);
    let for_this = left.filter(|step| step.on.as_deref().is_none_or(|on| on == cause.as_str()));
    let mut parties = for_this
        .take_while(|step| step.to != DEAD_LETTER)
        .filter_map(|step| directory.rung(&step.to));
    parties.find(|party| has_eligible_receiver(directory, handoff, party.id)).map(|party| party.id)
}

/// Returns `true` if a party has a member who may take the work or, in `returned`, verify it.
pub fn has_eligible_receiver(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let Some(found) = directory.party(party) else { return false };
    if !is_edge_allowed(directory, handoff, party) {
        return false;
    }
    // An unpublished gate can never be signed, so this receiver is a dead end.
    if gate::on_edge_to(directory, handoff, party).is_err() {
        return false;
    }
    // A verifier does not claim, and need not support the version of the contract.
    let is_judged = matches!(handoff.progress.state, State::Returned(_));
    if !is_judged && handoff.taken_over_by().is_some() && !directory.is_people(party) {
        return false;
    }
    let can_read = |party: PartyId| is_judged || is_supported_by(directory, handoff, party);
    let can_take = |party: &PartyId| may_take(directory, handoff, *party) && can_read(*party);
    can_read(party)
        && match found.kind {
            PartyKind::Role => found.members.iter().any(can_take),
            PartyKind::Agent | PartyKind::Human => can_take(&party),
        }
}

/// Returns `true` if a contract covers this edge, or the ladder of contract or project names the
/// party. The packet's own ladder and a checkpoint are only requests.
fn is_edge_allowed(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let facts = &handoff.facts;
    let ladders = facts.terms.ladder.iter().chain(&directory.settings.ladder);
    let mut named = ladders.filter_map(|step| directory.rung(&step.to));
    directory.settings.allows_edges_without_contract
        || !directory.contracts_on(&directory.name(facts.sender), &directory.name(party)).is_empty()
        || named.any(|found| found.id == party)
}

/// Returns `true` if an offer still has an eligible receiver. A role may have lost its members, or
/// all of them may have declined.
pub fn has_eligible_claimer(directory: &Directory, handoff: &Handoff) -> bool {
    let receiver = directory.party(handoff.facts.receiver);
    let Some(role) = receiver.filter(|found| found.kind == PartyKind::Role) else { return true };
    let is_left = |member: &PartyId| {
        !handoff.progress.declined_by.contains(member)
            && may_take(directory, handoff, *member)
            && is_supported_by(directory, handoff, *member)
    };
    role.members.iter().any(is_left)
}

/// Returns `true` if a party may take the work or verify its return. Work does not go back to an
/// earlier party, intercepted work stays with people, and no party verifies its own return.
fn may_take(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let facts = &handoff.facts;
    if let State::Returned(returned) = &handoff.progress.state {
        let is_asked = facts.terms.verify != Judge::Person || directory.is_people(party);
        return returned.holder != party && is_asked;
    }
    if handoff.taken_over_by().is_some() && !directory.is_people(party) {
        return false;
    }
    facts.is_begun || facts.terms.allows_return || !facts.was_with(party)
}

/// Assigns the work or, in `returned`, the verification to another party.
fn assign(mover: ActorContext<'_>, handoff: &mut Handoff, party: PartyId, change: &mut Change) {
    handoff.progress.progress_at = mover.now;
    if let State::Returned(_) = handoff.progress.state {
        handoff.progress.judge = Some(party);
        start_verification(&mover.state.directory, handoff, mover.now);
        return;
    }
    route(&mover.state.directory, handoff, party, mover.now);
    offer(&mover.state.directory, handoff, None, mover.now, mover.actor, change);
}

/// Starts the time to judge a return. Without a time in its contract it is a day. People who judge
/// it keep it if the ladder has no one else: as a dead letter the finished work could only be done
/// again.
pub fn start_verification(directory: &Directory, handoff: &mut Handoff, now: Timestamp) {
    let judge = handoff.progress.judge.unwrap_or(handoff.facts.sender);
    let may_move =
        !directory.is_people(judge) || has_rung_for(directory, handoff, Cause::NoProgress);
    let default = may_move.then_some(VERIFY_DEFAULT);
    let verify = handoff.facts.terms.deadlines.verify.or(default);
    if let State::Returned(returned) = &mut handoff.progress.state {
        (returned.since, returned.verify) = (now, verify);
    }
}

/// Ends a task that a program began by itself. No one waits for it, so it is no dead letter.
pub(crate) fn end_automatic(
    mover: ActorContext<'_>,
    handoff: &mut Handoff,
    why: &str,
    change: &mut Change,
) {
    change.record_event(EventType::Cancelled, handoff.id, mover.actor).because(Some(why));
    handoff.progress.state = State::Cancelled;
    chain::child_ended_by(mover, handoff, change);
}

fn dead_letter(mover: ActorContext<'_>, handoff: &mut Handoff, cause: Cause, change: &mut Change) {
    if handoff.progress.ends_at.is_some() {
        return end_automatic(mover, handoff, cause.as_str(), change);
    }
    change.record_event(EventType::Died, handoff.id, mover.actor).with("because", cause.as_str());
    handoff.progress.state = State::Dead;
    handoff.progress.judge = None;
    chain::child_ended_by(mover, handoff, change);
}

/// Returns the rungs of a handoff: the packet's own, else those of contract or project. A task that a
/// program began by itself has none.
pub fn ladder(handoff: &Handoff) -> &[Rung] {
    if handoff.progress.ends_at.is_some() {
        return &[];
    }
    let own = &handoff.facts.summary.fallback;
    if own.is_empty() { &handoff.facts.terms.ladder } else { own }
}

/// Returns the time without progress after which the current receiver loses the work.
pub fn no_progress_timeout(handoff: &Handoff) -> Option<tasuki_packet::duration::Duration> {
    let at = usize::try_from(handoff.progress.rung).ok()?;
    let next = ladder(handoff).get(at..)?.iter();
    let mut for_this = next.filter(|step| step.on.as_deref().is_none_or(|on| on == "no_progress"));
    for_this.next()?.after
}

/// The outcome of following the last checkpoint of a begun task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointTarget {
    /// The checkpoint names no party, or the current receiver.
    Nowhere,
    /// The named party has no eligible receiver, for this reason.
    ToNobody(String),
    /// The work has gone to the named party.
    Followed,
}

/// Sends a task that a party began for itself to the party that its last checkpoint names, unless
/// that party had it last.
pub fn follow_checkpoint(
    mover: ActorContext<'_>,
    handoff: &mut Handoff,
    change: &mut Change,
) -> CheckpointTarget {
    let directory = &mover.state.directory;
    let named = handoff.progress.checkpoint.as_ref().and_then(|mark| mark.to);
    let is_other = |party: &PartyId| handoff.facts.is_begun && handoff.facts.receiver != *party;
    let Some(party) = named.filter(is_other) else { return CheckpointTarget::Nowhere };
    if !has_eligible_receiver(directory, handoff, party) {
        let name = directory.name(party);
        return CheckpointTarget::ToNobody(format!("no eligible receiver for `{name}`"));
    }
    change.record_event(EventType::Rerouted, handoff.id, mover.actor).with("receiver", party);
    route(directory, handoff, party, mover.now);
    CheckpointTarget::Followed
}

/// Returns `true` if a stated instant has passed.
pub fn is_past(instant: Option<Timestamp>, now: Timestamp) -> bool {
    instant.is_some_and(|instant| instant <= now)
}

/// Returns the actor context of the clock.
pub fn clock(state: &ProjectState, now: Timestamp) -> ActorContext<'_> {
    ActorContext { state, now, actor: CLOCK }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::id::HandoffId;

    use super::*;
    use crate::command::Command;
    use crate::limits::HOPS_DEFAULT;
    use crate::model::{DocumentKind, PartyKind, Settings};
    use crate::steps::{Attention, Decline, Discard, Redrive, Reroute, SeenVersion};
    use crate::testing::{World, claim, decline, pass_on, return_packet, submit, verdict};

    fn redrive_of(handoff: HandoffId) -> Command {
        Command::Redrive(Redrive {
            handoff,
            reason: Some("fixed".to_owned()),
            attention: Attention::default(),
        })
    }

    /// Returns the rungs taken, as `rung because to`.
    fn climbed(world: &World) -> String {
        let rows = world.leaves.iter().filter(|row| {
            matches!(row.kind, EventType::MovedOn | EventType::Died | EventType::Rerouted)
        });
        let line = |row: &crate::ports::LeafRow| {
            let leaf: Value = serde_json::from_str(&row.leaf).unwrap();
            let detail: Value = serde_json::from_str(&row.detail).unwrap();
            let (rung, because) = (&leaf["attr"]["rung"], &leaf["attr"]["because"]);
            let to = leaf["attr"]["receiver"].as_str().map_or_else(
                || detail["reason"].as_str().unwrap_or("-").to_owned(),
                |id| world.state.directory.name(id.parse().unwrap()),
            );
            format!("{} {rung} {because} {to}", row.kind.name())
        };
        rows.map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_packets_ladder_comes_before_the_contracts_and_that_before_the_projects() {
        let rung = |to: &str| json!([{ "to": to }]);
        let settings = Settings {
            ladder: crate::model::packet_summary::steps(Some(&rung("cem"))),
            ..Settings::default()
        };
        let check = |contract: Option<Value>, more: Value, expected: &str| {
            let mut world = World::with(settings.clone());
            if let Some(contract) = contract {
                world.contract(&contract);
            }
            world.done("ana", submit(&more));
            world.check("ben", decline(world.newest()), expected);
        };
        check(None, json!({}), "offered to cem");
        check(Some(json!({})), json!({}), "offered to role:people");
        check(Some(json!({})), json!({ "fallback": rung("pia") }), "offered to pia");
        check(None, json!({ "fallback": rung("dead_letter") }), "dead");
    }

    #[test]
    fn every_ladder_ends_in_the_dead_letter() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "fallback": [{ "to": "cem" }] })));
        let id = world.newest();
        world.check("ben", decline(id), "offered to cem");
        world.check("cem", decline(id), "dead");
        insta::assert_snapshot!(climbed(&world), @r#"
        handoff.moved_on 1 "declined" cem
        handoff.died null "declined" -
        "#);
    }

    #[test]
    fn a_rung_for_another_cause_or_without_an_eligible_receiver_is_skipped() {
        let mut world = World::new();
        world.add("role:senders", PartyKind::Role);
        world.change("role:senders", |role, id| role.members = vec![id("ana")]);
        world.change("role:nobody", |role, id| role.members = vec![id("cem")]);
        let ladder = json!([
            { "on": "lapsed", "to": "cem" },
            { "to": "role:nobody" },
            { "to": "ana" },
            { "to": "role:senders" },
            { "on": "declined", "to": "role:people" },
        ]);
        world.done("ana", submit(&json!({ "fallback": ladder })));
        world.change("role:nobody", |role, _| role.members.clear());
        world.check("ben", decline(world.newest()), "offered to role:people");
        insta::assert_snapshot!(climbed(&world), @r#"
        handoff.moved_on 2 "declined" no eligible receiver for `role:nobody`
        handoff.moved_on 3 "declined" no eligible receiver for `ana`
        handoff.moved_on 4 "declined" no eligible receiver for `role:senders`
        handoff.moved_on 5 "declined" role:people
        "#);
    }

    #[test]
    fn a_packets_own_ladder_leads_along_edges_that_the_project_allows() {
        let ladder = crate::model::packet_summary::steps(Some(&json!([{ "to": "quin" }])));
        let settings =
            Settings { allows_edges_without_contract: false, ladder, ..Settings::default() };
        let check = |to: &str, expected: &str| {
            let mut world = World::with(settings.clone());
            world.contract(&json!({ "to": ["ben"] }));
            world.contract(&json!({ "contract": "other", "to": ["pia"] }));
            world.done("ana", submit(&json!({ "fallback": [{ "to": to }] })));
            world.check("ben", decline(world.newest()), expected);
        };
        check("cem", "dead");
        check("pia", "offered to pia");
        // The contract and the project name these.
        check("role:people", "offered to role:people");
        check("quin", "offered to quin");
    }

    #[test]
    fn a_checkpoint_cannot_name_a_party_without_a_contract_on_the_edge() {
        let check = |contracts: &[Value], expected: &str, story: &str| {
            let settings = Settings { allows_edges_without_contract: false, ..Settings::default() };
            let mut world = World::with(settings);
            for contract in contracts {
                world.contract(contract);
            }
            let source = crate::testing::packet(&json!({ "to_agent": "ana" }));
            let begin = crate::steps::Begin { source, ..Default::default() };
            world.done("ana", Command::Begin(begin));
            let shown = world.shown();
            world.done("ana", crate::testing::checkpoint(shown, &json!({ "to_agent": "cem" })));
            let (from, held) = (world.leaves.len(), world.state.clone());
            let answer = world.done("ana", crate::testing::release(shown));
            assert_eq!(world.standing(), expected);
            assert_eq!(answer.notes.is_empty(), expected == "offered to cem");
            world.state = held;
            world.leaves.truncate(from);
            world.advance(1800);
            world.apply_due();
            assert_eq!(world.standing(), expected);
            assert_eq!(world.story(from), story);
        };
        let stays = "handoff.lapsed by clock\nhandoff.moved_on by clock";
        check(&[], "offered to ana", stays);
        let moves = "handoff.lapsed by clock\nhandoff.rerouted by clock";
        check(&[json!({ "to": ["cem"] })], "offered to cem", moves);
    }

    #[test]
    fn an_unknown_rung_name_means_the_role_of_that_name() {
        let line = "escalate_to_oncall_if_not_progressed_within_300s";
        let check = |parties: &[&str], expected: &str| {
            let mut world = World::new();
            for name in parties {
                let kind =
                    if name.starts_with("role:") { PartyKind::Role } else { PartyKind::Agent };
                world.add(name, kind);
            }
            if parties.contains(&"role:oncall") {
                world.change("role:oncall", |role, id| role.members = vec![id("cem")]);
            }
            world.done("ana", submit(&json!({ "fallback": line })));
            world.advance(300);
            world.apply_due();
            assert_eq!(world.standing(), expected, "{parties:?}");
        };
        check(&["role:oncall"], "offered to role:oncall");
        check(&["role:oncall", "oncall"], "offered to oncall");
        let refused = World::new().refusal("ana", submit(&json!({ "fallback": line })));
        assert!(refused.starts_with("TK-PARTY-UNKNOWN: `fallback`: unknown party `oncall`"));
    }

    #[test]
    fn a_gate_holds_the_work_on_every_rung() {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
            "applies": { "edge": [{ "to": "cem" }] },
        }));
        world.done("ana", submit(&json!({ "fallback": [{ "to": "cem" }] })));
        world.check("ben", decline(world.newest()), "held for gate:release");
    }

    #[test]
    fn the_gates_of_a_contract_hold_work_that_a_rung_sends_to_its_edge() {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
        }));
        world.contract(&json!({ "contract": "guarded", "to": ["cem"], "gates": ["release"] }));
        world.done("ana", submit(&json!({ "fallback": [{ "to": "cem" }] })));
        world.check("ben", decline(world.newest()), "held for gate:release");
    }

    #[test]
    fn a_member_of_a_role_only_takes_itself_out() {
        let mut world = World::new();
        world.change("role:team", |role, id| role.members.push(id("ana")));
        world.done("ana", submit(&json!({ "to_agent": "role:team" })));
        let id = world.newest();
        world.check("ben", decline(id), "offered to role:team");
        insta::assert_snapshot!(world.refused("ben", decline(id)), @"
        TK-CLAIM-DECLINED: you already declined handoff hof_…
          nothing to do; another member of the role can take it
        ");
        // The sender is in the role too, but had the work: no eligible receiver is left.
        world.check("cem", decline(id), "dead");
    }

    #[test]
    fn declining_closes_the_members_open_question() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "to_agent": "role:team" })));
        let handoff = world.newest();
        let ask = |is_blocking| {
            let text = "which tenant?".to_owned();
            Command::Ask(crate::steps::Ask { handoff, field: None, text, is_blocking })
        };
        world.done("ben", ask(true));
        world.done("cem", ask(false));
        world.check("cem", claim(handoff), "refused TK-QUESTION-OPEN");
        world.check("ben", decline(handoff), "offered to role:team");
        world.check("cem", claim(handoff), "claimed by cem, fence 1");
        assert_eq!(world.handoff().progress.questions.len(), 1);
    }

    #[test]
    fn a_member_may_decline_again_what_came_back_to_its_role() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "to_agent": "role:team" })));
        let handoff = world.newest();
        world.done("ben", decline(handoff));
        for to in ["role:people", "role:team"] {
            let (to, seen) = (to.to_owned(), SeenVersion::default());
            world.done("pia", Command::Reroute(Reroute { handoff, to, seen, reason: None }));
        }
        world.done("ben", decline(handoff));
        let reasons = world.documents.iter().filter(|one| one.kind == DocumentKind::Reason);
        let mut ids: Vec<&str> = reasons.map(|document| document.id.as_str()).collect();
        ids.dedup();
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn a_decline_needs_a_reason() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let silent = Command::Decline(Decline { handoff: world.newest(), reason: None });
        insta::assert_snapshot!(world.refused("ben", silent), @r#"
        TK-REASON-MISSING: a reason is required to decline
          add one with `-m "…"`
        "#);
    }

    #[test]
    fn a_redriven_handoff_goes_to_the_first_receiver_with_all_counters_at_zero() {
        let mut world = World::new();
        let more = json!({ "fallback": [{ "to": "cem" }], "return_required": ["status"] });
        world.done("ana", submit(&more));
        let id = world.newest();
        world.done("ben", claim(id));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        world.done("ana", verdict(&world, id, false));
        world.done("ben", decline(id));
        world.check("cem", decline(id), "dead");
        world.check("pia", redrive_of(id), "offered to ben");
        let progress = &world.handoff().progress;
        assert_eq!((progress.rung, progress.lapses, progress.reworks), (0, 0, 0));
        assert!(progress.declined_by.is_empty());
        world.check("ben", claim(id), "claimed by ben, fence 2");
    }

    #[test]
    fn dead_letters_are_for_operators_and_a_discard_needs_a_reason() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let handoff = world.newest();
        let mut refusals = vec![world.refused("pia", redrive_of(handoff))];
        world.done("ben", decline(handoff));
        let silent =
            Command::Discard(Discard { handoff, reason: None, attention: Attention::default() });
        refusals.push(world.refused("pia", silent));
        let mut plain = world.principal("pia");
        plain.scopes = crate::model::Scopes::none();
        let refusal = world.run_as(&plain, redrive_of(handoff)).unwrap_err();
        refusals.push(refusal.message);
        world.done("ana", submit(&json!({})));
        refusals.push(world.refused("pia", redrive_of(handoff)));
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        TK-STATE-CONFLICT: cannot redrive handoff hof_…: it is offered, but must be dead
          `tasuki show` lists the commands that are possible now
        TK-REASON-MISSING: a reason is required to discard
          add one with `-m "…"`
        this credential lacks the scope `admin`
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_…
          keep that one, or cancel it first
        "#);
        let discard = Command::Discard(Discard {
            handoff,
            reason: Some("obsolete".to_owned()),
            attention: Attention::default(),
        });
        world.done("pia", discard);
        assert_eq!(world.standing_of(handoff), "discarded");
    }

    #[test]
    fn a_dead_child_whose_parent_lives_stays_dead() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let parent = world.newest();
        world.done("ben", claim(parent));
        let shown = world.shown();
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        world.check("cem", decline(child), "dead");
        assert_eq!(world.standing_of(parent), "offered to ben");
        world.check("pia", redrive_of(child), "refused TK-TASK-LIVE");
    }

    #[test]
    fn an_endless_ping_pong_stops_at_the_hop_limit_and_the_work_ends_in_the_dead_letter() {
        let mut world = World::new();
        // The hop limit applies even where a contract allows work to come back.
        world.contract(&json!({
            "from": ["ana", "ben"], "to": ["ana", "ben"], "returns": { "allowed": true },
            "fallback": [{ "to": "dead_letter" }],
        }));
        world.done("ana", submit(&json!({})));
        let (mut holder, mut other) = ("ben", "ana");
        let mut hops = 1;
        let refusal = loop {
            world.done(holder, claim(world.newest()));
            world.advance(1);
            let shown = world.shown();
            match world.run(holder, pass_on(shown, other)) {
                Ok(_) => hops += 1,
                Err(refusal) => break refusal,
            }
            std::mem::swap(&mut holder, &mut other);
        };
        assert_eq!(hops, HOPS_DEFAULT);
        assert_eq!(refusal.code, RefusalCode::ChainHops);
        insta::assert_snapshot!(refusal.message, @"this would be handoff 6 of the chain; the limit is 5");
        // The last holder lets it lapse: three attempts, then the dead letter.
        for attempt in 1..=3 {
            world.advance(30 * 60);
            world.apply_due();
            if attempt < 3 {
                world.done(holder, claim(world.newest()));
            }
        }
        assert_eq!(world.standing(), "dead");
        let open = world.state.handoffs().filter(|handoff| handoff.is_open()).count();
        assert_eq!(open, 0);
    }

    #[test]
    fn a_redrive_does_not_bypass_a_gate() {
        let mut world = World::new();
        world.check(
            "ana",
            submit(&json!({ "fallback": [{ "to": "dead_letter" }] })),
            "offered to ben",
        );
        let id = world.newest();
        world.check("ben", decline(id), "dead");
        world.gate(json!({
            "gate": "late", "version": "1.0", "applies": { "edge": [{ "to": "ben" }] },
            "factors": [{ "name": "eyes", "roles": ["people"], "approvals": 1 }],
        }));
        world.contract(&json!({ "gates": ["nobody-published-this"] }));
        world.check("pia", redrive_of(id), "refused TK-GATE-UNKNOWN");
        // Moves by the clock are held by published gates.
        let mut moved = world.handoff().clone();
        route(&world.state.directory, &mut moved, world.id("ben"), world.now);
        assert_eq!(moved.facts.terms.gates.len(), 1);
    }
}
