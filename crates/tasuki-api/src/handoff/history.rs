//! Documents that were added to a handoff over time: checkpoints, and versions of an action.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StepCounts, WorkTree};
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::instant;

/// A checkpoint of a holder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointRecord {
    /// The number of the event.
    pub n: u64,
    /// The holder.
    pub by: String,
    /// The time of the checkpoint.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The checkpoint in one line: the completed steps, or else the summary.
    pub text: String,
    /// The steps of the task after the checkpoint.
    pub steps: StepCounts,
    /// The checkpoint packet.
    #[cfg_attr(feature = "schema", schemars(with = "schema::JsonObject"))]
    pub packet: Value,
    /// The work tree that the holder stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<WorkTree>,
}

/// A version of an action that a holder asked a person to approve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionVersion {
    /// The number of the event.
    pub n: u64,
    /// The id of the document: the action and its version.
    pub id: String,
    /// The digest of the document.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
    /// The party that wrote this version: the holder, or a person who edited it.
    pub by: String,
    /// The time of this version.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The action.
    pub action: Value,
}
