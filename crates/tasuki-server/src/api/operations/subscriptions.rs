//! Subscriptions to events, their deliveries, and replays.

use tasuki_api::{Delivery, ReplayRequest, ReplayResponse, Subscription, SubscriptionRequest};
use tasuki_engine::rules::scopes::{OWN_SUBSCRIPTIONS, ReadOperation};

use super::{CURSOR, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, Verb, parameter};

/// Lists subscriptions.
pub static LIST_SUBSCRIPTIONS: Operation = Operation::get(
    "list_subscriptions",
    "/v1/subscriptions",
    "List the subscriptions that the caller manages.",
)
.reads(ReadOperation::Subscriptions)
.response(ResponseBody::page::<Subscription>());

/// Adds a subscription.
pub static ADD_SUBSCRIPTION: Operation = Operation::post(
    "add_subscription",
    "/v1/subscriptions",
    "Add a subscription. The response has the secret or public key that verifies a webhook.",
)
.requires(OWN_SUBSCRIPTIONS)
.request(RequestBody::document::<SubscriptionRequest>())
.created();

/// Shows a subscription.
pub static SHOW_SUBSCRIPTION: Operation =
    Operation::get("show_subscription", "/v1/subscriptions/{id}", "Show a subscription.")
        .reads(ReadOperation::Subscriptions)
        .response(ResponseBody::document::<Subscription>());

/// Removes a subscription.
pub static REMOVE_SUBSCRIPTION: Operation = Operation::new(
    Verb::Delete,
    "remove_subscription",
    "/v1/subscriptions/{id}",
    "Remove a subscription with its address, secrets and deliveries.",
)
.requires(OWN_SUBSCRIPTIONS);

/// Disables a subscription.
pub static DISABLE_SUBSCRIPTION: Operation = Operation::post(
    "disable_subscription",
    "/v1/subscriptions/{id}/disable",
    "Disable a subscription until it is enabled again.",
)
.requires(OWN_SUBSCRIPTIONS);

/// Enables a subscription.
pub static ENABLE_SUBSCRIPTION: Operation = Operation::post(
    "enable_subscription",
    "/v1/subscriptions/{id}/enable",
    "Enable a subscription, which continues where it stopped.",
)
.requires(OWN_SUBSCRIPTIONS);

/// Rotates a secret.
pub static ROTATE_SECRET: Operation = Operation::post(
    "rotate_secret",
    "/v1/subscriptions/{id}/rotate",
    "Rotate the secret of a webhook. The old one is used in addition for a day.",
)
.requires(OWN_SUBSCRIPTIONS);

/// Lists deliveries.
pub static LIST_DELIVERIES: Operation = Operation::get(
    "list_deliveries",
    "/v1/subscriptions/{id}/deliveries",
    "List the last delivery attempts, newest first.",
)
.reads(ReadOperation::Subscriptions)
.parameters(&[LIMIT, parameter("cursor", ParameterKind::Pattern("^[0-9]{1,19}$"), CURSOR.summary)])
.response(ResponseBody::page::<Delivery>());

/// Tests a subscription.
pub static TEST_SUBSCRIPTION: Operation = Operation::post(
    "test_subscription",
    "/v1/subscriptions/{id}/test",
    "Send a test message, and show the response of the receiver.",
)
.requires(OWN_SUBSCRIPTIONS)
.response(ResponseBody::document::<Delivery>());

/// Replays deliveries.
pub static REPLAY: Operation = Operation::post(
    "replay",
    "/v1/subscriptions/{id}/replay",
    "Deliver a range of events again, in order, each with its original id.",
)
.requires(OWN_SUBSCRIPTIONS)
.request(RequestBody::document::<ReplayRequest>())
.response(ResponseBody::document::<ReplayResponse>());
