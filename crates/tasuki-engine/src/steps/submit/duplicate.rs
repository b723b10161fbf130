//! Detects duplicate submits: the second submit of a packet returns the first handoff.

use super::PreparedSubmit;
use crate::model::{Change, Context, Handoff, State};
use crate::prepare::Receiver;
use crate::refusal::{Refusal, RefusalCode};

/// Returns the open handoff that this packet created, in its first or its revised form.
pub(super) fn same<'a>(context: &'a Context<'_>, request: &PreparedSubmit) -> Option<&'a Handoff> {
    // An idempotency key makes a retry safe. The packet itself does not: a write-only token would
    // learn whether the same packet was sent before.
    if context.principal.is_write_only() {
        return None;
    }
    let prepared = &request.packet;
    let parent = request.parent.map(|claim| claim.handoff);
    // A packet that supersedes the first handoff is not a duplicate of it.
    let is_same_step = |first: &&Handoff| {
        first.facts.parent == parent
            && !first.facts.is_begun
            && prepared.supersedes != Some(first.id)
    };
    let is_same_packet = |live: &&Handoff| {
        live.facts.sender == prepared.sender && live.facts.summary.digest == prepared.summary.digest
    };
    let sent_first = context.state.with_fingerprint(&prepared.fingerprint).filter(is_same_step);
    sent_first.or_else(|| {
        let live = context.state.live(prepared.task.as_deref()?);
        live.filter(is_same_packet).filter(is_same_step)
    })
}

/// Requires that the other arguments match the first handoff too, so that none is ignored.
pub(super) fn means_the_same(
    context: &Context<'_>,
    request: &PreparedSubmit,
    first: &Handoff,
) -> Result<(), Refusal> {
    let is_held = matches!(first.progress.state, State::Held(_));
    let asks_more = request.hold && !first.facts.terms.is_hold_asked && !is_held;
    let is_elsewhere = request.names_receiver
        && request.packet.receiver != Receiver::Cache(first.facts.first_receiver);
    if !asks_more && !is_elsewhere {
        return Ok(());
    }
    let to = context.state.directory.name(first.facts.receiver);
    let what = if is_elsewhere {
        "which is not the receiver that you name"
    } else {
        "without the hold that you request"
    };
    let message = format!("this packet was already submitted as {} to `{to}`, {what}", first.id);
    Err(Refusal::new(RefusalCode::TaskLive, message)
        .hint(format!("replace it with `tasuki submit --supersedes {}`", first.id))
        .naming(first.id))
}

/// Replays a submit: returns the first handoff with a note.
pub(super) fn repeated(context: &Context<'_>, first: &Handoff) -> Change {
    let directory = &context.state.directory;
    let mut change = Change::default();
    let to = directory.name(first.facts.receiver);
    let note = format!("this packet was already submitted as {} to `{to}`", first.id);
    change.answer.notes.push(note);
    change.show(first.id);
    change.answer.repeated = true;
    change
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::command::Command;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::{PassOn, Submit};
    use crate::testing::{World, cancel, claim, packet, pass_on_with, submit};

    #[test]
    fn a_duplicate_with_other_arguments_is_refused() {
        let again = |hold: bool, to: Option<&str>| {
            let source = packet(&json!({}));
            let to = to.map(str::to_owned);
            Command::Submit(Submit { source, to, hold, ..Submit::default() })
        };
        let mut world = World::new();
        world.check("ana", again(false, None), "offered to ben");
        world.check("ana", again(false, Some("ben")), "offered to ben");
        world.check("ana", again(true, None), "refused TK-TASK-LIVE");
        insta::assert_snapshot!(world.refusal("ana", again(false, Some("cem"))), @"
        TK-TASK-LIVE: this packet was already submitted as hof_1 to `ben`, which is not the receiver that you name
        hint: replace it with `tasuki submit --supersedes hof_1`
        ");
        let mut world = World::new();
        world.check("ana", again(true, None), "held for asked");
        world.check("ana", again(true, None), "held for asked");
        world.check("ana", again(false, None), "held for asked");
    }

    #[test]
    fn the_same_packet_from_the_same_sender_is_the_first_while_that_is_open() {
        let mut world = World::new();
        let first = world.run("ana", submit(&json!({}))).unwrap();
        let leaves = world.leaves.len();
        let again = world.run("ana", submit(&json!({}))).unwrap();
        assert!(again.repeated && !first.repeated);
        assert_eq!(again.handoff, first.handoff);
        assert_eq!(world.leaves.len(), leaves);
        insta::assert_snapshot!(world.without_ids(again.notes.join("\n")), @"this packet was already submitted as hof_1 to `ben`");
        insta::assert_snapshot!(world.refusal("cem", submit(&json!({}))), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (offered)
        hint: see `tasuki show hof_1`, or use another task id
        ");

        let id = world.newest();
        world.run("ben", claim(id)).unwrap();
        assert!(world.run("ana", submit(&json!({}))).unwrap().repeated);
        world.run("ana", cancel(id)).unwrap();
        world.advance(1);
        assert!(!world.run("ana", submit(&json!({}))).unwrap().repeated);
    }

    #[test]
    fn a_duplicate_is_detected_after_a_revision_in_either_form() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let revise = crate::steps::Revise {
            handoff: world.newest(),
            source: packet(&json!({"goal": "revised"})),
            seen: crate::steps::SeenVersion::default(),
        };
        world.run("ana", Command::Revise(revise)).unwrap();
        for goal in ["Ship the part", "revised"] {
            let again = world.run("ana", submit(&json!({"goal": goal}))).unwrap();
            assert!(again.repeated, "{goal}");
            assert_eq!(again.handoff.unwrap().revision, 2);
        }
        world.check("ana", submit(&json!({"goal": "third"})), "refused TK-TASK-LIVE");
    }

    #[test]
    fn a_duplicate_without_a_task_is_detected_by_its_bytes() {
        let mut world = World::new();
        let untitled = |goal: &str| {
            let source = json!({"handoff_version": "1.0", "to_agent": "ben", "goal": goal,
                "status": "in_progress", "completed": [], "remaining": []});
            let source = source.to_string().into_bytes();
            Command::Submit(Submit { source, ..Submit::default() })
        };
        let first = world.run("ana", untitled("one")).unwrap().handoff.unwrap();
        assert!(first.task.starts_with("tsk_"), "{}", first.task);
        assert_eq!(first.from, "ana");
        assert!(world.run("ana", untitled("one")).unwrap().repeated);
        world.advance(1);
        let second = world.run("ana", untitled("two")).unwrap().handoff.unwrap();
        assert_ne!(second.task, first.task);
        assert!(!world.documents[0].sealed.body.contains("from_agent"));
    }

    #[test]
    fn the_packet_of_a_begun_task_is_not_a_duplicate() {
        let mut world = World::new();
        let begin = crate::steps::Begin { source: packet(&json!({})), ..Default::default() };
        world.run("ana", Command::Begin(begin)).unwrap();
        world.check("ana", submit(&json!({})), "refused TK-TASK-LIVE");
        world.advance(1);
        world.check("ana", pass_on_with(&world, &json!({})), "offered to ben");
        let again = pass_on_with(&world, &json!({}));
        let Command::PassOn(request) = again else { unreachable!() };
        let parent = ClaimProof { handoff: world.handoff().facts.parent.unwrap(), fence: 1 };
        let again = Command::PassOn(PassOn { parent, ..request });
        assert!(world.run("ana", again).unwrap().repeated);
    }
}
