//! Canonical JSON (RFC 8785): the exact bytes that are hashed and signed, and their digest.
//!
//! Objects, texts and whole numbers are written directly, because every packet and every leaf is
//! canonicalized. Other numbers go through `serde_json_canonicalizer`. A property test compares the
//! two.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

use crate::document::Members;
use crate::document::escape::{hex, write_text};

/// The largest integer that a double represents exactly, 2^53 - 1.
const WHOLE_MAX: u64 = (1 << 53) - 1;

/// Returns the canonical bytes of a value (RFC 8785): sorted members, no white space, one form per
/// number.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::canonical;
///
/// assert_eq!(canonical::bytes(&json!({"b": 1.0, "a": [true]})), br#"{"a":[true],"b":1}"#);
/// ```
///
/// # Panics
///
/// Never for a value that a reader of this crate produced: it holds only numbers that JSON can
/// write.
pub fn bytes(value: &Value) -> Vec<u8> {
    let mut writer = Writer::with_capacity(1024);
    writer.value(value);
    writer.written
}

/// Returns the canonical bytes of an object, given its members.
///
/// # Panics
///
/// Same as [`bytes`].
pub fn bytes_of_members(members: &Members) -> Vec<u8> {
    let mut writer = Writer::with_capacity(4096);
    writer.members(members);
    writer.written
}

/// Writes one value.
struct Writer<'v> {
    written: Vec<u8>,
    /// The sorted members of every open object, inner after outer, in one allocation.
    sorted: Vec<Member<'v>>,
}

/// A member of an object that is being sorted.
#[derive(Clone, Copy)]
struct Member<'v> {
    /// The first bytes of the name as a number. They decide most comparisons.
    start: u64,
    name: &'v str,
    value: &'v Value,
}

impl<'v> Writer<'v> {
    fn with_capacity(bytes: usize) -> Self {
        Self { written: Vec::with_capacity(bytes), sorted: Vec::with_capacity(64) }
    }

    fn value(&mut self, value: &'v Value) {
        match value {
            Value::Null => self.written.extend(b"null"),
            Value::Bool(true) => self.written.extend(b"true"),
            Value::Bool(false) => self.written.extend(b"false"),
            Value::Number(number) => write_number(number, &mut self.written),
            Value::String(text) => write_text(text, &mut self.written),
            Value::Array(items) => {
                self.written.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.written.push(b',');
                    }
                    self.value(item);
                }
                self.written.push(b']');
            }
            Value::Object(members) => self.members(members),
        }
    }

    fn members(&mut self, members: &'v Members) {
        let first = self.sorted.len();
        self.sorted.extend(members.iter().map(|(name, value)| Member::new(name, value)));
        sort(&mut self.sorted[first..]);
        self.written.push(b'{');
        for index in first..first + members.len() {
            if index > first {
                self.written.push(b',');
            }
            let Member { name, value, .. } = self.sorted[index];
            write_text(name, &mut self.written);
            self.written.push(b':');
            self.value(value);
        }
        self.written.push(b'}');
        self.sorted.truncate(first);
    }
}

impl<'v> Member<'v> {
    fn new(name: &'v str, value: &'v Value) -> Self {
        let bytes = name.as_bytes();
        let start = bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            padded
        });
        Self { start: u64::from_be_bytes(start), name, value }
    }
}

/// Sorts by the UTF-16 code units of the names, which for ASCII are its bytes.
fn sort(members: &mut [Member<'_>]) {
    if members.iter().all(|member| member.name.is_ascii()) {
        members.sort_unstable_by(|one, other| {
            one.start.cmp(&other.start).then_with(|| one.name.cmp(other.name))
        });
    } else {
        members
            .sort_unstable_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
    }
}

fn write_number(number: &Number, written: &mut Vec<u8>) {
    let whole = number.as_i64().filter(|whole| whole.unsigned_abs() <= WHOLE_MAX);
    match whole {
        Some(whole) => written.extend(whole.to_string().as_bytes()),
        None => serde_json_canonicalizer::to_writer(number, written)
            .expect("a JSON number has a canonical form"),
    }
}

/// Returns the digest of a value: `sha256:` and 64 hex digits.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::canonical::digest;
///
/// // The order of members does not change the digest.
/// assert_eq!(digest(&json!({"a": 1, "b": 2})), digest(&json!({"b": 2, "a": 1})));
/// ```
pub fn digest(value: &Value) -> String {
    digest_of_bytes(&bytes(value))
}

/// Returns the digest of canonical bytes.
///
/// # Panics
///
/// Never: hex digits are ASCII.
pub fn digest_of_bytes(canonical_bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(71);
    text.extend_from_slice(b"sha256:");
    for byte in Sha256::digest(canonical_bytes) {
        text.extend_from_slice(&hex(byte));
    }
    String::from_utf8(text).expect("hex digits are ASCII")
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    pub(crate) fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            any::<String>(),
            "[\\x00-\\x7f]{0,8}",
            "[ab]{7,10}",
            "[\u{d7ff}\u{e000}\u{10000}a]{0,3}",
        ];
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
        fn bytes_match_the_reference_library(value in any_value()) {
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
    fn members_are_written_like_the_object_that_holds_them() {
        let value = json!({"b": [1, {"z": null, "a": "\u{1f}"}], "a": 0.1});
        let Value::Object(members) = &value else { unreachable!() };
        assert_eq!(bytes_of_members(members), bytes(&value));
    }
}
