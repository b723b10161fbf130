//! Records an outage of the exchange, and extends the leases that were live then by its length.
//!
//! Holders could neither renew nor return without a server, so the outage does not count against
//! them. The worker decides this command before it applies deadlines.

use jiff::Timestamp;
use serde::Serialize;
use tasuki_packet::leaf::EventType;

use crate::limits::OUTAGE_MIN;
use crate::model::{Change, Context, Record, Scope};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Records an outage that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecordOutage {
    /// The last heartbeat of any server before the outage.
    pub last_seen: Timestamp,
}

impl Step for RecordOutage {
    const NAME: &'static str = "record_outage";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RecordOutage {
    /// Returns `true`, because the outage shifts deadlines.
    fn runs_before_deadlines(&self) -> bool {
        true
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        record_outage(context, *self)
    }
}

/// Decides an outage. A repeated report changes nothing, since every leaf counts as a heartbeat.
fn record_outage(context: &Context<'_>, request: RecordOutage) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let (now, pauses) = (context.now, &context.state.directory.pauses);
    let from = request.last_seen.max(context.state.head.last_at);
    let mut change = Change::default();
    if now.duration_since(from) < OUTAGE_MIN {
        return Ok(change);
    }
    change
        .record_project_event(EventType::OutageRecorded, context.actor())
        .with("from", from)
        .with("until", now);
    change.records.push(Record::Pauses(pauses.away(from, now)));
    Ok(change)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::Principal;
    use crate::rules::deadlines;
    use crate::testing::{World, claim, halt, release, submit};

    /// Returns a world with an outage of an hour, 10 minutes into a lease of 30 minutes.
    fn back_after_an_hour() -> World {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world.advance(600);
        let last_seen = world.now;
        world.advance(3600);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        world
    }

    #[test]
    fn a_live_lease_is_extended_by_the_outage() {
        let mut world = back_after_an_hour();
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        let shown = world.shown();
        let due = deadlines::due_at(&world.state.directory, world.handoff()).unwrap();
        assert_eq!(due, world.now + SignedDuration::from_mins(20));
        let view = crate::view::claim(
            &world.state.directory,
            world.handoff(),
            world.handoff().claim().unwrap(),
        );
        assert_eq!(view.until, due);
        let mut late = world.clone();
        world.advance(20 * 60 - 1);
        world.check("ben", release(shown), "offered to ben");
        late.advance(20 * 60);
        late.check("ben", release(shown), "refused TK-CLAIM-STALE");
        insta::assert_snapshot!(late.story(3), @"
        exchange.outage_recorded by system
        handoff.lapsed by clock
        ");
    }

    #[test]
    fn leases_that_ended_before_or_began_after_the_outage_are_not_extended() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world.advance(31 * 60);
        let last_seen = world.now;
        world.advance(3600);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
        world.done("ben", claim(world.newest()));
        let due = deadlines::due_at(&world.state.directory, world.handoff()).unwrap();
        assert_eq!(due, world.now + SignedDuration::from_mins(30));
    }

    #[test]
    fn deadlines_are_not_extended() {
        let mut world = World::new();
        world.contract(&json!({ "deadlines": { "return": "40m" } }));
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world.advance(600);
        let last_seen = world.now;
        world.advance(3600);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn an_outage_is_recorded_once_and_a_short_one_never() {
        let mut world = back_after_an_hour();
        let leaves = world.leaves.len();
        let again = RecordOutage { last_seen: world.now - SignedDuration::from_hours(1) };
        world.run_as(&Principal::system(), Command::RecordOutage(again)).unwrap();
        assert_eq!(world.leaves.len(), leaves);
        let last_seen = world.now;
        world.advance(14);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        assert_eq!(world.leaves.len(), leaves);
        world.advance(1);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        assert_eq!(world.story(leaves), "exchange.outage_recorded by system");
    }

    #[test]
    fn an_outage_during_a_halt_shortens_no_lease() {
        let mut world = World::new();
        world.contract(&json!({ "deadlines": { "claim": "10m" } }));
        world.done("ana", submit(&json!({})));
        world.done("pia", halt(false));
        let last_seen = world.now;
        world.advance(3600);
        world
            .run_as(&Principal::system(), Command::RecordOutage(RecordOutage { last_seen }))
            .unwrap();
        world.done("pia", halt(true));
        let due = deadlines::due_at(&world.state.directory, world.handoff()).unwrap();
        assert_eq!(due, world.now + SignedDuration::from_mins(10));
    }
}
