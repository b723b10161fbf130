//! Pinned entries of lists, whatever their shape.
//!
//! A statement is recognized by its text, a failed approach by what was tried and its result, and an
//! expected output by its name.

use serde_json::Value;

use crate::document::{Members, member};

/// Returns `true` if every later receiver must get this entry of a list verbatim.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::packet::is_pinned;
///
/// assert!(is_pinned(&json!({"tried": "a retry", "result": "it hangs", "pinned": true})));
/// assert!(!is_pinned(&json!("a text cannot be pinned")));
/// ```
pub fn is_pinned(entry: &Value) -> bool {
    let pinned = entry.as_object().and_then(|members| member(members, "pinned"));
    pinned == Some(&Value::Bool(true)) && words_of(entry).is_some()
}

/// Returns the words by which an entry is recognized in a later packet.
pub(crate) fn words_of(entry: &Value) -> Option<String> {
    let members = match entry {
        Value::String(text) => return Some(text.clone()),
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let text = |name: &str| member(members, name).and_then(Value::as_str);
    text("text").map(str::to_owned).or_else(|| approach(members)).or_else(|| {
        let name = text("name")?;
        Some(name.to_owned())
    })
}

/// Returns a failed approach as one sentence.
fn approach(members: &Members) -> Option<String> {
    let tried = member(members, "tried")?.as_str()?;
    Some(match member(members, "result").and_then(Value::as_str) {
        Some(result) => format!("{tried}: {result}"),
        None => tried.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_of_an_entry_can_be_pinned() {
        for (entry, words) in [
            (json!({"text": "Keep the API", "pinned": true}), "Keep the API"),
            (
                json!({"tried": "a retry", "result": "it hangs", "pinned": true}),
                "a retry: it hangs",
            ),
            (json!({"name": "bundle", "schema": {}, "pinned": true}), "bundle"),
        ] {
            assert!(is_pinned(&entry), "{entry}");
            assert_eq!(words_of(&entry).as_deref(), Some(words));
        }
        for entry in [json!("text"), json!({"text": "a", "pinned": false}), json!({"pinned": true})]
        {
            assert!(!is_pinned(&entry), "{entry}");
        }
    }
}
