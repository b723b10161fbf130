//! Batches: many requests in one.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

#[cfg(feature = "schema")]
use crate::schema::types as schema;

/// LIMIT: the number of requests in one batch.
pub const REQUESTS_MAX: usize = 256;

/// The characters of a path besides letters and digits.
pub const PATH_CHARACTERS: &str = "/_.~%?&=@:+,;!*'()$-";

/// A batch of requests, which run concurrently.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchRequest {
    /// The requests. None may depend on another.
    #[cfg_attr(feature = "schema", schemars(length(max = REQUESTS_MAX)))]
    pub requests: Vec<BatchItem>,
}

/// One request of a batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchItem {
    /// The method.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["GET", "POST", "PUT", "PATCH", "DELETE"]))
    )]
    pub method: String,
    /// The path, from `/v1/` on, with its query.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = path_pattern())))]
    pub path: String,
    /// The `Idempotency-Key` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HeaderValue>"))]
    pub key: Option<String>,
    /// The `If-Match` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HeaderValue>"))]
    pub if_match: Option<String>,
    /// The body: a JSON document, or a text with its content type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub body: Option<Box<RawValue>>,
    /// The content type of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HeaderValue>"))]
    pub content_type: Option<String>,
}

impl BatchItem {
    /// Creates a request without a body.
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        let (method, path) = (method.into(), path.into());
        Self { method, path, key: None, if_match: None, body: None, content_type: None }
    }

    /// Sets the body to a JSON document.
    ///
    /// # Errors
    ///
    /// A value that is not JSON.
    pub fn json(self, body: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self { body: Some(to_raw_value(body)?), ..self })
    }
}

#[cfg(feature = "schema")]
fn path_pattern() -> String {
    format!("^/v1/[A-Za-z0-9{PATH_CHARACTERS}]*$")
}

/// The responses to a batch, in the order of its requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchResponse {
    /// The responses.
    pub answers: Vec<BatchItemResponse>,
}

/// The response to one request of a batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchItemResponse {
    /// The status.
    pub status: u16,
    /// The `ETag` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The `Location` header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// `true` if the response is replayed, because the request had already run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// The body. A body that is not JSON is a text.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub body: Box<RawValue>,
}
