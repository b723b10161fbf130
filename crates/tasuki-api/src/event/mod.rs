//! Events, the inbox, search and statistics.

mod filter;
mod inbox;
mod overview;
mod search;
mod stats;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use filter::{EventFilter, event_type};
pub use inbox::{AcknowledgeRequest, Acknowledged, FailureReference, Inbox, InboxFailure};
pub use overview::{EdgeActivity, HourActivity, Overview};
pub use search::SearchHit;
pub use stats::{EdgeStats, Spread};

use crate::handoff::{DecisionStatement, HoldCause};
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::instant;

/// An event, with enough context to understand it without its packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// The number of the event in its project.
    pub n: u64,
    /// The time of the event.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The type, such as `handoff.claimed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of the acting party, or `clock` or `system`.
    pub actor: String,
    /// The person in whose place a deputy decided, or the party that the actor speaks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
    /// The handoff that the event is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HandoffId>"))]
    pub handoff: Option<String>,
    /// The task of the handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The state before the command that appended the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The state after that command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The reason that the actor gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the action that a person approved or refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The rule, gate, limit, trigger or earlier handoff behind each reason of a hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<HoldCause>,
    /// The statements of the person who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<DecisionStatement>,
    /// The trigger of the packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// The attributes of the leaf.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
}
