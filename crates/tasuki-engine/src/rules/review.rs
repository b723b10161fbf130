//! An approval covers the bytes that a person saw.
//!
//! Once a task has waited for a person or a person has decided about it, other packet bytes by an
//! agent wait for a person again, with the reason `changed`. `Reviewed` is that fact. It is stored
//! with the handoff and outlives it, so that neither cancelling nor superseding avoids the rule.
//!
//! - A contract opts out with `reapproval: none`.
//! - Work that is passed on under a contract is decided by that contract.
//! - Bytes that the last decision approved are not changed.
//!
//! Acceptance by a contract is no decision of a person, and is not recorded here.

use jiff::Timestamp;

use crate::model::{Context, Handoff, Reviewed, State};

/// Marks the packet of a new handoff, if the task was before a person.
pub fn mark_new(context: &Context<'_>, handoff: &mut Handoff) {
    let Some(latest) = context.state.reviewed(&handoff.facts.task).cloned() else { return };
    if context.principal.is_human() {
        return approve(handoff, context.now);
    }
    mark(handoff, latest);
}

/// Marks a revision by its sender, if the task was before a person.
pub fn mark_revision(context: &Context<'_>, handoff: &mut Handoff) {
    let Some(latest) = context.state.reviewed(&handoff.facts.task).cloned() else { return };
    if !context.principal.is_human() {
        mark(handoff, latest);
    } else if !is_held(handoff) {
        approve(handoff, context.now);
    }
}

/// Marks a packet that an agent wrote.
fn mark(handoff: &mut Handoff, latest: Reviewed) {
    handoff.progress.changed = is_changed(handoff, &latest).then_some(latest.handoff);
    handoff.progress.reviewed = Some(latest);
}

fn is_changed(handoff: &Handoff, latest: &Reviewed) -> bool {
    let (facts, terms) = (&handoff.facts, &handoff.facts.terms);
    let is_approved = latest.digest.as_ref() == Some(&facts.summary.digest);
    let is_of_contract =
        facts.parent.is_some() && terms.contract.is_some() && latest.handoff != handoff.id;
    !is_approved && !is_of_contract && !terms.keeps_approval
}

/// Records that a person approved the current packet.
pub fn approve(handoff: &mut Handoff, now: Timestamp) {
    handoff.progress.changed = None;
    put(handoff, now, Some(handoff.facts.summary.digest.clone()));
}

/// Records a decision that lets an unheld packet go on. A held one still needs its acceptance.
pub fn let_pass(handoff: &mut Handoff, now: Timestamp) {
    if is_held(handoff) || handoff.progress.changed.is_some() {
        record(handoff, now);
    } else {
        approve(handoff, now);
    }
}

/// Records a decision that neither approves nor refuses the packet.
pub fn record(handoff: &mut Handoff, now: Timestamp) {
    let digest = handoff.progress.reviewed.take().and_then(|before| before.digest);
    put(handoff, now, digest);
}

/// Records that a person refused the packet. No packet of the task is approved any more.
pub fn refuse(handoff: &mut Handoff, now: Timestamp) {
    put(handoff, now, None);
}

/// Records that the packet waits for a person.
pub fn await_person(handoff: &mut Handoff, now: Timestamp) {
    if handoff.progress.reviewed.is_none() {
        put(handoff, now, None);
    }
}

/// Records that an action waits for a person. The packet itself was offered before.
pub fn await_approval_of_action(handoff: &mut Handoff, now: Timestamp) {
    if handoff.progress.reviewed.is_none() {
        put(handoff, now, Some(handoff.facts.summary.digest.clone()));
    }
}

fn put(handoff: &mut Handoff, at: Timestamp, digest: Option<String>) {
    handoff.progress.reviewed = Some(Reviewed { handoff: handoff.id, at, digest });
}

