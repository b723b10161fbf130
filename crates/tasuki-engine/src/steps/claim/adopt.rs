//! The next process of a holder continues the claim of one that has ended.
//!
//! Adopting makes a new claim with the next fence, so that the former process can write nothing
//! more. It is neither progress nor a new attempt, and no deadline starts again. The caller judges
//! whether the former process has ended: the exchange cannot see it.

use serde::Serialize;
use tasuki_packet::id::{ClaimId, HandoffId};
use tasuki_packet::leaf::EventType;

use super::lease::renewed;
use super::take::next_fence;
use crate::model::{Change, Claim, Context, Scope, State};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Continues the claim of a process of the same party that has ended.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Adopt {
    /// The claim of the former process.
    pub claim: ClaimProof,
}

impl Step for Adopt {
    const NAME: &'static str = "adopt";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for Adopt {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        let (handoff, claim) = fencing::require_current_claim(context, self.claim)?;
        let mut handoff = handoff.clone();
        let adopted = Claim {
            id: context.seed.id::<ClaimId>("claim", context.now),
            fence: next_fence(context, &mut handoff),
            ..renewed(context, claim, claim.lease)
        };
        let mut change = Change::default();
        change
            .record_event(EventType::Adopted, handoff.id, context.actor())
            .with("claim", adopted.id)
            .with("fence", adopted.fence)
            .with("until", adopted.until);
        handoff.progress.state = State::Claimed(adopted);
        change.show_with_claim(handoff.id);
        change.put(handoff);
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::testing::{World, checkpoint, claim, submit};

    fn adopt(claim: ClaimProof) -> Command {
        Command::Adopt(Adopt { claim })
    }

    fn claimed(contract: &serde_json::Value) -> World {
        let mut world = World::new();
        world.contract(contract);
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world
    }

    #[test]
    fn an_adopted_claim_has_the_next_fence_a_full_lease_and_one_event() {
        let mut world = claimed(&json!({ "lease": { "for": "10m", "attempts": 1 } }));
        let (former, from) = (world.handoff().claim().unwrap().clone(), world.leaves.len());
        world.advance(300);
        let answer = world.done("ben", adopt(world.shown()));
        let shown = answer.claim.unwrap();
        assert_eq!((shown.fence, shown.lease.as_str()), (2, "10m"));
        assert_ne!(shown.id, former.id.to_string());
        assert_eq!(answer.handoff.unwrap().attempt, 1);
        assert_eq!(world.story(from), "handoff.adopted by ben");
        let now = world.handoff().claim().unwrap().clone();
        assert_eq!((now.since, now.key), (former.since, former.key));
        assert!(now.until > former.until);
        world.advance(599);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 2");
    }

    #[test]
    fn the_former_process_writes_nothing_more() {
        let mut world = claimed(&json!({}));
        let former = world.shown();
        world.done("ben", adopt(former));
        world.check("ben", checkpoint(former, &json!({})), "refused TK-CLAIM-STALE");
        world.check("ben", adopt(former), "refused TK-CLAIM-STALE");
        world.check("ben", checkpoint(world.shown(), &json!({})), "claimed by ben, fence 2");
    }

    #[test]
    fn adopting_again_and_again_gains_no_time() {
        for step in ["start", "progress", "return"] {
            let mut world = claimed(&json!({ "deadlines": { step: "25m" } }));
            for _ in 0..2 {
                world.advance(600);
                world.done("ben", adopt(world.shown()));
            }
            world.advance(299);
            world.apply_due();
            assert_eq!(world.standing(), "claimed by ben, fence 3", "{step}");
            world.advance(1);
            world.apply_due();
            assert_eq!(world.standing(), "offered to role:people", "{step}");
        }
    }

    #[test]
    fn a_claim_that_has_expired_is_not_adopted() {
        let mut world = claimed(&json!({ "lease": { "for": "10m" } }));
        let former = world.shown();
        world.advance(600);
        world.apply_due();
        world.check("ben", adopt(former), "refused TK-CLAIM-STALE");
    }

    #[test]
    fn a_person_who_took_the_work_over_keeps_it_as_such() {
        let mut world = claimed(&json!({}));
        let (handoff, seen) = (world.newest(), crate::steps::SeenVersion::default());
        let reason = Some("it matters".to_owned());
        world.done("pia", Command::Intercept(crate::steps::Intercept { handoff, seen, reason }));
        world.check("pia", adopt(world.shown()), "claimed by pia, fence 3");
        assert!(world.handoff().claim().unwrap().is_intercept);
    }
}
