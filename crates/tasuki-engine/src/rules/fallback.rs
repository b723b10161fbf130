//! The receiver cannot go on: the next rung of the ladder, at last the dead letter.
//!
//! The ladder is the packet's, else the contract's, else the project's; whatever it says, its last
//! rung is the dead letter, so no handoff vanishes. A rung that leads to nobody is skipped, as an
//! event. The next rung is decided like a submit: a gate still holds it.

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Actor, EventType};

use crate::model::{
    CLOCK, Change, Context, Directory, Handoff, Judge, PartyKind, ProjectState, Rung, State,
};
use crate::rules::offer::offer;
use crate::rules::route::{is_read_by, route};
use crate::rules::{chain, gate};

/// Why work leaves its receiver.
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
    /// The holder parked it, and the contract says that another goes on.
    Parked,
}

/// What a step of the clock or of a caller decides by.
#[derive(Debug, Clone, Copy)]
pub struct ActorContext<'a> {
    /// What is known.
    pub state: &'a ProjectState,
    /// When.
    pub now: Timestamp,
    /// Who moves it.
    pub actor: Actor,
}

impl<'a> From<&Context<'a>> for ActorContext<'a> {
    fn from(context: &Context<'a>) -> Self {
        Self { state: context.state, now: context.now, actor: context.actor() }
    }
}

impl Cause {
    /// The word as leaves and rungs have it.
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

/// Moves a handoff to the next rung that is for this cause and leads to somebody.
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
        if step.to == "dead_letter" {
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
        // Without a receiver in its leaf, the event says that the rung led to nobody.
        event.because(Some(&format!("`{}` leads to nobody who may take it", step.to)));
    }
    dead_letter(mover, handoff, cause, change);
}

/// Whether a rung is left for this cause that leads to somebody.
pub fn has_rung_for(directory: &Directory, handoff: &Handoff, cause: Cause) -> bool {
    let used = usize::try_from(handoff.rung()).unwrap_or(usize::MAX);
    let left = ladder(handoff).iter().skip(used);
    let for_this = left.filter(|step| step.on.as_deref().is_none_or(|on| on == cause.as_str()));
    let mut parties = for_this
        .take_while(|step| step.to != "dead_letter")
        .filter_map(|step| directory.rung(&step.to));
    parties.any(|party| has_eligible_receiver(directory, handoff, party.id))
}

/// Whether there is somebody in a party who may take the work or, in `returned`, judge it.
pub fn has_eligible_receiver(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let Some(found) = directory.party(party) else { return false };
    if !is_agreed(directory, handoff, party) {
        return false;
    }
    // A way with a gate that nobody has published leads nowhere: it could never be signed.
    if gate::on_the_way_to(directory, handoff, party).is_err() {
        return false;
    }
    // Who judges a return does not claim, and need not read the version.
    let is_judged = matches!(handoff.progress.state, State::Returned(_));
    if !is_judged && handoff.taken_over_by().is_some() && !directory.is_people(party) {
        return false;
    }
    let can_read = |party: PartyId| is_judged || is_read_by(directory, handoff, party);
    let can_take = |party: &PartyId| may_take(directory, handoff, *party) && can_read(*party);
    can_read(party)
        && match found.kind {
            PartyKind::Role => found.members.iter().any(can_take),
            PartyKind::Agent | PartyKind::Human => can_take(&party),
        }
}

/// Whether the project lets the work go there: a contract covers the edge, or whoever agreed on contract
/// and project named the party in a ladder. A packet's own ladder and a checkpoint only say a wish.
fn is_agreed(directory: &Directory, handoff: &Handoff, party: PartyId) -> bool {
    let facts = &handoff.facts;
    let ladders = facts.terms.ladder.iter().chain(&directory.settings.ladder);
    let mut named = ladders.filter_map(|step| directory.rung(&step.to));
    directory.settings.allows_edges_without_contract
        || !directory.contracts_on(&directory.name(facts.sender), &directory.name(party)).is_empty()
        || named.any(|found| found.id == party)
}