fn is_held(handoff: &Handoff) -> bool {
    matches!(handoff.progress.state, State::Held(_))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::id::HandoffId;

    use crate::command::Command;
    use crate::model::{HoldReason, PartyKind, State};
    use crate::steps::decision::testing::{
        accept, all_sign, checkpoint, edit, gated, hold, intercept, people, reject, release,
        reroute, revise, seen_now,
    };
    use crate::steps::{Answer, Ask, Begin, SeenVersion, Submit};
    use crate::testing::{World, cancel, claim, packet, pass_on_with, return_packet, submit};

    const STAGING: &str = "Deploy 2.4.1 to staging";
    const PRODUCTION: &str = "Deploy 2.4.1 to PRODUCTION";

    fn goal(goal: &str) -> Value {
        json!({ "goal": goal })
    }

    /// Returns a world in which a person has accepted the packet for staging.
    fn accepted_with(more: &Value) -> World {
        let mut world = people();
        let mut packet = goal(STAGING);
        more.as_object().unwrap().iter().for_each(|(name, value)| packet[name] = value.clone());
        let source = crate::testing::packet(&packet);
        world.done("ana", Command::Submit(Submit { source, hold: true, ..Submit::default() }));
        let accept = accept(&world);
        world.done("pia", accept);
        world.advance(1);
        world
    }

    fn accepted() -> World {
        accepted_with(&json!({}))
    }

    fn superseding(world: &World, more: &Value) -> Command {
        let supersedes = Some(world.newest());
        Command::Submit(Submit { source: packet(more), supersedes, ..Submit::default() })
    }

    /// Returns the handoff that the hold names as the earlier one.
    fn earlier(world: &World) -> Option<HandoffId> {
        let State::Held(hold) = &world.handoff().progress.state else { return None };
        hold.reasons.iter().find_map(|reason| match reason {
            HoldReason::Changed(earlier) => Some(*earlier),
            _ => None,
        })
    }

    #[test]
    fn a_packet_that_supersedes_an_accepted_one_waits_for_a_person_again() {
        let mut world = accepted();
        let first = world.newest();
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed");
        assert_eq!(earlier(&world), Some(first));
        let leaf = &world.leaves.last().unwrap().leaf;
        assert!(leaf.contains(&format!(r#""earlier":"{first}""#)), "{leaf}");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        let command = claim(world.newest());
        world.check("ben", command, "claimed by ben, fence 1");
    }

    #[test]
    fn a_packet_after_a_cancelled_one_waits_for_a_person_again() {
        let mut world = accepted();
        let first = world.newest();
        world.done("ana", cancel(first));
        world.advance(1);
        world.check("ana", submit(&goal(PRODUCTION)), "held for changed");
        assert_eq!(earlier(&world), Some(first));
        // Neither does cancelling the held one help, nor the end of the task.
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal("Deploy everything")), "held for changed");
        assert_eq!(earlier(&world), Some(first));
        let other = json!({ "task_id": "other", "goal": PRODUCTION });
        world.advance(1);
        world.check("ana", submit(&other), "offered to ben");
    }

    #[test]
    fn a_revision_and_an_answer_with_a_packet_wait_for_a_person_again() {
        let mut world = accepted_with(&json!({ "can_intercept": false }));
        let command = revise(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for asked, changed");

        let mut world = accepted();
        let handoff = world.newest();
        let text = "which cluster?".to_owned();
        let question = Ask { handoff, field: None, text, is_blocking: true };
        world.done("ben", Command::Ask(question));
        let answer = |source: Option<Vec<u8>>, text: Option<&str>| {
            let (text, seen) = (text.map(str::to_owned), SeenVersion::default());
            Command::Answer(Answer { handoff, question: None, text, source, seen })
        };
        let mut plain = world.clone();
        let with_packet = answer(Some(packet(&goal(PRODUCTION))), None);
        world.check("ana", with_packet, "held for asked, changed");
        plain.check("ana", answer(None, Some("the blue one")), "held for asked");
    }

    #[test]
    fn the_bytes_that_a_person_approved_are_not_changed() {
        let mut world = accepted();
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(STAGING)), "offered to ben");
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed");
        world.advance(1);
        let command = revise(&world, &goal(STAGING));
        world.check("ana", command, "offered to ben");
    }

    #[test]
    fn other_bytes_than_those_that_wait_for_a_person_are_changed() {
        let held = || {
            let mut world = people();
            world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
            world.advance(1);
            world
        };
        let mut world = held();
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed");
        let mut world = held();
        let command = revise(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for asked, changed");
        let mut world = held();
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(PRODUCTION)), "held for changed");
    }

    #[test]
    fn a_rejected_task_waits_for_a_person_whatever_its_bytes() {
        let mut world = people();
        let sent = |hold| {
            let source = packet(&goal(STAGING));
            Command::Submit(Submit { source, hold, ..Submit::default() })
        };
        world.check("ana", sent(true), "held for asked");
        let command = reject(&world, "not today");
        world.check("pia", command, "rejected");
        world.advance(1);
        world.check("ana", sent(false), "held for changed");
    }

    #[test]
    fn every_decision_of_a_person_counts_and_none_of_a_contract() {
        let sent = || {
            let mut world = people();
            world.check("ana", submit(&goal(STAGING)), "offered to ben");
            world.advance(1);
            world
        };
        let decide = |decide: &dyn Fn(&World) -> Command| {
            let mut world = sent();
            let command = decide(&world);
            world.done("pia", command);
            world.advance(1);
            let command = superseding(&world, &goal(PRODUCTION));
            world.check("ana", command, "held for changed");
        };
        decide(&|world| reroute(world, "cem", ""));
        decide(&|world| edit(world, packet(&goal("Deploy 2.4.2 to staging"))));

        let mut world = sent();
        let command = intercept(&world, "");
        world.done("pia", command);
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(PRODUCTION)), "held for changed");

        let mut world = sent();
        world.done("pia", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(PRODUCTION)), "held for changed");

        let mut world = sent();
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "offered to cem");
        world.advance(1);
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "offered to ben");

        let mut world = people();
        world.contract(&json!({ "confidence": { "auto_progress_at": 0.8 } }));
        let sure = json!({ "can_intercept": true, "confidence": 0.9 });
        world.check("ana", submit(&sure), "offered to ben");
        world.advance(1);
        let command = superseding(&world, &json!({ "goal": PRODUCTION, "confidence": 0.9 }));
        world.check("ana", command, "offered to ben");
    }

    #[test]
    fn confidence_never_clears_a_changed_packet() {
        let mut world = people();
        world.contract(&json!({ "confidence": { "auto_progress_at": 0.8 } }));
        let unsure = json!({ "can_intercept": true, "confidence": 0.5 });
        world.check("ana", submit(&unsure), "held for asked");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        world.advance(1);
        let sure = json!({ "goal": PRODUCTION, "can_intercept": true, "confidence": 1 });
        let command = superseding(&world, &sure);
        world.check("ana", command, "held for asked, changed");
    }

    #[test]
    fn a_signature_counts_as_a_decision_and_approves_the_bytes() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
        world.advance(1);
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed, gate:release");
        all_sign(&mut world, &["pia"]);
        assert_eq!(world.standing(), "held for gate:release");
        all_sign(&mut world, &["quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
    }

    #[test]
    fn an_edit_of_a_changed_packet_still_needs_an_acceptance() {
        let mut world = accepted();
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed");
        let command = edit(&world, packet(&goal("Deploy 2.4.1 to a canary")));
        world.check("pia", command, "held for changed");
        let command = reroute(&world, "cem", "");
        world.check("pia", command, "held for changed");
        let command = accept(&world);
        world.check("pia", command, "offered to cem");
        // The person approved these bytes for any receiver.
        let command = reroute(&world, "ben", "");
        world.check("pia", command, "offered to ben");
    }

    #[test]
    fn a_packet_of_a_person_is_not_held_and_is_what_later_ones_are_compared_with() {
        let mut world = accepted();
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        let sent = json!({ "from_agent": "pia", "goal": PRODUCTION });
        world.check("pia", submit(&sent), "offered to ben");
        world.done("pia", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(STAGING)), "held for changed");
    }

    #[test]
    fn a_contract_opts_out() {
        let mut world = people();
        world.contract(&json!({ "reapproval": "none" }));
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        world.advance(1);
        let command = superseding(&world, &json!({ "goal": PRODUCTION, "can_intercept": false }));
        world.check("ana", command, "offered to ben");
        // What still waits for a person is not freed.
        world.advance(1);
        let command = superseding(&world, &json!({ "can_intercept": true, "goal": "third" }));
        world.check("ana", command, "held for asked");
        world.advance(1);
        let command = superseding(&world, &goal("fourth"));
        world.check("ana", command, "held for asked");
    }

    #[test]
    fn work_that_is_passed_on_is_decided_by_the_contract_of_its_edge_else_held() {
        let claimed = || {
            let mut world = accepted();
            let command = claim(world.newest());
            world.done("ben", command);
            world.advance(1);
            world
        };
        let mut world = claimed();
        let first = world.newest();
        let command = pass_on_with(&world, &json!({ "to_agent": "cem" }));
        world.check("ben", command, "held for changed");
        assert_eq!(earlier(&world), Some(first));

        let mut world = claimed();
        world.contract(&json!({ "contract": "onward", "from": ["ben"], "to": ["cem"] }));
        let command = pass_on_with(&world, &json!({ "to_agent": "cem" }));
        world.check("ben", command, "offered to cem");
        let command =
            revise(&world, &json!({ "from_agent": "ben", "to_agent": "cem", "goal": "x" }));
        world.check("ben", command, "offered to cem");
    }

    #[test]
    fn a_task_that_an_agent_begins_again_is_held_when_it_is_offered() {
        let mut world = accepted();
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        let own = json!({ "to_agent": "ana", "goal": PRODUCTION });
        let begin = Begin { source: packet(&own), ..Begin::default() };
        world.check("ana", Command::Begin(begin), "claimed by ana, fence 1");
        let command = release(&world);
        world.check("ana", command, "held for changed");
    }

    #[test]
    fn steps_without_a_packet_change_nothing() {
        let mut world = accepted_with(&json!({ "return_required": ["status"] }));
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = checkpoint(&world, &json!({ "summary": "half" }));
        world.done("ben", command);
        let command = release(&world);
        world.check("ben", command, "offered to ben");
        world.check("ben", claim(id), "claimed by ben, fence 2");
        world.advance(31 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
        world.check("ben", claim(id), "claimed by ben, fence 3");
        let command = return_packet(world.shown(), &json!({}));
        world.check("ben", command, "returned");
        world.done("ana", crate::testing::verdict(&world, id, false));
        assert_eq!(world.standing(), "offered to ben");
    }

    #[test]
    fn a_decision_about_an_action_is_one_about_the_task() {
        let mut world = people();
        world.add("dan", PartyKind::Agent);
        world.check("ana", submit(&goal(STAGING)), "offered to ben");
        let command = claim(world.newest());
        world.done("ben", command);
        let command = hold(&world, json!({ "run": "make deploy" }));
        world.check("ben", command, "held for action, by ben");
        let seen = seen_now(&world);
        assert!(seen.revision.is_some());
        let command = accept(&world);
        world.check("pia", command, "claimed by ben, fence 1");
        world.done("ana", cancel(world.newest()));
        world.advance(1);
        world.check("ana", submit(&goal(STAGING)), "offered to ben");
        world.advance(1);
        let command = superseding(&world, &goal(PRODUCTION));
        world.check("ana", command, "held for changed");
    }
}
