//! Search results.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::schema::types as schema;

/// A document or event that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchHit {
    /// The number of the event.
    pub n: u64,
    /// The handoff, if the event is about one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HandoffId>"))]
    pub handoff: Option<String>,
    /// The kind of document or the type of event.
    pub kind: String,
    /// The text around the match.
    pub excerpt: String,
}
