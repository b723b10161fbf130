//! The exact bytes that are hashed and signed: RFC 8785, and the digest over them.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The canonical bytes of a value (RFC 8785): members sorted, no white space, one form per number.
///
/// # Panics
///
/// Never for a value that a reader of this crate has produced: such values hold no number that
/// JSON cannot write.
pub fn bytes(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("a JSON value has a canonical form")
}

/// The digest of a value as people and interfaces see it: `sha256:` and 64 hex digits.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::canonical::digest;
///
/// // The order of members is not part of what is signed.
/// assert_eq!(digest(&json!({"a": 1, "b": 2})), digest(&json!({"b": 2, "a": 1})));
/// ```
pub fn digest(value: &Value) -> String {
    digest_of_bytes(&bytes(value))
}

/// The same for a caller that has the canonical bytes.
pub fn digest_of_bytes(canonical_bytes: &[u8]) -> String {
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in Sha256::digest(canonical_bytes) {
        text.push(char::from(HEX[usize::from(byte >> 4)]));
        text.push(char::from(HEX[usize::from(byte & 15)]));
    }
    text
}

const HEX: &[u8; 16] = b"0123456789abcdef";
