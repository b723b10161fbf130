//! Claims: take the next work, keep it, give it back.

use tasuki_engine::principal::Scope::Receive;
use tasuki_engine::scope::Needs::All;

use super::{Carries, Operation};

/// Claim the next.
pub static CLAIM_NEXT: Operation = Operation::post(
    "claim_next",
    "/v1/claims",
    "Take the most urgent work that is offered to you.",
)
.needs(All(&[Receive]))
.carries(Carries::Maybe("ClaimRequest"))
.created();

/// Renew.
pub static RENEW: Operation =
    Operation::post("renew", "/v1/claims/{id}/renew", "Make the lease longer.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("Renew"));

/// Release.
pub static RELEASE: Operation =
    Operation::post("release", "/v1/claims/{id}/release", "Give the work back.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("Reason"));

/// Park.
pub static PARK: Operation =
    Operation::post("park", "/v1/claims/{id}/park", "Give the work back until an instant.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Park"));

/// Hold.
pub static HOLD: Operation =
    Operation::post("hold", "/v1/claims/{id}/hold", "Ask a person's leave for an exact action.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Hold"));
