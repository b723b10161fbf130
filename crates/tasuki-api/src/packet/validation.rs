//! The result of a validation.

use serde::{Deserialize, Serialize};

use crate::Violation;
#[cfg(feature = "schema")]
use crate::schema::types as schema;

/// The result of validating a packet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValidationReport {
    /// `true` if the packet has no violation.
    pub valid: bool,
    /// The form of the source: `json`, `yaml`, `markdown` or `wire`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The variant that the packet was validated against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The foreign dialect that the packet was read from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The digest of a valid packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
    /// Every violation.
    pub violations: Vec<Violation>,
}
