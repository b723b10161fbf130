//! The sender or a person cancels a handoff.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, DocumentKind, Handoff, Reason, Scope, State};
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, review};
use crate::steps::{ReasonedStep, SeenVersion, decision};

/// Cancels a handoff.
#[derive(Debug, Clone, Serialize)]
pub struct Cancel {
    /// The handoff.
    pub handoff: HandoffId,
    /// The version that the caller saw.
    pub seen: SeenVersion,
    /// The reason; required once the handoff is claimed.
    pub reason: Option<String>,
}

impl ReasonedStep for Cancel {
    const NAME: &'static str = "cancel";
    const SCOPES: RequiredScopes = RequiredScopes::Any(&[Scope::Submit, Scope::Decide]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        cancel(context, self, reason)
    }
}

fn cancel(context: &Context<'_>, request: &Cancel, reason: &Reason) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    if !context.principal.is_human() || !context.principal.scopes.has(Scope::Decide) {
        authorization::sender(context, handoff)?;
    }
    if !handoff.is_open() {
        return Err(authorization::wrong_state(handoff, "cancel", "open"));
    }
    decision::check(context, handoff, &request.seen)?;
    if handoff.claim().is_some() {
        reason.required("cancel a claimed handoff")?;
    }
    let mut change = Change::default();
    // A parent is cancelled together with its waiting child, child first.
    let child = handoff.progress.child.and_then(|id| context.state.known(id));
    if let Some(child) = child.filter(|child| child.is_open()) {
        end(context, child, &SeenVersion::default(), reason, &mut change);
    }
    let after = end(context, handoff, &request.seen, reason, &mut change);
    chain::child_ended(context, &after, &mut change);
    change.show(after.id);
    Ok(change)
}

