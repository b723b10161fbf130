//! Tasks: the continuation for a model.

use serde::{Deserialize, Serialize};

use crate::Handoff;

/// The work so far, as a brief for the model that continues it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Continuation {
    /// The handoff to continue.
    pub handoff: Handoff,
    /// The digest of the composed packet. Its first digits mark the fence around the brief.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::types::Digest"))]
    pub digest: String,
    /// The brief, fenced as data.
    pub text: String,
    /// The number of tokens of the brief.
    pub tokens: usize,
    /// Pointers to the parts that did not fit into the budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
