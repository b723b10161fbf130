//! The log check, decisions about dead letters, and requests that carry only a reason.

use serde::{Deserialize, Serialize};

use crate::serde_format::null_default;
use crate::word_enum::word_enum;

/// The reason for an operation that needs nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReasonRequest {
    /// The reason, which the log records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<Option<&str>> for ReasonRequest {
    fn from(reason: Option<&str>) -> Self {
        Self { reason: reason.map(str::to_owned) }
    }
}

/// A decision about a dead letter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeadLetterRequest {
    /// The reason; required to discard.
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

word_enum! {
    /// The severity of a finding.
    pub enum Health {
        /// Nothing to do.
        Ok = "ok",
        /// It works, but needs attention.
        Warning = "warning",
        /// It is damaged.
        Error = "error",
    }
}

/// The result of one check of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The name of the check, such as `ladders`.
    pub check: String,
    /// The severity.
    #[cfg_attr(feature = "schema", schemars(with = "Health"))]
    pub state: String,
    /// The finding.
    pub message: String,
    /// How to repair it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// The result of a log check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogCheckReport {
    /// `true` if the log has no problem.
    pub intact: bool,
    /// The first leaf that was checked.
    pub from: u64,
    /// The number of valid leaves.
    pub leaves: u64,
    /// The number of valid documents.
    pub documents: u64,
    /// The hash of the last valid leaf.
    pub hash: String,
    /// The first invalid leaf.
    pub first_bad: Option<u64>,
    /// The problem with that leaf.
    pub problem: Option<String>,
    /// `true` if the log differs from a trail that it was compared with. A server compares none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub is_of_trail: bool,
}
