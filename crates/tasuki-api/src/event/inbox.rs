//! The inbox of a party.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Handoff;
use crate::serde_format::instant;

/// The handoffs that wait for a party.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inbox {
    /// The party.
    pub party: String,
    /// The handoffs, most urgent first.
    pub handoffs: Vec<Handoff>,
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
