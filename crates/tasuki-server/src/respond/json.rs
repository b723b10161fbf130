//! Responses with a JSON body, or a body of another media type.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The capacity for the headers of a response, including those of middleware.
const HEADERS: usize = 10;

/// The initial capacity of a body, so that most are not reallocated.
const ANSWER_BYTES: usize = 2 * 1024;

/// A body as JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ANSWER_BYTES);
        // A body that cannot be serialized is left empty.
        let written = serde_json::to_writer(&mut body, &self.0);
        typed("application/json", if written.is_ok() { body } else { Vec::new() })
    }
}

/// Returns a response with a body of this media type.
pub(crate) fn typed(media: &'static str, body: impl Into<axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
