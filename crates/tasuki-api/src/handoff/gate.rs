//! The gates of a handoff and their signatures.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::serde_format::{instant, optional_instant};

/// A gate of a handoff, with its signatures so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// The name and version, such as `release@1.0`.
    pub name: String,
    /// The factors that must be signed, each by its own people.
    pub factors: Vec<Factor>,
    /// The refusals to sign. Enough of them close the gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<Denial>,
}

/// A refusal to sign at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Denial {
    /// The person who refused.
    pub by: String,
    /// The time of the refusal.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The time at which the refusal expires, if the gate limits its validity.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub until: Option<Timestamp>,
    /// The reason. It is left out if the gate hides the packet from the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One factor of a gate, with its signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Factor {
    /// The name.
    pub name: String,
    /// The roles whose members may sign.
    pub roles: Vec<String>,
    /// The number of people who must sign.
    pub needed: u32,
    /// The signatures for this revision and this receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<Signature>,
    /// The signatures that do not count, because their signers have left the roles since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Signature>,
}

/// One signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signature {
    /// The person who signed.
    pub by: String,
    /// The time of the signature.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The time at which the signature expires, if the gate limits its validity.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub until: Option<Timestamp>,
    /// `true` if the person joined the role after the handoff was submitted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub joined_after_submit: bool,
}
