//! `/v1/openapi.json`: the OpenAPI document.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::response::Response;

use crate::api::openapi::document;
use crate::respond::json::typed;

/// The document, serialized once: it never changes.
static WRITTEN: OnceLock<Bytes> = OnceLock::new();

pub(crate) async fn openapi() -> Response {
    let written = WRITTEN.get_or_init(|| Bytes::from(document().to_string()));
    typed("application/json", written.clone())
}
