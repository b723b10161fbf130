//! Headers that every response has, for browsers.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

/// What every answer says to browsers: keep nothing, guess nothing, show nothing of others.
const HARDENING: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// Adds them, where the response has none of its own.
pub(crate) fn hardened(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HARDENING {
        headers.entry(name).or_insert(value);
    }
    response
}
