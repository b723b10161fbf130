//! How large the headers of a request may be.
//!
//! The library that reads HTTP has a limit of its own, which holds for what it has read at once and not for
//! each request, and refuses without a word. This one is exact, and explains itself.

use axum::extract::Request;

use crate::respond::problem::Problem;

/// LIMIT: what the address and the headers of a request may have together.
pub(crate) const BYTES_MAX: usize = 64 * 1024;

/// Refuses a request with more than that.
pub(crate) fn check(request: &Request) -> Result<(), Problem> {
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        name.as_str().len() + value.len()
    };
    let address = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
    let bytes = address + request.headers().iter().map(header).sum::<usize>();
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    let detail = format!("address and headers have {bytes} bytes, and may have {BYTES_MAX}");
    Err(Problem::argument(detail).hint("what is long belongs into the body"))
}
