//! The result of a validation.

use serde::{Deserialize, Serialize};
use tasuki_packet::open::OpenedPacket;

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
    /// The field for which that variant was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_field: Option<String>,
    /// The rule of the project that chose that variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_rule: Option<String>,
    /// The foreign dialect that the packet was read from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The digest of a valid packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
    /// Every violation.
    pub violations: Vec<Violation>,
    /// Probable mistakes that do not make the packet invalid: misspelt fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Violation>,
}

impl ValidationReport {
    /// Creates the report of a packet that could be read, or of the violation that prevented it.
    pub fn new(opened: Result<&OpenedPacket, &tasuki_packet::Violation>) -> Self {
        let opened = match opened {
            Ok(opened) => opened,
            Err(violation) => {
                return Self { violations: vec![violation.into()], ..Self::default() };
            }
        };
        let valid = opened.violations.is_empty();
        Self {
            valid,
            form: Some(opened.form.name().to_owned()),
            variant: Some(opened.variant.clone()),
            variant_field: opened.variant_field.map(str::to_owned),
            variant_rule: opened.variant_rule.clone(),
            dialect: opened.dialect.map(|dialect| dialect.name().to_owned()),
            digest: valid.then(|| opened.packet.digest()),
            violations: opened.violations.iter().map(Violation::from).collect(),
            warnings: opened.warnings.iter().map(Violation::from).collect(),
        }
    }
}
