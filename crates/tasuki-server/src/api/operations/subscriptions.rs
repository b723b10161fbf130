//! Subscriptions: who is told of which events, and what came of it.

use tasuki_api::{Delivery, ReplayRequest, ReplayResponse, Subscription, SubscriptionRequest};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{CURSOR, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, Verb, parameter};

/// List subscriptions.
pub static LIST_SUBSCRIPTIONS: Operation =
    Operation::get("list_subscriptions", "/v1/subscriptions", "Who is told of which events.")
        .reads(ReadOperation::Subscriptions)
        .response(ResponseBody::page::<Subscription>());

/// Add a subscription.
pub static ADD_SUBSCRIPTION: Operation = Operation::post(
    "add_subscription",
    "/v1/subscriptions",
    "Have somebody told of events; what a webhook is checked with is in the answer.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<SubscriptionRequest>())
.created();

/// Show a subscription.
pub static SHOW_SUBSCRIPTION: Operation =
    Operation::get("show_subscription", "/v1/subscriptions/{id}", "Show a subscription.")
        .reads(ReadOperation::Subscriptions)
        .response(ResponseBody::document::<Subscription>());

/// Remove a subscription.
pub static REMOVE_SUBSCRIPTION: Operation = Operation::new(
    Verb::Delete,
    "remove_subscription",
    "/v1/subscriptions/{id}",
    "Tell nobody any more; address, secrets and attempts go with it.",
)
.requires(All(&[Admin]));

/// Disable a subscription.
pub static DISABLE_SUBSCRIPTION: Operation = Operation::post(
    "disable_subscription",
    "/v1/subscriptions/{id}/disable",
    "Tell nobody until it is enabled.",
)
.requires(All(&[Admin]));

/// Enable a subscription.
pub static ENABLE_SUBSCRIPTION: Operation = Operation::post(
    "enable_subscription",
    "/v1/subscriptions/{id}/enable",
    "Go on where it stood.",
)
.requires(All(&[Admin]));

/// Change a secret.
pub static ROTATE_SECRET: Operation = Operation::post(
    "rotate_secret",
    "/v1/subscriptions/{id}/rotate",
    "Sign with a new secret, and for a day with the old one as well.",
)
.requires(All(&[Admin]));

/// List attempts.
pub static LIST_DELIVERIES: Operation = Operation::get(
    "list_deliveries",
    "/v1/subscriptions/{id}/deliveries",
    "The last attempts, newest first.",
)
.reads(ReadOperation::Subscriptions)
.parameters(&[LIMIT, parameter("cursor", ParameterKind::Pattern("^[0-9]{1,19}$"), CURSOR.summary)])
.response(ResponseBody::page::<Delivery>());

/// Try a subscription.
pub static TEST_SUBSCRIPTION: Operation = Operation::post(
    "test_subscription",
    "/v1/subscriptions/{id}/test",
    "Send a message that says nothing, and tell what the receiver said.",
)
.requires(All(&[Admin]))
.response(ResponseBody::document::<Delivery>());

/// Deliver again.
pub static REPLAY: Operation = Operation::post(
    "replay",
    "/v1/subscriptions/{id}/replay",
    "Deliver a range of events again, in order, each with the id that it had.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<ReplayRequest>())
.response(ResponseBody::document::<ReplayResponse>());
