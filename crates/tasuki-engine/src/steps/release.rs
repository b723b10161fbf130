//! A holder releases the work.
//!
//! Like parking, this uses no attempt. It makes an offer that is decided like the first: a low
//! confidence of a checkpoint holds it, and a signed gate stays signed.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::context::between;
use crate::model::{Change, Claim, Context, DocumentKind, Handoff, Reason, ReleasedClaim, Scope};
use crate::refusal::Refusal;
use crate::rules::fallback::{self, CheckpointTarget};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::offer::offer;
use crate::rules::scopes::RequiredScopes;
use crate::steps::ReasonedStep;

/// Releases work.
#[derive(Debug, Clone, Serialize)]
pub struct Release {
    /// The claim.
    pub claim: ClaimProof,
    /// The reason.
    pub reason: Option<String>,
}

impl ReasonedStep for Release {
    const NAME: &'static str = "release";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        release(context, self, reason)
    }
}

fn release(context: &Context<'_>, request: &Release, reason: &Reason) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_current_claim(context, request.claim)?;
    let mut handoff = handoff.clone();
    handoff.let_go_by(claim.holder);
    let mut change = Change::default();
    let fence = claim.fence;
    let sealed = reason.text.as_ref().map(|_| reason.sealed(context, json!({ "step": "release" })));
    let event = change.record_event(EventType::Released, handoff.id, context.actor());
    event.with("fence", fence).because(reason.text.as_deref());
    if let Some(sealed) = sealed {
        event.bringing(sealed.commitment);
        change.put_document(handoff.id, DocumentKind::Reason, format!("release-{fence}"), sealed);
    }
    give_back(context, &mut handoff, claim);
    let lead = fallback::follow_checkpoint(context.into(), &mut handoff, &mut change);
    if let CheckpointTarget::ToNobody(why) = lead {
        change.answer.notes.push(format!("{why}; it is offered to you again"));
    }
    offer_again(context, &mut handoff, None, &mut change);
    Ok(answered(handoff, change))
}

/// Records the holder that released the work, and how long it held it.
pub(super) fn give_back(context: &Context<'_>, handoff: &mut Handoff, claim: &Claim) {
    let progress = &mut handoff.progress;
    let before = progress.given_back.take().map(|given_back| given_back.held);
    progress.given_back = Some(ReleasedClaim {
        by: claim.holder,
        at: context.now,
        quiet_since: progress.progress_at,
        held: between(claim.since, context.now).more(before),
    });
    progress.progress_at = context.now;
}

pub(super) fn offer_again(
    context: &Context<'_>,
    handoff: &mut Handoff,
    not_before: Option<Timestamp>,
    change: &mut Change,
) {
    let directory = &context.state.directory;
    offer(directory, handoff, not_before, context.now, context.actor(), change);
}