/// Whether anybody is left who may claim what is offered: a role may have lost its members, or all
/// that it has may have declined.
pub fn has_taker(directory: &Directory, handoff: &Handoff) -> bool {
    let receiver = directory.party(handoff.facts.receiver);
    let Some(role) = receiver.filter(|found| found.kind == PartyKind::Role) else { return true };
    let is_left = |member: &PartyId| {
        !handoff.progress.declined_by.contains(member)
            && may_take(directory, handoff, *member)
            && is_read_by(directory, handoff, *member)
    };
    role.members.iter().any(is_left)
}

/// Work goes one way, what a person took over stays with people, and nobody judges what they
/// returned themselves.
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

/// The work, or in `returned` the judging, comes to another party.
fn assign(mover: ActorContext<'_>, handoff: &mut Handoff, party: PartyId, change: &mut Change) {
    handoff.progress.progress_at = mover.now;
    if let State::Returned(returned) = &mut handoff.progress.state {
        returned.since = mover.now;
        handoff.progress.judge = Some(party);
        return;
    }
    route(&mover.state.directory, handoff, party, mover.now);
    offer(&mover.state.directory, handoff, None, mover.now, mover.actor, change);
}

fn dead_letter(mover: ActorContext<'_>, handoff: &mut Handoff, cause: Cause, change: &mut Change) {
    change.record_event(EventType::Died, handoff.id, mover.actor).with("because", cause.as_str());
    handoff.progress.state = State::Dead;
    handoff.progress.judge = None;
    chain::child_ended_by(mover, handoff, change);
}

/// The rungs of a handoff: the packet's own, else those of contract or project.
pub fn ladder(handoff: &Handoff) -> &[Rung] {
    let own = &handoff.facts.summary.fallback;
    if own.is_empty() { &handoff.facts.terms.ladder } else { own }
}

/// How long the current receiver may go without progress before the next rung: what it says itself.
pub fn no_progress_timeout(handoff: &Handoff) -> Option<tasuki_packet::duration::Duration> {
    let at = usize::try_from(handoff.progress.rung).ok()?;
    let next = ladder(handoff).get(at..)?.iter();
    let mut for_this = next.filter(|step| step.on.as_deref().is_none_or(|on| on == "no_progress"));
    for_this.next()?.after
}

/// Where the last checkpoint of a begun task leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointTarget {
    /// It names nobody, or whoever had the work last.
    Nowhere,
    /// It names somebody who may not take it: why.
    ToNobody(String),
    /// The work has gone there.
    Followed,
}

/// A task that a party began for itself goes to whom its last checkpoint names, if that is another
/// one than had it last.
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
        return CheckpointTarget::ToNobody(format!("`{name}` leads to nobody who may take it"));
    }
    change.record_event(EventType::Rerouted, handoff.id, mover.actor).with("receiver", party);
    route(directory, handoff, party, mover.now);
    CheckpointTarget::Followed
}

/// Whether an instant that was stated has come.
pub fn is_past(instant: Option<Timestamp>, now: Timestamp) -> bool {
    instant.is_some_and(|instant| instant <= now)
}

