//! The policy of a project: contracts, gates, rules and settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::null_default;

/// A contract to publish, with the schemas that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContractRequest {
    /// The contract.
    #[cfg_attr(feature = "schema", schemars(with = "schema::JsonObject"))]
    pub document: Value,
    /// The schemas, by the path under which the contract names them.
    #[serde(
        default,
        deserialize_with = "null_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<BTreeMap<String, schema::JsonObject>>")
    )]
    pub schemas: BTreeMap<String, Value>,
}

/// A contract in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContractSummary {
    /// The name.
    pub contract: String,
    /// The version.
    pub version: String,
    /// The senders that it covers.
    pub from: Vec<String>,
    /// The receivers that it covers.
    pub to: Vec<String>,
    /// The digest.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
}

/// A published contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContractDetails {
    /// The contract.
    #[cfg_attr(feature = "schema", schemars(with = "schema::JsonObject"))]
    pub document: Value,
    /// The schemas, by the path under which the contract names them.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, schema::JsonObject>"))]
    pub schemas: BTreeMap<String, Value>,
    /// The digest.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
}

/// A gate in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateSummary {
    /// The name.
    pub gate: String,
    /// The version.
    pub version: String,
    /// The digest.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
}

/// A gate or rules to publish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PolicyRequest {
    /// The gate or the rules.
    #[cfg_attr(feature = "schema", schemars(with = "schema::JsonObject"))]
    pub document: Value,
}

/// A published gate, or the rules of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyDetails {
    /// The gate or the rules, or null if the project has no rules.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::JsonObject>"))]
    pub document: Option<Value>,
    /// The digest.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
}

impl PolicyDetails {
    /// Creates the details of a document with this digest.
    pub fn new(document: Value, digest: impl Into<String>) -> Self {
        Self { document: Some(document), digest: Some(digest.into()) }
    }
}

/// A project and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_field_names, reason = "the name on the wire")]
pub struct Project {
    /// The name.
    pub project: Option<String>,
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ProjectId"))]
    pub id: String,
    /// `true` while the project is halted, which prevents claims.
    pub halted: bool,
    /// Every setting.
    pub settings: Map<String, Value>,
}

/// The settings to change, by name. Other settings keep their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minProperties" = 1)))]
#[serde(transparent)]
pub struct ProjectSettings(pub Map<String, Value>);
