//! The header `Idempotency-Key`: the same key and the same request have the same answer.
//!
//! What is remembered, for how long and in which scope is the engine's. Here is only how a key is
//! written, with or without quotes, and how an answer says that it was given before.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::problem::Problem;

/// The key of a request.
pub(crate) const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Says that the answer was given before.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The key that a caller sent; its form is the engine's to judge.
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

/// The header of an answer that was given before.
pub(crate) fn replayed() -> (HeaderName, HeaderValue) {
    (REPLAYED, HeaderValue::from_static("true"))
}

#[cfg(test)]
mod tests {
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