fn end(
    context: &Context<'_>,
    handoff: &Handoff,
    seen: &SeenVersion,
    reason: &Reason,
    change: &mut Change,
) -> Handoff {
    let id: DecisionId = context.seed.id(&format!("decision {}", handoff.id), context.now);
    let mut document = json!({
        "packet_type": "decision",
        "decision": "cancel",
        "revision": handoff.facts.revision,
        "digest": decision::shown_digest(handoff),
    });
    seen.attention.record(&mut document);
    let sealed = reason.sealed(context, document);
    change
        .record_event(EventType::Cancelled, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    after.progress.state = State::Cancelled;
    after.progress.child = None;
    if context.principal.is_human() {
        review::refuse(&mut after, context.now);
    }
    change.answer.document = Some(id.to_string());
    change.put(after.clone());
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::refusal::RefusalCode;
    use crate::steps::{Accept, Halt, SeenVersion, request_approval};
    use crate::testing::{World, checkpoint, claim, halt, pass_on, release, submit};

    fn cancel_of(handoff: HandoffId) -> Command {
        Command::Cancel(Cancel {
            handoff,
            seen: SeenVersion::default(),
            reason: Some("not needed".to_owned()),
        })
    }

    fn claimed() -> World {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world
    }

    #[test]
    fn cancelling_a_claimed_handoff_needs_a_reason() {
        let mut world = claimed();
        let handoff = world.newest();
        let silent =
            Command::Cancel(Cancel { handoff, seen: SeenVersion::default(), reason: None });
        let mut refusals = vec![world.refused("ana", silent.clone())];
        refusals.push(world.refused("cem", cancel_of(handoff)));
        world.check("ana", cancel_of(handoff), "cancelled");
        refusals.push(world.refused("ana", silent));
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        TK-REASON-MISSING: a reason is required to cancel a claimed handoff
          add one with `-m "…"`
        TK-NOT-ALLOWED: the sender of handoff hof_… is `ana`, not `cem`
          `tasuki show` shows whose turn it is
        TK-STATE-CONFLICT: cannot cancel handoff hof_…: it is cancelled, but must be open
          `tasuki show` lists the commands that are possible now
        "#);

        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let silent = Command::Cancel(Cancel {
            handoff: world.newest(),
            seen: SeenVersion::default(),
            reason: None,
        });
        world.check("pia", silent, "cancelled");
    }

    #[test]
    fn a_parent_is_cancelled_with_its_child() {
        let mut world = claimed();
        let (parent, shown) = (world.newest(), world.shown());
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        world.done("ana", cancel_of(parent));
        assert_eq!(world.standing_of(parent), "cancelled");
        assert_eq!(world.standing_of(child), "cancelled");
        insta::assert_snapshot!(world.story(4), @"
        handoff.cancelled by ana
        handoff.cancelled by ana
        ");
        assert!(world.state.live("task-1").is_none());
    }

    #[test]
    fn a_cancelled_child_returns_the_work_to_its_parent() {
        let mut world = claimed();
        let (parent, shown) = (world.newest(), world.shown());
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        world.done("ben", cancel_of(child));
        assert_eq!(world.standing_of(parent), "offered to ben");
        assert_eq!(world.state.live("task-1").unwrap().id, parent);
    }

    #[test]
    fn a_halt_is_one_leaf_and_ends_every_claim() {
        let mut world = claimed();
        let leaves = world.leaves.len();
        world.done("pia", halt(false));
        assert_eq!(world.story(leaves), "project.halted by pia");
        let shown = world.shown();
        insta::assert_snapshot!(world.refused("ben", release(shown)), @"
        TK-PROJECT-HALTED: the project is halted
          you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`
        ");
        insta::assert_snapshot!(world.refused("pia", halt(false)), @"
        TK-PROJECT-HALTED: the project is already halted
          lift the halt with `tasuki halt --lift -m …`
        ");
        world.advance(1);
        world.check("ana", submit(&json!({ "task_id": "other" })), "offered to ben");
        world.check("ben", claim(world.newest()), "refused TK-PROJECT-HALTED");
    }

    #[test]
    fn lifting_a_halt_offers_claimed_work_again_and_uses_no_attempt() {
        let mut world = claimed();
        let (id, shown) = (world.newest(), world.shown());
        world.done("pia", halt(false));
        world.advance(24 * 3600);
        world.apply_due();
        world.done("ben", checkpoint(shown, &json!({})));
        world.check("pia", halt(true), "offered to ben");
        assert_eq!(world.handoff().progress.lapses, 0);
        world.check("ben", release(shown), "refused TK-CLAIM-STALE");
        world.check("ben", claim(id), "claimed by ben, fence 2");
        insta::assert_snapshot!(world.refused("pia", halt(true)), @"
        TK-PROJECT-RUNNING: the project is not halted
          nothing to do
        ");
    }

    #[test]
    fn only_an_operator_halts_and_lifting_needs_a_reason() {
        let mut world = claimed();
        let mut plain = world.principal("pia");
        plain.scopes = crate::model::Scopes::none().with(Scope::Decide);
        assert_eq!(world.run_as(&plain, halt(false)).unwrap_err().code, RefusalCode::ScopeMissing);
        world.done("pia", halt(false));
        let silent = Command::Halt(Halt { is_lift: true, reason: None });
        insta::assert_snapshot!(world.refused("pia", silent), @r#"
        TK-REASON-MISSING: a reason is required to lift a halt
          add one with `-m "…"`
        "#);
    }

    #[test]
    fn work_intercepted_before_a_halt_stays_with_the_person() {
        let mut world = claimed();
        world.done("pia", crate::steps::decision::testing::intercept(&world, "it matters"));
        world.done("pia", halt(false));
        world.check("pia", halt(true), "offered to pia");
        world.check("pia", claim(world.newest()), "claimed by pia, fence 3");
    }

    fn awaiting_approval() -> World {
        let mut world = claimed();
        let action = json!({ "run": "deploy" });
        world.done(
            "ben",
            Command::RequestApproval(request_approval::RequestApproval {
                claim: world.shown(),
                action,
                to: None,
                ends_task: false,
            }),
        );
        world
    }

    #[test]
    fn a_halt_ends_a_claim_that_waits_for_approval() {
        let mut world = awaiting_approval();
        world.done("pia", halt(false));
        world.check("pia", halt(true), "offered to ben");
        assert_eq!(world.handoff().progress.lapses, 0);
        world.check("ben", claim(world.newest()), "claimed by ben, fence 2");

        // Decided during the halt: the claim has ended all the same.
        let mut world = awaiting_approval();
        let handoff = world.newest();
        world.done("pia", halt(false));
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let accept = Accept { handoff, seen, reason: None };
        let shown = world.shown();
        world.check("pia", Command::Accept(accept), "offered to ben");
        world.check("ben", release(shown), "refused TK-CLAIM-STALE");
        world.check("pia", halt(true), "offered to ben");
    }

    #[test]
    fn a_parent_keeps_waiting_for_its_child_through_a_halt() {
        let mut world = claimed();
        let (parent, shown) = (world.newest(), world.shown());
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        world.done("pia", halt(false));
        world.done("pia", halt(true));
        assert_eq!(world.standing_of(parent), "claimed by ben, waiting for its child");
        world.done("cem", claim(child));
        assert_eq!(world.standing_of(parent), "passed_on");
    }
}
