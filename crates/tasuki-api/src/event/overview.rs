//! The last hours of a project.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Spread;
use crate::serde_format::instant;

/// The last hours of a project, from its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overview {
    /// The beginning of the first hour.
    #[serde(serialize_with = "instant")]
    pub from: Timestamp,
    /// The time of the response.
    #[serde(serialize_with = "instant")]
    pub until: Timestamp,
    /// Every hour of the period, oldest first.
    pub hours: Vec<HourActivity>,
    /// The edges of the period, busiest first.
    pub edges: Vec<EdgeActivity>,
    /// `false` if the period has more leaves than were read. The oldest ones are not counted then.
    pub complete: bool,
}

/// The events of one hour.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HourActivity {
    /// The beginning of the hour.
    #[serde(serialize_with = "instant")]
    pub start: Timestamp,
    /// The number of handoffs submitted.
    pub submitted: u64,
    /// The number of holds for a person.
    pub held: u64,
    /// The number of moves to the next rung.
    pub moved_on: u64,
    /// The number of handoffs that became dead letters.
    pub dead: u64,
    /// The number of handoffs closed as done.
    pub done: u64,
}

/// The work between a sender and the first receiver in a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EdgeActivity {
    /// The sender.
    pub from: String,
    /// The first receiver.
    pub to: String,
    /// The number of handoffs submitted.
    pub handoffs: u64,
    /// The number of handoffs submitted in each hour.
    pub by_hour: Vec<u64>,
    /// The seconds from submission to the first claim.
    pub waiting: Option<Spread>,
    /// The seconds from a claim to its return.
    pub working: Option<Spread>,
}
