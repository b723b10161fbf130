//! Claims: claim the next handoff, renew the lease, give the work back.

use tasuki_api::{ApprovalRequest, ClaimRequest, ParkRequest, ReasonRequest, RenewRequest};
use tasuki_engine::model::Scope::Receive;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody};

/// Claims the next handoff.
pub static CLAIM_NEXT: Operation = Operation::post(
    "claim_next",
    "/v1/claims",
    "Claim the most urgent handoff that is offered to the caller.",
)
.requires(All(&[Receive]))
.request(RequestBody::optional::<ClaimRequest>())
.created();

/// Renews a lease.
pub static RENEW: Operation =
    Operation::post("renew", "/v1/claims/{id}/renew", "Renew the lease of a claim.")
        .requires(All(&[Receive]))
        .request(RequestBody::optional::<RenewRequest>());

/// Adopts a claim.
pub static ADOPT: Operation = Operation::post(
    "adopt",
    "/v1/claims/{id}/adopt",
    "Continue a claim of the caller whose process has ended, with the next fence.",
)
.requires(All(&[Receive]));

/// Releases a claim.
pub static RELEASE: Operation = Operation::post(
    "release",
    "/v1/claims/{id}/release",
    "Release a claim, so that the work can be claimed again.",
)
.requires(All(&[Receive]))
.request(RequestBody::optional::<ReasonRequest>());

/// Parks work.
pub static PARK: Operation = Operation::post(
    "park",
    "/v1/claims/{id}/park",
    "Release a claim, so that the work can be claimed again from an instant on.",
)
.requires(All(&[Receive]))
.request(RequestBody::document::<ParkRequest>());

/// Requests an approval.
pub static REQUEST_APPROVAL: Operation = Operation::post(
    "request_approval",
    "/v1/claims/{id}/request-approval",
    "Ask a person to approve an action.",
)
.requires(All(&[Receive]))
.request(RequestBody::document::<ApprovalRequest>());

/// Withdraws a request for approval.
pub static WITHDRAW: Operation = Operation::post(
    "withdraw",
    "/v1/claims/{id}/withdraw",
    "Withdraw a request for approval. The action may not be run.",
)
.requires(All(&[Receive]))
.request(RequestBody::optional::<ReasonRequest>());
