//! Compact JSON with members in their order: the text that an exchange stores.
//!
//! It is byte for byte what `serde_json` writes, which a property test checks, but faster: plain
//! texts are copied whole. `canonical` writes the bytes that are hashed and signed.

use std::io::Write as _;

use serde_json::Value;

use crate::Members;
use crate::document::escape::write_text;

/// Writes a packet as compact JSON.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write;
///
/// let packet = json!({"goal": "Ship it", "completed": []});
/// let text = write::compact(packet.as_object().unwrap());
/// assert_eq!(text, r#"{"goal":"Ship it","completed":[]}"#);
/// ```
///
/// # Panics
///
/// Never: the output is UTF-8.
pub fn compact(members: &Members) -> String {
    let mut written = Vec::with_capacity(4096);
    write_members(members, &mut written);
    String::from_utf8(written).expect("texts and the ASCII between them are UTF-8")
}

fn write_members(members: &Members, written: &mut Vec<u8>) {
    written.push(b'{');
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            written.push(b',');
        }
        write_text(name, written);
        written.push(b':');
        write_value(value, written);
    }
    written.push(b'}');
}

fn write_value(value: &Value, written: &mut Vec<u8>) {
    match value {
        Value::Null => written.extend(b"null"),
        Value::Bool(true) => written.extend(b"true"),
        Value::Bool(false) => written.extend(b"false"),
        Value::Number(number) => {
            write!(written, "{number}").expect("writing to a vector cannot fail");
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::canonical::tests::any_value;

    proptest! {
        #[test]
        fn the_text_matches_the_reference_library(value in any_value()) {
            let members = Members::from_iter([("name \n".to_owned(), value)]);
            prop_assert_eq!(compact(&members), serde_json::to_string(&members).unwrap());
        }
    }
}
