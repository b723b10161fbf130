//! Records that the receiver has seen a handoff: its first read, or an acknowledged delivery.

use serde::Serialize;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, Handoff, Scope, State};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Marks a handoff as delivered.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MarkDelivered {
    /// The handoff.
    pub handoff: HandoffId,
    /// `true` if it was delivered rather than read.
    pub is_delivery: bool,
}

impl Step for MarkDelivered {
    const NAME: &'static str = "mark_delivered";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for MarkDelivered {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self)
    }
}

/// Decides a delivery. A second or late one changes nothing.
fn decide(context: &Context<'_>, request: &MarkDelivered) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authorization::receiver(context, handoff)?;
    let mut change = Change::default();
    let is_offered = matches!(handoff.progress.state, State::Offered(_));
    if !is_offered || handoff.progress.delivered_at.is_some() {
        change.answer.repeated = true;
        return Ok(change);
    }
    let by = if request.is_delivery { "delivery" } else { "read" };
    change.record_event(EventType::Delivered, handoff.id, context.actor()).with("by", by);
    let mut after = handoff.clone();
    after.progress.delivered_at = Some(context.now);
    change.put(after);
    Ok(change)
}

/// Records a receiver's claim or question as its first read.
pub fn read_by(context: &Context<'_>, handoff: &mut Handoff, change: &mut Change) {
    let (directory, reader) = (&context.state.directory, context.principal.party);
    let is_receiver = directory.is_or_is_in(reader, handoff.facts.receiver);
    if is_receiver && handoff.progress.delivered_at.is_none() {
        change.record_event(EventType::Delivered, handoff.id, context.actor()).with("by", "read");
        handoff.progress.delivered_at = Some(context.now);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::steps::decision::testing::{intercept, people};
    use crate::testing::{World, claim, release, submit};

    fn seen(world: &World, is_delivery: bool) -> Command {
        Command::MarkDelivered(MarkDelivered { handoff: world.newest(), is_delivery })
    }

    #[test]
    fn the_first_read_of_the_receiver_counts_and_no_other() {
        let mut world = people();
        world.check("ana", submit(&json!({ "to_agent": "role:team" })), "offered to role:team");
        let from = world.leaves.len();
        for (name, expected) in [
            ("ana", "refused TK-NOT-ALLOWED"),
            ("pia", "refused TK-NOT-ALLOWED"),
            ("ben", "offered to role:team"),
        ] {
            let command = seen(&world, false);
            world.check(name, command, expected);
        }
        let at = world.handoff().progress.delivered_at;
        assert_eq!(at, Some(world.now));
        world.advance(60);
        for name in ["ben", "cem"] {
            let command = seen(&world, true);
            assert!(world.run(name, command).unwrap().repeated);
        }
        assert_eq!(world.handoff().progress.delivered_at, at);
        assert_eq!(world.story(from), "handoff.delivered by ben");
    }

    #[test]
    fn only_an_offered_handoff_can_be_delivered() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        let from = world.leaves.len();
        let command = seen(&world, false);
        assert!(world.run("ben", command).unwrap().repeated);
        assert_eq!(world.handoff().progress.delivered_at, None);
        assert_eq!(world.story(from), "");
    }

    #[test]
    fn a_claim_counts_as_a_read() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let (id, from) = (world.newest(), world.leaves.len());
        world.check("ben", claim(id), "claimed by ben, fence 1");
        assert_eq!(world.handoff().progress.delivered_at, Some(world.now));
        let shown = world.shown();
        world.done("ben", release(shown));
        world.done("ben", claim(id));
        // Only the first of both is recorded.
        insta::assert_snapshot!(world.story(from), @"
        handoff.delivered by ben
        handoff.claimed by ben
        handoff.released by ben
        handoff.claimed by ben
        ");
    }

    #[test]
    fn every_time_of_delivery_has_an_event() {
        let mut world = people();
        world.check("ana", submit(&json!({ "to_agent": "role:people" })), "offered to role:people");
        let from = world.leaves.len();
        // A person who intercepts work that was for them anyway reads it then.
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
        assert_eq!(world.handoff().progress.delivered_at, Some(world.now));
        insta::assert_snapshot!(world.story(from), @"
        handoff.delivered by pia
        handoff.intercepted by pia
        ");
    }
}
