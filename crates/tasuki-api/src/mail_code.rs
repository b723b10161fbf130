//! Codes that were mailed to people, with which they decide once without signing in.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::serde_format::instant;
use crate::word_enum::word_enum;
use crate::{HoldCause, Secret};

/// A request to show what a mailed code decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MailCodeRequest {
    /// The code.
    pub code: Secret,
}

/// A decision with a mailed code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MailDecisionRequest {
    /// The code.
    pub code: Secret,
    /// The decision.
    pub decision: MailDecision,
    /// The reason; required to reject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

word_enum! {
    /// A decision that a mailed code can make.
    pub enum MailDecision {
        /// Let the handoff or the action go on.
        Accept = "accept",
        /// Refuse the handoff or the action.
        Reject = "reject",
    }
}

/// The handoff that a mailed code decides about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MailCode {
    /// The project.
    pub project: String,
    /// The id of the handoff.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::types::HandoffId"))]
    pub handoff: String,
    /// The task.
    pub task: String,
    /// The person whom the code was mailed to.
    pub person: String,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The revision that the code is for.
    pub revision: u32,
    /// The risk.
    pub risk: String,
    /// The state of the handoff now.
    pub state: String,
    /// `true` if the code can still decide: the handoff is held at this revision.
    pub open: bool,
    /// The goal on one line, at most 200 characters, unless an action waits for approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The action that waits for approval on one line, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The causes of the hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<HoldCause>,
    /// When the code stops working.
    #[serde(serialize_with = "instant")]
    pub expires_at: Timestamp,
}
