//! Claims, and the requests of their holders.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tasuki_packet::duration::Duration;

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default};

/// A claim as its holder sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ClaimId"))]
    pub id: String,
    /// The claimed handoff.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub handoff: String,
    /// The holder.
    pub holder: String,
    /// The fencing number, which every write of the holder states.
    pub fence: u64,
    /// The time at which the lease expires.
    #[serde(serialize_with = "instant")]
    pub until: Timestamp,
    /// The length of the lease, such as `30m`.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Duration"))]
    pub lease: String,
    /// The authority of the holder: the actions that packet, sender and receiver all allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
}

/// A claim of work under a lease.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimRequest {
    /// The requested length of the lease, such as `30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Duration>"))]
    pub lease: Option<Duration>,
    /// `true` if a process renews the lease, which may then be short.
    #[serde(
        default,
        deserialize_with = "null_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub renewed: bool,
    /// A key of the caller. Claiming again with the same key returns the same claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The contract versions that the receiver reads.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub reads: Vec<String>,
    /// The goal and the first step in the receiver's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_back: Option<Map<String, Value>>,
    /// The differences that the receiver found between the packet and the current files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Map<String, Value>>,
}

/// The statement that a receiver made with its claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimStatement {
    /// The id of the claim.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ClaimId"))]
    pub id: String,
    /// The claimer.
    pub by: String,
    /// The time of the claim.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The goal and the first step in the claimer's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::JsonObject>"))]
    pub read_back: Option<Value>,
    /// The differences that the claimer found between the packet and the current files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::JsonObject>"))]
    pub drift: Option<Value>,
}

/// A renewal of a lease.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RenewRequest {
    /// The new length of the lease. The default is the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Duration>"))]
    pub lease: Option<Duration>,
}

/// A request to give work back until an instant: either `not_before` or `for`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ParkRequest {
    /// The earliest time at which the work can be claimed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// The time from now until the work can be claimed again.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Duration>"))]
    pub length: Option<Duration>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A request of the holder that a person approves an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The exact action, as any JSON value that is not empty.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Action"))]
    pub action: Value,
    /// The person or role that should decide, among those that may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// `true` if the holder began the task for this request. The task ends with the decision.
    #[serde(
        default,
        deserialize_with = "null_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub ends_task: bool,
}
