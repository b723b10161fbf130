//! Return packets and the verdicts on them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default};
use crate::word_enum::word_enum;

/// A return packet with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Return {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ReturnId"))]
    pub id: String,
    /// The handoff that it was returned on: the last of the chain if the work was passed on.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub handoff: String,
    /// The party that returned the work.
    pub by: String,
    /// The time of the return.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The digest of the packet.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
    /// The return packet.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Packet"))]
    pub packet: Value,
    /// The verdict, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

word_enum! {
    /// The result of a verification.
    pub enum VerdictResult {
        /// The return is accepted.
        Pass = "pass",
        /// The work goes back to its receiver.
        Fail = "fail",
    }
}

/// The verdict on a return packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::VerdictId"))]
    pub id: String,
    /// The result.
    #[cfg_attr(feature = "schema", schemars(with = "VerdictResult"))]
    pub result: String,
    /// The party that verified the return, or `contract` for an automatic verdict.
    pub by: String,
    /// The time of the verdict.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The parts that the person opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The number of seconds that the person looked at the return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The result for each criterion, for an automatic verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::JsonObject>"))]
    pub found: Option<Value>,
}

/// A verdict on the return packet that waits for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VerdictRequest {
    /// The result.
    pub result: VerdictResult,
    /// The return packet that the verifier saw: the `return_id` of the handoff. The verdict is refused
    /// without it, or if another return packet waits.
    #[serde(rename = "return", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::ReturnId>"))]
    pub return_packet: Option<String>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of seconds that the person looked at the handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The parts that the person opened, such as `packet` or `evidence`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub opened: Vec<String>,
}

impl VerdictRequest {
    /// Returns a verdict on a return packet, without a reason.
    #[must_use]
    pub const fn new(result: VerdictResult, return_packet: Option<String>) -> Self {
        Self { result, return_packet, reason: None, seconds: None, opened: Vec::new() }
    }
}
