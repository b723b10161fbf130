//! The audit trail of a handoff.

use serde::{Deserialize, Serialize};
use tasuki_packet::leaf::Hash;

use super::DecisionSummary;

#[cfg(feature = "schema")]
use crate::schema::types as schema;

/// The audit trail of a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditTrail {
    /// The handoff.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub handoff: String,
    /// Every leaf of the log about the handoff, in order.
    #[serde(rename = "audit_trail")]
    pub entries: Vec<TrailEntry>,
    /// The decisions about the handoff, oldest first, unless its packet is hidden from the caller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionSummary>,
}

/// One leaf of the log, as an audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrailEntry {
    /// The index of the leaf.
    pub n: u64,
    /// The time of the event.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Instant"))]
    pub time: String,
    /// The type of the event.
    pub event: String,
    /// The id of the acting party, or `clock` or `system`.
    pub actor: String,
    /// The hash of the leaf.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub hash: Hash,
    /// The hash of the preceding leaf in the log.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub previous_hash: Hash,
}
