//! How answers look: the engine's bodies as JSON, with the headers that go with them.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Room for the headers of an answer, those that every answer gets on its way out too.
const HEADERS: usize = 10;

/// Room for what most answers say, so that it is not moved while it is written.
const ANSWER_BYTES: usize = 2 * 1024;

/// A body as JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ANSWER_BYTES);
        // What cannot be said halfway is not said at all.
        let said = serde_json::to_writer(&mut body, &self.0);
        typed("application/json", if said.is_ok() { body } else { Vec::new() })
    }
}

/// A body of a type.
pub(crate) fn typed(media: &'static str, body: impl Into<axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Sets a header whose text is known to be one.
pub(crate) fn insert(
    headers: &mut axum::http::HeaderMap,
    name: axum::http::HeaderName,
    value: impl TryInto<HeaderValue>,
) {
    if let Ok(value) = value.try_into() {
        headers.insert(name, value);
    }
}
