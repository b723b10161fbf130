//! Responses with a body of JSON, or of another media type.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Room for the headers of a response, those that middleware adds too.
const HEADERS: usize = 10;

/// Room for most bodies, so that they are not moved while they are written.
const ANSWER_BYTES: usize = 2 * 1024;

/// A body as JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ANSWER_BYTES);
        // A body that cannot be written in full is left out.
        let written = serde_json::to_writer(&mut body, &self.0);
        typed("application/json", if written.is_ok() { body } else { Vec::new() })
    }
}

/// A response with a body of this media type.
pub(crate) fn typed(media: &'static str, body: impl Into<axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
