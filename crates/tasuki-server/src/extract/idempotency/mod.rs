//! The header `Idempotency-Key`: the same key and the same request have the same response.
//!
//! The engine keeps the records, and decides for how long and in which scope. This module parses the key,
//! with or without quotes; `replay` answers a request that was handled before.

pub(crate) mod replay;

use axum::http::{HeaderMap, HeaderName};
use tasuki_engine::model::idempotency::check_key;
use tasuki_packet::canonical::digest_of_bytes;

use crate::operation::Operation;
use crate::respond::problem::Problem;

/// The key of a request.
pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Returns the key that a caller sent; the engine validates it.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut sent = headers.get_all(KEY).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    if sent.next().is_some() {
        return Err(Problem::argument("a request has one `Idempotency-Key`"));
    }
    let text =
        value.to_str().ok().ok_or_else(|| Problem::argument("`Idempotency-Key` is not ASCII"))?;
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    Ok(Some(inner.unwrap_or(text).to_owned()))
}

/// Refuses a key for an operation that is never replayed: the caller would rely on it.
pub(crate) fn check_supported(operation: &Operation, headers: &HeaderMap) -> Result<(), Problem> {
    if !operation.is_never_replayed() || !headers.contains_key(KEY) {
        return Ok(());
    }
    Err(Problem::argument("`Idempotency-Key` does not count here")
        .hint("this is done each time it is asked for; leave it out, and do not ask again by rote"))
}

/// Returns the key of a batch. No command has it, so it is validated here.
pub(crate) fn key_of_batch(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let key = key(headers)?;
    key.as_deref().map_or(Ok(()), check_key)?;
    Ok(key)
}

/// The key of the request at an index of a batch that has none of its own.
pub(crate) fn key_within(batch: &str, at: usize) -> String {
    format!("batch:{}:{at}", digest_of_bytes(batch.as_bytes()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_key_may_be_quoted_and_comes_once() {
        let mut headers = HeaderMap::new();
        assert_eq!(key(&headers).unwrap(), None);
        headers.insert(KEY, HeaderValue::from_static("\"a-1\""));
        assert_eq!(key(&headers).unwrap().as_deref(), Some("a-1"));
        headers.insert(KEY, HeaderValue::from_static("a-1"));
        assert_eq!(key(&headers).unwrap().as_deref(), Some("a-1"));
        headers.append(KEY, HeaderValue::from_static("a-2"));
        assert_eq!(key(&headers).unwrap_err().status(), 422);
    }
}
