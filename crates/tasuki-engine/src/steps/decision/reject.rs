//! A person rejects a handoff, or the action that its holder wants approved.

use serde::Serialize;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::accept::{Outcome, conclude, not_own};
use crate::model::{Change, Context, DocumentKind, Reason, Scope, State};
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, deciders, deputies, review};
use crate::steps::decision::seen_version::{check, document};
use crate::steps::{ReasonedStep, SeenVersion};

/// Rejects a handoff or an action.
#[derive(Debug, Clone, Serialize)]
pub struct Reject {
    /// The handoff.
    pub handoff: HandoffId,
    /// The version that the person saw.
    pub seen: SeenVersion,
    /// The reason; required.
    pub reason: Option<String>,
}

impl ReasonedStep for Reject {
    const NAME: &'static str = "reject";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Decide]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        reject(context, self, reason)
    }
}

fn reject(context: &Context<'_>, request: &Reject, reason: &Reason) -> Result<Change, Refusal> {
    authorization::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authorization::wrong_state(handoff, "reject", "held"));
    };
    not_own(context, handoff, hold)?;
    deciders::require(context, handoff, hold)?;
    check(context, handoff, &request.seen)?;
    let text = reason.required("reject")?;
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "reject", &request.seen, reason, &[]);
    change
        .record_event(EventType::Rejected, handoff.id, deputies::actor(context, handoff))
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(Some(text))
        .about(hold.action());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    if let Some(asked) = &hold.approval_request {
        if asked.ends_task {
            review::refuse(&mut after, context.now);
        } else {
            review::record(&mut after, context.now);
        }
        conclude(context, &mut after, asked, Outcome::Refused, &mut change);
    } else {
        review::refuse(&mut after, context.now);
        after.progress.state = State::Rejected;
        chain::child_ended(context, &after, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.put(after);
    Ok(change)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{gated, hold, people, refusal_text, reject, seen_now};
    use super::*;
    use crate::command::Command;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::PassOn;
    use crate::testing::{World, claim, packet, submit};

    fn held() -> World {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        world
    }

    #[test]
    fn a_rejected_handoff_ends_with_the_reason_in_its_event() {
        let mut world = held();
        let from = world.leaves.len();
        let command = reject(&world, "not this quarter");
        world.check("ben", command.clone(), "refused TK-PERSON-NEEDED");
        world.check("pia", command.clone(), "rejected");
        assert_eq!(world.story(from), "handoff.rejected by pia");
        assert!(world.leaves[from].detail.contains("not this quarter"));
        world.check("pia", command, "refused TK-STATE-CONFLICT");
        world.advance(1);
        world.check("ana", submit(&json!({})), "held for changed");
    }

    #[test]
    fn a_reject_needs_a_reason() {
        let mut world = held();
        for reason in ["", "  \n "] {
            let command = reject(&world, reason);
            world.check("pia", command, "refused TK-REASON-MISSING");
        }
        let (command, principal) = (reject(&world, ""), world.principal("pia"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @r#"
        TK-REASON-MISSING: a reason is required to reject
        hint: add one with `-m "…"`
        "#);
    }

    #[test]
    fn a_reject_is_for_the_version_that_was_shown() {
        let mut world = held();
        let other = SeenVersion { revision: Some(7), ..seen_now(&world) };
        let (handoff, reason) = (world.newest(), Some("no".to_owned()));
        let command = Command::Reject(Reject { handoff, seen: other, reason });
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-REVISION-CHANGED: handoff hof_… changed: it is at revision 1, you saw revision 7
        hint: run `tasuki show` again, then decide
        ");
    }

    #[test]
    fn any_person_may_reject_a_handoff_that_waits_at_a_gate() {
        let mut world = gated(&json!({}));
        let command = reject(&world, "not needed");
        world.check("tia", command, "rejected");
    }

    #[test]
    fn only_a_held_handoff_can_be_rejected() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let command = reject(&world, "no");
        world.check("pia", command, "refused TK-STATE-CONFLICT");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let (command, principal) = (reject(&world, "no"), world.principal("pia"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-STATE-CONFLICT: cannot reject handoff hof_…: it is claimed, but must be held
        hint: `tasuki show` lists the commands that are possible now
        ");
    }

    #[test]
    fn a_rejected_child_returns_the_work_to_its_parent() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let parent = world.newest();
        world.check("ben", claim(parent), "claimed by ben, fence 1");
        world.advance(1);
        let passed_on = Command::PassOn(PassOn::new(
            ClaimProof { handoff: parent, fence: 1 },
            packet(&json!({ "to_agent": "cem", "can_intercept": true })),
        ));
        world.check("ben", passed_on, "held for asked");
        let from = world.leaves.len();
        let command = reject(&world, "do it yourself");
        world.check("pia", command, "rejected");
        insta::assert_snapshot!(world.story(from), @"
        handoff.rejected by pia
        handoff.released by pia
        ");
        let back = world.state.handoff(parent).unwrap();
        assert_eq!(back.progress.state.word().as_str(), "offered");
        assert_eq!(back.progress.child, None);
        world.run("ben", claim(parent)).unwrap();
        assert_eq!(world.state.handoff(parent).unwrap().progress.fence, 2);
    }

    #[test]
    fn a_rejected_action_goes_back_to_its_holder() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = hold(&world, json!({ "run": "make publish" }));
        world.check("ben", command, "held for action, by ben");
        world.advance(24 * 3600);
        let command = reject(&world, "");
        world.check("pia", command, "refused TK-REASON-MISSING");
        let command = reject(&world, "not on a Friday");
        world.check("pia", command, "claimed by ben, fence 1");
        let claim = world.handoff().claim().unwrap();
        assert_eq!(claim.until, world.now + jiff::SignedDuration::from_mins(30));
    }
}
