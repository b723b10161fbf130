//! The progress of a task: its steps, and what the holders recorded.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::serde_format::{instant, optional_instant};

/// The number of steps of a task that are done and left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepCounts {
    /// The steps that are done.
    pub done: u32,
    /// The steps that are left.
    pub left: u32,
}

/// The progress of a task: its packet with every checkpoint applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// The steps that are done, by number.
    pub done: Vec<Step>,
    /// The steps that are left, by number. It is the goal if the task states no steps.
    pub left: Vec<Step>,
    /// The texts of the sign-offs in `sign_offs_due` that were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed_off: Vec<String>,
    /// The last sign of life of the holder: its claim, renewal or checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub alive_at: Option<Timestamp>,
    /// The newest checkpoints, oldest first. `GET /v1/handoffs/{id}/checkpoints` lists all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<CheckpointNote>,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The number of the step, which stays the same while other steps are completed.
    pub number: u32,
    /// The text.
    pub text: String,
    /// The holder that completed it. It is left out if the packet states it as done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The time at which it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub at: Option<Timestamp>,
}

/// A checkpoint in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointNote {
    /// The number of the event.
    pub n: u64,
    /// The holder.
    pub by: String,
    /// The time of the checkpoint.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The text: the completed steps, or else the summary.
    pub text: String,
    /// The steps after the checkpoint.
    pub steps: StepCounts,
}