pub(super) fn answered(handoff: Handoff, mut change: Change) -> Change {
    change.show(handoff.id);
    change.put(handoff);
    change
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::command::Command;
    use crate::steps::Park;
    use crate::testing::{World, checkpoint, claim, release, submit};

    fn claimed(contract: &serde_json::Value, more: &serde_json::Value) -> World {
        let mut world = World::new();
        world.contract(contract);
        world.done("ana", submit(more));
        world.done("ben", claim(world.newest()));
        world
    }

    fn park_for(world: &World, seconds: i64) -> Command {
        let not_before = world.now + SignedDuration::from_secs(seconds);
        let reason = Some("the quota resets".to_owned());
        Command::Park(Park { claim: world.shown(), not_before, reason })
    }

    /// Works for ten minutes and releases the work for an hour, twice.
    #[track_caller]
    fn gives_back_and_takes_again(step: &str, has_checkpoint: bool, expected: &str) {
        let contract = json!({ "deadlines": { step: "25m" } });
        let mut world = claimed(&contract, &json!({}));
        let id = world.newest();
        for _ in 0..2 {
            world.advance(600);
            let shown = world.shown();
            if has_checkpoint {
                world.done("ben", checkpoint(shown, &json!({})));
            }
            world.check("ben", release(shown), "offered to ben");
            world.advance(3600);
            world.done("ben", claim(id));
        }
        world.advance(299);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 3");
        world.advance(1);
        world.apply_due();
        assert_eq!(world.standing(), expected, "{step}");
    }

    #[test]
    fn releasing_and_claiming_again_gains_no_time() {
        let (moved, stays) = ("offered to role:people", "claimed by ben, fence 3");
        gives_back_and_takes_again("start", false, moved);
        gives_back_and_takes_again("progress", false, moved);
        gives_back_and_takes_again("return", false, moved);
        gives_back_and_takes_again("start", true, stays);
        gives_back_and_takes_again("progress", true, stays);
        gives_back_and_takes_again("return", true, moved);
    }

    #[test]
    fn another_member_of_a_role_has_its_own_time_for_progress() {
        let contract = json!({ "deadlines": { "progress": "15m" } });
        let mut world = World::new();
        world.contract(&contract);
        world.done("ana", submit(&json!({ "to_agent": "role:team" })));
        let id = world.newest();
        world.done("ben", claim(id));
        world.advance(600);
        world.check("ben", release(world.shown()), "offered to role:team");
        world.done("cem", claim(id));
        world.advance(600);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by cem, fence 2");
    }

    #[test]
    fn a_parked_begun_task_waits_for_its_own_party_even_if_a_checkpoint_names_another() {
        let mut world = World::new();
        let source = crate::testing::packet(&json!({}));
        world.done("ben", Command::Begin(crate::steps::Begin { source, ..Default::default() }));
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "to_agent": "cem" })));
        let park = park_for(&world, 3600);
        world.check("ben", park, "offered to ben");
    }

    #[test]
    fn intercepted_work_that_is_parked_waits_for_the_person() {
        let mut world = claimed(&json!({}), &json!({}));
        let (handoff, seen) = (world.newest(), crate::steps::SeenVersion::default());
        let reason = Some("it matters".to_owned());
        let intercept = crate::steps::Intercept { handoff, seen, reason };
        world.done("pia", Command::Intercept(intercept));
        let command = park_for(&world, 60);
        world.check("pia", command, "offered to pia");
    }

    #[test]
    fn released_work_is_offered_again_with_its_checkpoint_and_uses_no_attempt() {
        let mut world = claimed(&json!({ "lease": { "attempts": 1 } }), &json!({}));
        for _ in 0..3 {
            let shown = world.shown();
            world.done("ben", checkpoint(shown, &json!({})));
            world.check("ben", release(shown), "offered to ben");
            assert_eq!(world.handoff().progress.lapses, 0);
            world.done("ben", claim(shown.handoff));
        }
        assert_eq!(world.handoff().progress.checkpoint.as_ref().unwrap().count, 3);
    }

    #[test]
    fn parked_work_waits_for_its_instant() {
        let mut world = claimed(&json!({ "lease": { "attempts": 1 } }), &json!({}));
        let id = world.newest();
        let command = park_for(&world, 3600);
        world.check("ben", command, "offered to ben");
        world.advance(3599);
        world.check("ben", claim(id), "refused TK-CLAIM-EARLY");
        world.advance(1);
        world.check("ben", claim(id), "claimed by ben, fence 2");
        assert_eq!(world.handoff().progress.lapses, 0);
    }

    #[test]
    fn the_claim_deadline_of_parked_work_starts_at_its_instant() {
        let mut world = claimed(&json!({ "deadlines": { "claim": "10m" } }), &json!({}));
        let command = park_for(&world, 3600);
        world.done("ben", command);
        world.advance(3600 + 599);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
        world.advance(1);
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn work_cannot_be_parked_until_a_past_instant() {
        let mut world = claimed(&json!({}), &json!({}));
        let command = park_for(&world, 0);
        insta::assert_snapshot!(world.refused("ben", command), @"
        TK-ARGUMENT-INVALID: `not_before` is 2026-11-15T10:00:00Z, which has passed
          use a future instant, or release the work
        ");
        let command = park_for(&world, -60);
        world.check("ben", command, "refused TK-ARGUMENT-INVALID");
    }

    #[test]
    fn a_contract_may_send_parked_work_to_another_party() {
        let mut world = claimed(&json!({ "park": "other" }), &json!({}));
        let command = park_for(&world, 3600);
        world.check("ben", command, "offered to role:people");
        insta::assert_snapshot!(world.story(3), @"
        handoff.parked by ben
        handoff.moved_on by ben
        ");
        world.check("pia", claim(world.newest()), "claimed by pia, fence 2");
    }

    #[test]
    fn parked_work_without_another_receiver_waits_for_the_same_party() {
        for ladder in [json!([{ "to": "dead_letter" }]), json!([{ "to": "ana" }])] {
            let contract = json!({ "park": "other", "fallback": ladder });
            let mut world = claimed(&contract, &json!({}));
            let command = park_for(&world, 3600);
            world.check("ben", command, "offered to ben");
            world.check("ben", claim(world.newest()), "refused TK-CLAIM-EARLY");
        }
    }

    #[test]
    fn a_checkpoint_below_the_confidence_limit_holds_released_work() {
        let contract = json!({ "confidence": { "hold_below": 0.7 } });
        let mut world = claimed(&contract, &json!({ "confidence": 0.9 }));
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "confidence": 0.4 })));
        world.check("ben", release(shown), "held for confidence");
    }

    #[test]
    fn the_reason_is_stored_and_in_the_event() {
        let mut world = claimed(&json!({}), &json!({}));
        let (shown, reason) = (world.shown(), Some("wrong repository".to_owned()));
        world.done("ben", Command::Release(Release { claim: shown, reason }));
        assert_eq!(world.document(DocumentKind::Reason).unwrap()["reason"], "wrong repository");
        assert!(world.leaves.last().unwrap().detail.contains("wrong repository"));
        assert!(!world.leaves.last().unwrap().leaf.contains("wrong repository"));
    }
}
