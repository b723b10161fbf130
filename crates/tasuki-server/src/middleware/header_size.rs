//! Limits the size of request headers.
//!
//! The limit of the HTTP library applies to each read rather than to each request, and refuses
//! without an explanation. This limit is exact and returns a problem document.

use axum::extract::Request;

use crate::respond::problem::Problem;

/// LIMIT: total bytes of the request target and the headers.
pub(crate) const BYTES_MAX: usize = 64 * 1024;

/// Refuses a request with larger headers.
pub(crate) fn check(request: &Request) -> Result<(), Problem> {
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        name.as_str().len() + value.len()
    };
    let address = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
    let bytes = address + request.headers().iter().map(header).sum::<usize>();
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    let detail = format!("request target and headers have {bytes} bytes; the limit is {BYTES_MAX}");
    Err(Problem::argument(detail).hint("send long values in the body"))
}
