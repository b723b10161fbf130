//! Claims: take the next work, keep it, give it back.

use tasuki_api::{ApprovalRequest, ClaimRequest, ParkRequest, ReasonRequest, RenewRequest};
use tasuki_engine::model::Scope::Receive;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody};

/// Claim the next.
pub static CLAIM_NEXT: Operation = Operation::post(
    "claim_next",
    "/v1/claims",
    "Take the most urgent work that is offered to you.",
)
.requires(All(&[Receive]))
.request(RequestBody::optional::<ClaimRequest>())
.created();

/// Renew.
pub static RENEW: Operation =
    Operation::post("renew", "/v1/claims/{id}/renew", "Make the lease longer.")
        .requires(All(&[Receive]))
        .request(RequestBody::optional::<RenewRequest>());

/// Release.
pub static RELEASE: Operation =
    Operation::post("release", "/v1/claims/{id}/release", "Give the work back.")
        .requires(All(&[Receive]))
        .request(RequestBody::optional::<ReasonRequest>());

/// Park.
pub static PARK: Operation =
    Operation::post("park", "/v1/claims/{id}/park", "Give the work back until an instant.")
        .requires(All(&[Receive]))
        .request(RequestBody::document::<ParkRequest>());

/// Hold.
pub static REQUEST_APPROVAL: Operation = Operation::post(
    "request_approval",
    "/v1/claims/{id}/request-approval",
    "Ask a person's leave for an exact action.",
)
.requires(All(&[Receive]))
.request(RequestBody::document::<ApprovalRequest>());
