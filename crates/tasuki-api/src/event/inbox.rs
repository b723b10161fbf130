//! The inbox of a party.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Handoff;
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::instant;

/// The handoffs that wait for a party.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inbox {
    /// The party.
    pub party: String,
    /// The handoffs, most urgent or with the next deadline first.
    pub handoffs: Vec<Handoff>,
    /// The failures that the party has not acknowledged, most urgent first. Only the first page has
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<InboxFailure>,
    /// `true` if there are more failures, which are listed after these are acknowledged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_failures: bool,
    /// The number of the last event that this page reflects.
    pub as_of_n: u64,
    /// The time at which the inbox was read.
    #[serde(serialize_with = "instant")]
    pub as_of: Timestamp,
    /// `true` if there may be another page.
    pub more: bool,
    /// The cursor of the next page, if there may be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A failure of a handoff that the party sent or, for an operator, of any handoff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxFailure {
    /// The kind: a person rejected the handoff, it is a dead letter, or no one could be notified.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["rejected", "dead", "notification_failed"]))
    )]
    pub kind: String,
    /// The number that an acknowledgement names.
    pub n: u64,
    /// The time of the failure.
    #[serde(serialize_with = "instant")]
    pub since: Timestamp,
    /// The cause of a dead letter, such as `declined` or `lapsed`, or of a failed notification:
    /// `no_channel`, `failed` or `mail_failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The party that rejected or declined it, or `clock`; for a notification the party to notify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The reason that this party gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The handoff.
    pub handoff: Handoff,
}

/// The failures that a party has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AcknowledgeRequest {
    /// The failures.
    pub failures: Vec<FailureReference>,
}

/// A failure of a handoff as the inbox listed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailureReference {
    /// The id of the handoff.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub handoff: String,
    /// The number of the failure. A later failure of the handoff stays in the inbox.
    pub n: u64,
}

/// The result of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acknowledged {
    /// The number of failures that were acknowledged.
    pub acknowledged: u64,
}
