//! Statistics of edges.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The statistics of an edge: a sender and the first receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EdgeStats {
    /// The sender.
    pub from: String,
    /// The first receiver.
    pub to: String,
    /// The number of handoffs.
    pub handoffs: u64,
    /// The seconds from submission to the first claim.
    pub submit_to_claim: Option<Spread>,
    /// The seconds from a hold to the decision of a person.
    pub hold_to_decision: Option<Spread>,
    /// The seconds from a claim to its return.
    pub claim_to_return: Option<Spread>,
    /// The seconds from a return to its verdict.
    pub return_to_verdict: Option<Spread>,
    /// The tokens of a brief, for the newest 200 handoffs.
    pub tokens: Option<Spread>,
    /// The number of questions.
    pub clarifications: u64,
    /// The number of failed returns.
    pub reworks: u64,
    /// The reasons for rejections, with their counts.
    pub rejections: BTreeMap<String, u64>,
}

/// The distribution of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The number of values.
    pub count: u64,
    /// The median.
    pub median: u64,
    /// The 95th percentile.
    pub p95: u64,
}
