//! The length of a lease, and its renewal.
//!
//! A renewal is not progress and makes no leaf, so the deadlines still apply.

use serde::Serialize;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use crate::limits::{LEASE_DEFAULT, LEASE_MAX, LEASE_MIN, LEASE_PERSON, LEASE_RENEWED};
use crate::model::context::later;
use crate::model::{Change, Claim, Context, Scope, State, Terms};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Renews a lease.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Renew {
    /// The claim.
    pub claim: ClaimProof,
    /// The new length, if it changes.
    pub lease: Option<Duration>,
}

impl Step for Renew {
    const NAME: &'static str = "renew";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for Renew {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        renew(context, self)
    }
}

/// Returns the length of a lease: fixed for a person, else the requested one within the contract's
/// limit, else the default.
pub fn lease(
    context: &Context<'_>,
    terms: &Terms,
    asked: Option<Duration>,
    is_renewed: bool,
) -> Duration {
    if context.principal.is_human() {
        return LEASE_PERSON;
    }
    let usual = if is_renewed { LEASE_RENEWED } else { LEASE_DEFAULT };
    let lease = match (asked, terms.lease) {
        (Some(asked), Some(limit)) => asked.min(limit),
        (Some(asked), None) => asked.min(LEASE_MAX),
        (None, Some(limit)) => limit,
        (None, None) => usual,
    };
    lease.max(LEASE_MIN)
}

/// Decides a renewal: the lease starts again.
fn renew(context: &Context<'_>, request: &Renew) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_current_claim(context, request.claim)?;
    let terms = &handoff.facts.terms;
    let lease = match request.lease {
        Some(asked) => lease(context, terms, Some(asked), false),
        None => claim.lease,
    };
    let mut handoff = handoff.clone();
    handoff.progress.state = State::Claimed(renewed(context, claim, lease));
    let mut change = Change::default();
    change.show_claim(handoff.id);
    change.put(handoff);
    Ok(change)
}

/// Returns the claim with its lease renewed. It never ends earlier than promised.
pub fn renewed(context: &Context<'_>, claim: &Claim, lease: Duration) -> Claim {
    let end = context.state.directory.pauses.lease_end(claim);
    let until = later(context.now, lease).max(end);
    Claim { until, lease, ..claim.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::steps::Claim;
    use crate::testing::{World, claim, submit};

    #[test]
    fn a_lease_is_as_long_as_requested_within_contract_and_limits() {
        let check = |contract: Option<&str>, asked: Option<&str>, is_renewed, expected: &str| {
            let mut world = World::new();
            if let Some(lease) = contract {
                world.contract(&json!({ "lease": { "for": lease } }));
            }
            world.done("ana", submit(&json!({})));
            let lease = asked.map(|text| text.parse().unwrap());
            let handoff = Some(world.newest());
            let command = Claim { handoff, lease, is_renewed, ..Claim::default() };
            let answer = world.done("ben", Command::Claim(command));
            let claim = answer.claim.unwrap();
            assert_eq!(claim.lease, expected);
            assert_eq!(claim.until, later(world.now, expected.parse().unwrap()));
        };
        check(None, None, false, "30m");
        check(None, None, true, "2m");
        check(None, Some("1h"), true, "1h");
        check(None, Some("90d"), false, "30d");
        check(Some("10m"), None, false, "10m");
        check(Some("10m"), None, true, "10m");
        check(Some("10m"), Some("5m"), false, "5m");
        check(Some("10m"), Some("1h"), false, "10m");
        // A lease of zero would end before its holder could present the fence.
        check(None, Some("0s"), false, "1s");
    }

    #[test]
    fn a_person_always_gets_eight_hours() {
        let mut world = World::new();
        world.contract(&json!({ "to": ["pia"], "lease": { "for": "10m" } }));
        world.done("ana", submit(&json!({ "to_agent": "pia" })));
        let handoff = Some(world.newest());
        let lease = Some("5m".parse().unwrap());
        let command = Claim { handoff, lease, is_renewed: true, ..Claim::default() };
        assert_eq!(world.done("pia", Command::Claim(command)).claim.unwrap().lease, "8h");
        let renew = Renew { claim: world.shown(), lease };
        assert_eq!(world.done("pia", Command::Renew(renew)).claim.unwrap().lease, "8h");
    }

    #[test]
    fn renewing_makes_no_leaf_and_is_not_progress() {
        let mut world = World::new();
        world.contract(&json!({ "deadlines": { "progress": "1h" } }));
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        let (leaves, until) = (world.leaves.len(), world.handoff().claim().unwrap().until);
        for _ in 0..2 {
            world.advance(29 * 60);
            let renew = Renew { claim: world.shown(), lease: None };
            world.check("ben", Command::Renew(renew), "claimed by ben, fence 1");
        }
        assert_eq!(world.leaves.len(), leaves);
        assert!(world.handoff().claim().unwrap().until > until);
        world.advance(2 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn a_shorter_lease_never_ends_earlier_than_promised() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        let until = world.handoff().claim().unwrap().until;
        let lease = Some("1m".parse().unwrap());
        let renew = Renew { claim: world.shown(), lease };
        assert_eq!(world.done("ben", Command::Renew(renew)).claim.unwrap().until, until);
    }
}
