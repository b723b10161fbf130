//! Replaces the live handoff of a task with a new one.

use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, Facts, Handoff, Scope, State};
use crate::prepare::PreparedPacket;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::recompute_policy;
use crate::rules::offer::pending_reasons;
use crate::rules::{authorization, gate};

/// Enforces one live handoff per task: supersedes it, passes it on, or refuses the submit.
pub(super) fn replace_live(
    context: &Context<'_>,
    prepared: &PreparedPacket,
    task: &str,
    parent: Option<&Handoff>,
    change: &mut Change,
) -> Result<(), Refusal> {
    let live = context.state.live(task);
    match (live, prepared.supersedes) {
        (None, None) => Ok(()),
        (Some(live), None) if parent.is_some_and(|parent| parent.id == live.id) => Ok(()),
        (Some(live), None) => Err(in_the_way(context, task, live)),
        (Some(live), Some(superseded))
            if live.id == superseded
                && parent.is_none()
                && authorization::is_known(context, live) =>
        {
            may_supersede(context, live)?;
            supersede(context, live, change);
            Ok(())
        }
        (_, Some(superseded)) if parent.is_some() => {
            let message = format!("a packet that passes work on cannot supersede {superseded}");
            Err(Refusal::new(RefusalCode::SupersedesWrong, message)
                .hint("remove `supersedes`; the handoff that is passed on is closed automatically"))
        }
        (_, Some(superseded)) => {
            let message = format!("handoff {superseded} is not the live handoff of task `{task}`");
            let refusal = Refusal::new(RefusalCode::SupersedesWrong, message);
            Err(match live.filter(|live| authorization::is_known(context, live)) {
                Some(live) => {
                    refusal.hint(format!("the live handoff is {}", live.id)).naming(live.id)
                }
                None => refusal.hint("nothing to supersede; remove `supersedes`"),
            })
        }
    }
}

fn in_the_way(context: &Context<'_>, task: &str, live: &Handoff) -> Refusal {
    if !authorization::is_known(context, live) {
        return taken(task);
    }
    let state = live.progress.state.word().as_str();
    let to = context.state.directory.name(live.facts.receiver);
    let message =
        format!("task `{task}` already has a live handoff {} to `{to}` ({state})", live.id);
    let is_held_by_caller =
        live.claim().is_some_and(|claim| claim.holder == context.principal.party);
    let hint = if is_held_by_caller {
        format!("you hold it; pass it on with `tasuki pass-on {}`", live.id)
    } else if may_supersede(context, live).is_ok() {
        format!("replace it with `tasuki submit --supersedes {}`", live.id)
    } else {
        format!("see `tasuki show {}`, or use another task id", live.id)
    };
    Refusal::new(RefusalCode::TaskLive, message).hint(hint).naming(live.id)
}

/// Returns the refusal for a caller that may not know the live handoff of the task.
pub fn taken(task: &str) -> Refusal {
    Refusal::new(RefusalCode::TaskLive, format!("task `{task}` already exists"))
        .hint("use another task id")
}

/// Checks that the caller is the sender or a person, and that the handoff passes on no other work.
fn may_supersede(context: &Context<'_>, live: &Handoff) -> Result<(), Refusal> {
    let is_person = context.principal.is_human() && context.principal.scopes.has(Scope::Decide);
    if !authorization::is_sender(context, live) && !is_person {
        let sender = context.state.directory.name(live.facts.sender);
        let message = format!("handoff {} is from `{sender}`", live.id);
        return Err(Refusal::new(RefusalCode::NotAllowed, message)
            .hint("only its sender or a person can supersede it"));
    }
    if let Some(parent) = live.facts.parent {
        let message = format!("handoff {} passes on the work of {parent}", live.id);
        return Err(Refusal::new(RefusalCode::SupersedesWrong, message)
            .hint("revise it before it is claimed, or cancel it first"));
    }
    Ok(())
}

fn supersede(context: &Context<'_>, live: &Handoff, change: &mut Change) {
    let by: HandoffId = context.seed.id("handoff", context.now);
    change.record_event(EventType::Superseded, live.id, context.actor()).with("by", by);
    let reason = format!("superseded by {by}");
    change.record_event(EventType::Cancelled, live.id, context.actor()).because(Some(&reason));
    let mut old = live.clone();
    old.progress.state = State::Cancelled;
    change.put(old);
}

