//! Headers of responses.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Sets a header whose value is known to be valid.
pub(crate) fn insert(headers: &mut HeaderMap, name: HeaderName, value: impl TryInto<HeaderValue>) {
    if let Ok(value) = value.try_into() {
        headers.insert(name, value);
    }
}
