//! Sets the time of a log back after a process with a wrong clock wrote leaves in the future.
//!
//! Time never moves before the last leaf, so after such a leaf it stands still: no lease ends, and no
//! deadline passes. The operator records the step, and time continues from the wall clock. Claims
//! and offers that began in the future begin now, so that their leases and deadlines end in time.

use jiff::Timestamp;
use serde::Serialize;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::model::context::later;
use crate::model::{Change, Context, Directory, Handoff, LoadSet, Scope, State};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Sets the time of the log back to the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ResetClock;

impl Step for ResetClock {
    const NAME: &'static str = "reset_clock";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for ResetClock {
    fn load(&self, directory: &Directory, _caller: PartyId, set: &mut LoadSet) {
        set.claims_before_epoch = Some(u64::MAX);
        set.offers_of.extend(directory.parties().into_iter().map(|party| party.id));
    }

    fn resets_clock(&self) -> bool {
        true
    }

    /// Returns `true`, because deadlines are judged by the time after the step.
    fn runs_before_deadlines(&self) -> bool {
        true
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        reset_clock(context)
    }
}

/// Decides a step back. A log that is not ahead of the wall clock stays as it is.
fn reset_clock(context: &Context<'_>) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let (now, last_at) = (context.now, context.state.head.last_at);
    let mut change = Change::default();
    if last_at <= now {
        return Ok(change);
    }
    change
        .record_project_event(EventType::ClockStepped, context.actor())
        .with("from", last_at)
        .with("until", now);
    let mut early: Vec<Handoff> =
        context.state.handoffs().filter_map(|handoff| brought_back(handoff, now)).collect();
    early.sort_by_key(|handoff| handoff.id);
    for handoff in early {
        change.put(handoff);
    }
    Ok(change)
}

/// Returns a claim or an offer that began in the future, as if it began now.
fn brought_back(handoff: &Handoff, now: Timestamp) -> Option<Handoff> {
    let mut after = handoff.clone();
    let progress = &mut after.progress;
    progress.progress_at = progress.progress_at.min(now);
    match &mut progress.state {
        State::Claimed(claim) => {
            claim.since = claim.since.min(now);
            claim.until = claim.until.min(later(now, claim.lease));
        }
        State::Offered(offer) => offer.since = offer.since.min(now),
        State::Held(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return None,
    }
    (after != *handoff).then_some(after)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::Principal;
    use crate::testing::{World, claim, release, submit};

    #[test]
    fn leases_and_offers_of_the_future_end_in_time_after_the_step() {
        let mut world = World::new();
        world.contract(&json!({ "deadlines": { "claim": "10m" } }));
        let right = world.now;
        world.advance(40 * 24 * 3_600);
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        let (shown, last_at) = (world.shown(), world.state.head.last_at);
        world.now = right;
        world.run_as(&Principal::system(), Command::ResetClock(ResetClock)).unwrap();
        assert_eq!(world.state.head.last_at, right);
        let leaf = &world.leaves.last().unwrap().leaf;
        assert!(
            leaf.contains("clock.stepped") && leaf.contains(&format!("{last_at:.6}")),
            "{leaf}"
        );
        let mut late = world.clone();
        world.advance(30 * 60 - 1);
        world.check("ben", release(shown), "offered to ben");
        late.advance(30 * 60);
        late.apply_due();
        assert_eq!(late.standing(), "offered to ben", "the lease expired");
        let since = late.now;
        late.now = since + SignedDuration::from_mins(10);
        late.apply_due();
        assert_eq!(late.standing(), "offered to role:people", "the deadline passed");
    }

    #[test]
    fn a_log_that_is_not_ahead_stays_as_it_is() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let leaves = world.leaves.len();
        world.run_as(&Principal::system(), Command::ResetClock(ResetClock)).unwrap();
        assert_eq!(world.leaves.len(), leaves);
        world.check("ben", Command::ResetClock(ResetClock), "offered to ben");
    }
}
