//! The exact bytes that are hashed and signed: RFC 8785, and the digest over them.
//!
//! Every packet and every leaf comes through here, so objects, texts and whole numbers are written
//! by hand; other numbers, which are rare and hard, by `serde_json_canonicalizer`. A property test
//! holds the two against each other.

use std::cmp::Ordering;

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

use crate::packet::Members;

/// Beyond it a double no longer tells whole numbers apart.
const WHOLE_MAX: u64 = (1 << 53) - 1;

/// The canonical bytes of a value (RFC 8785): members sorted, no white space, one form per number.
///
/// # Panics
///
/// Never for a value that a reader of this crate has produced: such values hold no number that
/// JSON cannot write.
pub fn bytes(value: &Value) -> Vec<u8> {
    let mut written = Vec::with_capacity(1024);
    write_value(value, &mut written);
    written
}

/// The same for the members of an object.
///
/// # Panics
///
/// As [`bytes`].
pub fn bytes_of_members(members: &Members) -> Vec<u8> {
    let mut written = Vec::with_capacity(4096);
    write_members(members, &mut written);
    written
}

fn write_value(value: &Value, written: &mut Vec<u8>) {
    match value {
        Value::Null => written.extend(b"null"),
        Value::Bool(true) => written.extend(b"true"),
        Value::Bool(false) => written.extend(b"false"),
        Value::Number(number) => write_number(number, written),
        Value::String(text) => write_text(text, written),
        Value::Array(items) => {
            written.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    written.push(b',');
                }
                write_value(item, written);
            }
            written.push(b']');
        }
        Value::Object(members) => write_members(members, written),
    }
}

fn write_members(members: &Members, written: &mut Vec<u8>) {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by(|(one, _), (other, _)| by_utf16(one, other));
    written.push(b'{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            written.push(b',');
        }
        write_text(name, written);
        written.push(b':');
        write_value(value, written);
    }
    written.push(b'}');
}

/// Names are sorted by their UTF-16 code units, which for ASCII are its bytes.
fn by_utf16(one: &str, other: &str) -> Ordering {
    if one.is_ascii() && other.is_ascii() {
        return one.cmp(other);
    }
    one.encode_utf16().cmp(other.encode_utf16())
}

fn write_number(number: &Number, written: &mut Vec<u8>) {
    let whole = number.as_i64().filter(|whole| whole.unsigned_abs() <= WHOLE_MAX);
    match whole {
        Some(whole) => written.extend(whole.to_string().as_bytes()),
        None => serde_json_canonicalizer::to_writer(number, written)
            .expect("a JSON number has a canonical form"),
    }
}

/// Writes a text in quotes.
pub(crate) fn write_text(text: &str, written: &mut Vec<u8>) {
    written.push(b'"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        written.extend(&text.as_bytes()[plain_from..at]);
        write_escape(byte, written);
        plain_from = at + 1;
    }
    written.extend(&text.as_bytes()[plain_from..]);
    written.push(b'"');
}

fn write_escape(byte: u8, written: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            written.extend(b"\\u00");
            written.extend(hex(byte));
            return;
        }
    };
    written.extend([b'\\', short]);
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
        text.extend(hex(byte).map(char::from));
    }
    text
}

/// The two lower-case hex digits of a byte.
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let text =
            prop_oneof![any::<String>(), "[\\x00-\\x7f]{0,8}", "[\u{d7ff}\u{e000}\u{10000}a]{0,3}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1000_i64..1000).prop_map(Value::from),
            any::<f64>().prop_filter_map("JSON has no such number", |float| {
                Number::from_f64(float).map(Value::Number)
            }),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_what_the_library_writes(value in any_value()) {
            let expected = serde_json_canonicalizer::to_vec(&value).unwrap();
            prop_assert_eq!(String::from_utf8(bytes(&value)), String::from_utf8(expected));
        }
    }

    #[test]
    fn every_control_character_has_its_escape() {
        let text: String = (0_u8..=0x7f).map(char::from).collect();
        let expected = serde_json_canonicalizer::to_vec(&text).unwrap();
        assert_eq!(bytes(&json!(text)), expected);
    }

    #[test]
    fn members_are_written_as_the_object_they_are() {
        let value = json!({"b": [1, {"z": null, "a": "\u{1f}"}], "a": 0.1});
        let Value::Object(members) = &value else { unreachable!() };
        assert_eq!(bytes_of_members(members), bytes(&value));
    }
}
