//! Subscriptions to events, their deliveries, and replays.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::serde_format::{instant, is_default, null_default};
use crate::word_enum::word_enum;
use crate::{EventFilter, Secret};

/// A subscription to events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subscription {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::types::SubscriptionId"))]
    pub id: String,
    /// The subscribed party.
    pub party: String,
    /// The channel: `webhook`, `email`, `slack`, `ntfy`, or `none` after removal.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["webhook", "email", "slack", "ntfy", "none"])))]
    pub kind: String,
    /// The address of the webhook; for Slack and ntfy only its origin, because the rest is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The mailbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The public key that verifies deliveries signed with a key pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// The secret that deliveries are signed with. Only the response that creates it has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// The filter for events. Without it, every event is delivered.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "EventFilter"))]
    pub filter: Map<String, Value>,
    /// The status.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["active", "disabled", "removed"])))]
    pub status: String,
    /// The reason why the subscription is disabled: a request, failed deliveries, or a receiver that
    /// responded with 410 Gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["asked", "failing", "gone"])))]
    pub because: Option<String>,
    /// The time of creation.
    #[serde(serialize_with = "instant")]
    pub created_at: Timestamp,
    /// The number of the first event that is delivered.
    pub from: u64,
}

/// A new subscription: by webhook (`url`), mail (`address`), `slack` or `ntfy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SubscriptionRequest {
    /// The subscribed party. The default is the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// The address of the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The signature of webhook deliveries: `shared` (the default) or `key_pair`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Signing>"))]
    pub signing: Signing,
    /// The mailbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The URL of an incoming webhook of Slack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<Secret>,
    /// The URL of an ntfy topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ntfy: Option<Secret>,
    /// The access token of the ntfy server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ntfy_token: Option<Secret>,
    /// The filter for events. Without it, every event is delivered; by Slack and ntfy those that
    /// leave work to people.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<EventFilter>"))]
    pub filter: EventFilter,
}

word_enum! {
    /// The signature of webhook deliveries.
    #[derive(Default)]
    pub enum Signing {
        /// HMAC-SHA-256 with a secret that both sides know: `v1`, `whsec_`.
        #[default]
        Shared = "shared",
        /// Ed25519 with a key pair of which the receiver has only the public key: `v1a`, `whsk_`,
        /// `whpk_`.
        KeyPair = "key_pair",
    }
}

impl Signing {
    /// Returns the prefix of a secret's text.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Shared => "whsec_",
            Self::KeyPair => "whsk_",
        }
    }
}

/// One attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delivery {
    /// The number of the event.
    pub n: u64,
    /// The time of the attempt.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The number of the attempt for this event, from 1.
    pub attempt: u32,
    /// The status of the response, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The duration of the attempt in milliseconds.
    pub millis: u32,
    /// The beginning of the response, or the reason why there was none.
    pub response: String,
}

/// The range of events to deliver again, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// The number of the first event.
    pub from: u64,
    /// The number of the last event.
    pub to: u64,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayResponse {
    /// Every attempt, in order.
    pub deliveries: Vec<Delivery>,
    /// The event to continue from, if an attempt failed or the range was too long for one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}
