//! The response to a command: the engine's answer as JSON, with the headers that go with it.

use axum::http::header::{ETAG, LOCATION};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tasuki_packet::api;

use crate::respond::etag;
use crate::respond::json::{Json, insert};

/// Says that the answer was given before.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What a command answers.
#[derive(Debug)]
pub(crate) struct CommandResponse {
    pub(crate) answer: api::Answer,
    /// Whether the caller sent a key.
    pub(crate) has_key: bool,
    /// Whether something came to be that was not there.
    pub(crate) is_created: bool,
}

impl CommandResponse {
    /// The same, of a command that brings something new.
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
            insert(headers, ETAG, etag::of(handoff));
            insert(headers, LOCATION, ["/v1/handoffs/", &handoff.id].concat());
        }
        if self.has_key && self.answer.repeated {
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