/// Holds a replacement of held work at the same gates. Otherwise a sender could free held work by
/// submitting another packet. A person who replaces it has looked.
pub(super) fn keep_held(context: &Context<'_>, superseded: &Handoff, facts: &mut Facts) {
    if context.principal.is_human() {
        return;
    }
    let directory = &context.state.directory;
    // Otherwise, the new packet is held as a changed one.
    if facts.terms.keeps_approval {
        let pending = pending_reasons(directory, superseded, facts.receiver);
        facts.terms.is_hold_asked |= !pending.is_empty();
    }
    let mut gates = superseded.facts.terms.gates.clone();
    gates.retain(|digest| !gate::is_bound(directory, facts, digest));
    if !gates.is_empty() {
        facts.terms.gates.extend(gates);
        recompute_policy(directory, facts, &[]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::steps::{PassOn, Submit};
    use crate::testing::{World, claim, packet, pass_on_with, submit};

    fn superseding(live: HandoffId, more: &serde_json::Value) -> Command {
        let source = packet(more);
        Command::Submit(Submit { source, supersedes: Some(live), ..Submit::default() })
    }

    #[test]
    fn a_task_has_one_live_handoff() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        let second = submit(&json!({"goal": "another"}));
        insta::assert_snapshot!(world.refusal("ana", second.clone()), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (offered)
        hint: replace it with `tasuki submit --supersedes hof_1`
        ");
        assert_eq!(world.run("ana", second.clone()).unwrap_err().handoff, Some(first));
        world.run("ben", claim(first)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", second.clone()), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (claimed)
        hint: you hold it; pass it on with `tasuki pass-on hof_1`
        ");
        world.advance(1);
        world.check("ana", submit(&json!({"task_id": "task-2"})), "offered to ben");
    }

    #[test]
    fn a_packet_supersedes_the_live_handoff_that_it_names() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        let leaves = world.leaves.len();
        world.advance(1);
        world.check("ana", submit(&json!({"goal": "new", "supersedes": first})), "offered to ben");
        assert_eq!(world.state.handoff(first).unwrap().progress.state, State::Cancelled);
        insta::assert_snapshot!(world.story(leaves), @"
        handoff.superseded by ana
        handoff.cancelled by ana
        handoff.submitted by ana
        ");
        let detail: serde_json::Value =
            serde_json::from_str(&world.leaves[leaves + 1].detail).unwrap();
        assert_eq!(detail["reason"], format!("superseded by {}", world.newest()));

        let second = world.newest();
        world.advance(1);
        world.run("ben", claim(second)).unwrap();
        world.check("ana", superseding(second, &json!({"goal": "newer"})), "offered to ben");
        let open = world.state.handoffs().filter(|handoff| handoff.is_open()).count();
        assert_eq!(open, 1);
    }

    #[test]
    fn a_packet_without_a_task_has_the_task_of_what_it_supersedes() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        world.advance(1);
        let source = json!({"handoff_version": "1.0", "to_agent": "ben", "status": "in_progress",
            "goal": "g", "completed": [], "remaining": [], "supersedes": first});
        let source = source.to_string().into_bytes();
        world.check(
            "ana",
            Command::Submit(Submit { source, ..Submit::default() }),
            "offered to ben",
        );
        assert_eq!(world.handoff().facts.task, "task-1");
    }

    #[test]
    fn only_the_sender_supersedes_and_only_the_live_handoff_of_the_task() {
        let mut world = World::new();
        let nobody = HandoffId::new(7, [7; 10]);
        insta::assert_snapshot!(
            world.refusal("ana", superseding(nobody, &json!({}))).replace(&nobody.to_string(), "hof_0"),
            @"
        TK-SUPERSEDES-WRONG: handoff hof_0 is not the live handoff of task `task-1`
        hint: nothing to supersede; remove `supersedes`
        "
        );
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        insta::assert_snapshot!(
            world.refusal("ana", superseding(nobody, &json!({"goal": "x"}))).replace(&nobody.to_string(), "hof_0"),
            @"
        TK-SUPERSEDES-WRONG: handoff hof_0 is not the live handoff of task `task-1`
        hint: the live handoff is hof_1
        "
        );
        insta::assert_snapshot!(world.refusal("ana", superseding(first, &json!({"task_id": "task-2"}))), @"
        TK-SUPERSEDES-WRONG: handoff hof_1 is not the live handoff of task `task-2`
        hint: nothing to supersede; remove `supersedes`
        ");
        let by_ben = superseding(first, &json!({"goal": "x", "to_agent": "cem"}));
        insta::assert_snapshot!(world.refusal("ben", by_ben.clone()), @"
        TK-NOT-ALLOWED: handoff hof_1 is from `ana`
        hint: only its sender or a person can supersede it
        ");
        let by_pia = superseding(first, &json!({"goal": "x", "to_agent": "cem"}));
        world.advance(1);
        world.check("pia", by_pia, "offered to cem");
    }

    #[test]
    fn passed_on_work_is_revised_or_cancelled_but_not_superseded() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        world.run("ben", claim(first)).unwrap();
        let both = Command::PassOn(PassOn::new(
            world.shown(),
            packet(&json!({"to_agent": "cem", "supersedes": first})),
        ));
        insta::assert_snapshot!(world.refusal("ben", both), @"
        TK-SUPERSEDES-WRONG: a packet that passes work on cannot supersede hof_1
        hint: remove `supersedes`; the handoff that is passed on is closed automatically
        ");
        world.advance(1);
        world.run("ben", pass_on_with(&world, &json!({"to_agent": "cem"}))).unwrap();
        let child = world.newest();
        insta::assert_snapshot!(world.refusal("ben", superseding(child, &json!({"goal": "x"}))), @"
        TK-SUPERSEDES-WRONG: handoff hof_2 passes on the work of hof_1
        hint: revise it before it is claimed, or cancel it first
        ");
    }

    #[test]
    fn the_same_packet_can_supersede_and_is_not_repeated() {
        let mut world = World::new();
        world.check("ana", submit(&json!({})), "offered to ben");
        let first = world.newest();
        world.advance(1);
        let again = || {
            let to = Some("cem".to_owned());
            let source = packet(&json!({}));
            Command::Submit(Submit { source, to, supersedes: Some(first), ..Submit::default() })
        };
        world.check("ana", again(), "offered to cem");
        assert_eq!(world.state.handoff(first).unwrap().progress.state, State::Cancelled);
        let second = world.newest();
        assert!(world.done("ana", again()).repeated);
        assert_eq!(world.newest(), second);
    }

    #[test]
    fn a_caller_that_may_only_submit_learns_nothing_about_other_work() {
        let mut world = World::new();
        world.check("ana", submit(&json!({})), "offered to ben");
        let live = world.newest();
        let scopes = crate::model::Scopes::none().with(Scope::Submit);
        let writer = crate::model::Principal { scopes, ..world.principal("cem") };
        let mut refusal_text = |source: serde_json::Value| {
            let command = submit(&source);
            let refusal = world.run_as(&writer, command).unwrap_err();
            assert_eq!(refusal.handoff, None);
            format!("{}: {} {}", refusal.code.as_str(), refusal.message, refusal.hint.unwrap())
        };
        let plain = json!({"from_agent": "cem"});
        let other = HandoffId::new(9, [9; 10]);
        let guessed = json!({"from_agent": "cem", "supersedes": live});
        let missed = json!({"from_agent": "cem", "supersedes": other});
        assert_eq!(
            refusal_text(plain),
            "TK-TASK-LIVE: task `task-1` already exists use another task id"
        );
        let as_if_unknown = |id: HandoffId| {
            format!(
                "TK-SUPERSEDES-WRONG: handoff {id} is not the live handoff of task `task-1` \
                 nothing to supersede; remove `supersedes`"
            )
        };
        assert_eq!(refusal_text(guessed), as_if_unknown(live));
        assert_eq!(refusal_text(missed), as_if_unknown(other));
    }

    #[test]
    fn a_replacement_of_held_work_is_held_unless_a_person_sends_it() {
        let unsure = json!({"confidence": 0.1, "trigger": {"kind": "critical_action"}});
        let held = || {
            let mut world = World::new();
            world.gate(json!({
                "gate": "release", "version": "1.0", "applies": [{"trigger": ["critical_action"]}],
                "factors": [{"name": "safety", "roles": ["role:people"]}],
            }));
            world.contract(&json!({"confidence": {"hold_below": 0.7}, "from": ["ana", "pia"]}));
            world.check("ana", submit(&unsure), "held for confidence, trigger, gate:release");
            world.advance(1);
            world
        };
        let replaced = |world: &World, to: &str, goal: &str| {
            let sure = json!({"to_agent": to, "goal": goal, "confidence": 0.9});
            superseding(world.newest(), &sure)
        };
        let mut world = held();
        world.check("ana", replaced(&world, "ben", "a"), "held for changed, gate:release");
        assert!(world.handoff().facts.terms.policy.is_some());
        world.advance(1);
        world.check("ana", replaced(&world, "ben", "b"), "held for changed, gate:release");
        let mut world = held();
        world.check("pia", replaced(&world, "ben", "a"), "offered to ben");
        // Work for a person is not held for confidence or trigger, but changed bytes and gates are.
        let mut world = held();
        world.check("ana", replaced(&world, "quin", "a"), "held for changed, gate:release");
    }
}
