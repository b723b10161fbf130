//! The response to a command: the result of the engine as JSON, with its headers.

use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tasuki_api as api;

use crate::respond::etag;
use crate::respond::headers::insert;
use crate::respond::json::Json;

/// Marks a replayed response.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

#[derive(Debug)]
pub(crate) struct CommandResponse {
    pub(crate) answer: api::CommandResponse,
    /// `true` if the caller sent an idempotency key.
    pub(crate) has_key: bool,
    /// `true` if the command created something.
    pub(crate) is_created: bool,
}

impl CommandResponse {
    /// Marks the response to a command that created something.
    #[must_use]
    pub(crate) fn created(self) -> Self {
        Self { is_created: true, ..self }
    }
}

impl IntoResponse for CommandResponse {
    fn into_response(self) -> Response {
        let status = if self.is_created { StatusCode::CREATED } else { StatusCode::OK };
        let mut response = (status, Json(&self.answer)).into_response();
        let headers = response.headers_mut();
        if let Some(handoff) = &self.answer.handoff {
            insert(headers, ETAG, etag::of_handoff(handoff));
            insert(headers, LOCATION, ["/v1/handoffs/", &handoff.id].concat());
        }
        if self.has_key && self.answer.repeated {
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
