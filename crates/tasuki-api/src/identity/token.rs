//! Tokens: the credentials of programs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::duration::Duration;

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default, optional_instant};
use crate::{Network, Scopes, Secret};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Token {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::TokenId"))]
    pub id: String,
    /// The text of the token. Only the response that creates it has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Secret>,
    /// The party that the token authenticates.
    pub party: String,
    /// The scopes.
    #[cfg_attr(feature = "schema", schemars(with = "Scopes"))]
    pub scopes: Vec<String>,
    /// The networks that the token may be used from. Without any, it may be used from anywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The receivers of a write-only token, which submits to them and does nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time of creation.
    #[serde(serialize_with = "instant")]
    pub created_at: Timestamp,
    /// The time at which the token expires.
    #[serde(serialize_with = "instant")]
    pub expires_at: Timestamp,
    /// The time at which the token was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub revoked_at: Option<Timestamp>,
    /// The time of the last use, to the hour.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub last_used: Option<Timestamp>,
}

/// A new token.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// The party that the token authenticates.
    pub party: String,
    /// The scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// The time until the token expires.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Duration>"))]
    pub life: Option<Duration>,
    /// The networks that the token may be used from, such as `10.0.0.0/8`. Without any, it may be used
    /// from anywhere.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub from: Vec<Network>,
    /// The receivers of a write-only token, such as `role:intake`. A token with the scope `submit`
    /// alone must name them, and no other token may.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub to: Vec<String>,
    /// The name in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