/// The mover of what time has made due.
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
    use crate::refusal::RefusalCode;
    use crate::steps::{Decline, Discard, Redrive, Reroute, SeenVersion};
    use crate::testing::{World, claim, decline, pass_on, return_packet, submit, verdict};

    fn redrive_of(handoff: HandoffId) -> Command {
        Command::Redrive(Redrive { handoff, reason: Some("fixed".to_owned()) })
    }

    /// What became of the rungs, as `rung because to`.
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
    fn a_ladder_without_a_dead_letter_ends_there_all_the_same() {
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
    fn a_rung_is_skipped_if_it_is_for_another_cause_or_leads_to_nobody() {
        let mut world = World::new();
        world.add("role:senders", PartyKind::Role);
        world.change("role:senders", |role, id| role.members = vec![id("ana")]);
        let ladder = json!([
            { "on": "lapsed", "to": "cem" },
            { "to": "role:nobody" },
            { "to": "nobody-at-all" },
            { "to": "ana" },
            { "to": "role:senders" },
            { "on": "declined", "to": "role:people" },
        ]);
        world.done("ana", submit(&json!({ "fallback": ladder })));
        world.check("ben", decline(world.newest()), "offered to role:people");
        insta::assert_snapshot!(climbed(&world), @r#"
        handoff.moved_on 2 "declined" `role:nobody` leads to nobody who may take it
        handoff.moved_on 3 "declined" `nobody-at-all` leads to nobody who may take it
        handoff.moved_on 4 "declined" `ana` leads to nobody who may take it
        handoff.moved_on 5 "declined" `role:senders` leads to nobody who may take it
        handoff.moved_on 6 "declined" role:people
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
        // Contract and project name these themselves.
        check("role:people", "offered to role:people");
        check("quin", "offered to quin");
    }

    #[test]
    fn a_checkpoint_names_nobody_to_whom_no_contract_leads() {
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
    fn a_word_that_no_party_has_is_the_role_of_that_name() {
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
        check(&[], "dead");
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
    fn the_gates_of_a_contract_hold_what_comes_to_its_edge_by_another_way() {
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
        TK-CLAIM-DECLINED: you declined handoff hof_… already
          nothing more is needed: another member of the role takes it
        ");
        // The sender is in the role too, but work goes one way: nobody is left.
        world.check("cem", decline(id), "dead");
    }

    #[test]
    fn who_declines_waits_for_no_answer() {
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
    fn a_decline_says_why() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let silent = Command::Decline(Decline { handoff: world.newest(), reason: None });
        insta::assert_snapshot!(world.refused("ben", silent), @r#"
        TK-REASON-MISSING: to decline, say why
          add a reason: `-m "…"`
        "#);
    }

    #[test]
    fn a_redriven_one_goes_to_the_first_receiver_with_all_counters_at_zero() {
        let mut world = World::new();
        let more = json!({ "fallback": [{ "to": "cem" }], "return_required": ["status"] });
        world.done("ana", submit(&more));
        let id = world.newest();
        world.done("ben", claim(id));
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        world.done("ana", verdict(id, false));
        world.done("ben", decline(id));
        world.check("cem", decline(id), "dead");
        world.check("pia", redrive_of(id), "offered to ben");
        let progress = &world.handoff().progress;
        assert_eq!((progress.rung, progress.lapses, progress.reworks), (0, 0, 0));
        assert!(progress.declined_by.is_empty());
        world.check("ben", claim(id), "claimed by ben, fence 2");
    }

    #[test]
    fn dead_letters_are_for_operators_and_a_discard_says_why() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let handoff = world.newest();
        let mut said = vec![world.refused("pia", redrive_of(handoff))];
        world.done("ben", decline(handoff));
        let silent = Command::Discard(Discard { handoff, reason: None });
        said.push(world.refused("pia", silent));
        let mut plain = world.principal("pia");
        plain.scopes = crate::model::Scopes::none();
        let refusal = world.run_as(&plain, redrive_of(handoff)).unwrap_err();
        said.push(refusal.message);
        world.done("ana", submit(&json!({})));
        said.push(world.refused("pia", redrive_of(handoff)));
        insta::assert_snapshot!(said.join("\n"), @r#"
        TK-STATE-CONFLICT: handoff hof_… is offered; to redrive it, it must be dead
          `tasuki show` says what can be done with it now
        TK-REASON-MISSING: to discard, say why
          add a reason: `-m "…"`
        this credential lacks the scope `admin`
        TK-TASK-LIVE: task `task-1` has a live handoff hof_… by now
          let that one go on, or cancel it first
        "#);
        let discard = Command::Discard(Discard { handoff, reason: Some("obsolete".to_owned()) });
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
        // Even where a contract lets work come back, the chain is only so long.
        world.contract(&json!({
            "from": ["ana", "ben"], "to": ["ana", "ben"], "returns": { "allowed": true },
            "fallback": [{ "to": "dead_letter" }],
        }));
        world.done("ana", submit(&json!({})));
        let (mut holder, mut other) = ("ben", "ana");
        let mut hops = 1;
        let said = loop {
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
        assert_eq!(said.code, RefusalCode::ChainHops);
        insta::assert_snapshot!(said.message, @"this would be handoff 6 of the chain, the limit is 5");
        // Whoever is left with it lets it lapse: three attempts, then the dead letter.
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
    fn a_redrive_goes_around_no_gate() {
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
        // What moves by itself is held by the gates that there are.
        let mut moved = world.handoff().clone();
        route(&world.state.directory, &mut moved, world.id("ben"), world.now);
        assert_eq!(moved.facts.terms.gates.len(), 1);
    }
}
