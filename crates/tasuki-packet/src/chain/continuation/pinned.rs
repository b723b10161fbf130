//! Replaces a value without losing its pinned items.
//!
//! A pinned item reaches every later receiver verbatim, even if a checkpoint rewrites its list. As
//! in `chain::pinned`, such a list is a member, or a member of a member.

use std::collections::HashMap;

use serde_json::Value;

use crate::document::Members;
pub(super) use crate::packet::is_pinned;
use crate::packet::words_of;

/// Returns `new` with every pinned item of `old` preserved.
///
/// If `new` cannot hold items, `old` is kept.
pub(super) fn replacement(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Array(items), _) if has_pinned(old) => list_replacement(items, new),
        (Value::Object(inner), Value::Object(given)) => object_replacement(inner, given),
        (Value::Object(inner), _) if inner.values().any(has_pinned) => old.clone(),
        _ => new.clone(),
    }
}

fn has_pinned(list: &Value) -> bool {
    list.as_array().is_some_and(|entries| entries.iter().any(is_pinned))
}

fn object_replacement(old: &Members, given: &Members) -> Value {
    let mut members = given.clone();
    for (name, list) in old.iter().filter(|(_, value)| has_pinned(value)) {
        let new = replacement(list, given.get(name).unwrap_or(&Value::Null));
        members.insert(name.clone(), new);
    }
    Value::Object(members)
}

fn list_replacement(old: &[Value], new: &Value) -> Value {
    let mut entries = match new {
        Value::Array(entries) => entries.clone(),
        Value::Null => Vec::new(),
        Value::String(_) => vec![new.clone()],
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => return Value::from(old.to_vec()),
    };
    let mut places = places_by_text(&entries);
    for item in old.iter().filter(|entry| is_pinned(entry)) {
        // Removed from the index, because two pinned items may have the same text and each needs a
        // position.
        let place = words_of(item).and_then(|words| places.remove(&words));
        match place.and_then(|place| entries.get_mut(place)) {
            Some(same) => *same = item.clone(),
            None => entries.push(item.clone()),
        }
    }
    Value::Array(entries)
}

fn places_by_text(entries: &[Value]) -> HashMap<String, usize> {
    let items = entries.iter().enumerate();
    items.filter_map(|(place, entry)| Some((words_of(entry)?, place))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_new_list_keeps_pinned_items() {
        let pinned = json!({"text": "b", "pinned": true, "state": "assumed"});
        let old = json!(["a", pinned]);
        for (new, expected) in [
            (json!(["c"]), json!(["c", pinned])),
            (json!(["b", "c"]), json!([pinned, "c"])),
            (json!([{"text": "b", "state": "verified"}]), json!([pinned])),
            (json!("c"), json!(["c", pinned])),
            (json!(null), json!([pinned])),
            (json!(7), old.clone()),
            (json!({}), old.clone()),
        ] {
            assert_eq!(replacement(&old, &new), expected, "{new}");
        }
    }

    #[test]
    fn a_new_object_keeps_the_pinned_items_of_its_lists() {
        let pinned = json!({"text": "b", "pinned": true});
        let old = json!({"model": "m", "sources": ["a", pinned]});
        for (new, expected) in [
            (json!({}), json!({"sources": [pinned]})),
            (json!({"sources": ["c"]}), json!({"sources": ["c", pinned]})),
            (json!("none"), old.clone()),
        ] {
            assert_eq!(replacement(&old, &new), expected, "{new}");
        }
    }

    #[test]
    fn without_pins_the_new_value_is_unchanged() {
        for old in [json!(["a", {"text": "b"}]), json!({"a": ["b"]}), json!("a"), json!(null)] {
            for new in [json!(["c"]), json!({"c": 1}), json!(7), json!("c")] {
                assert_eq!(replacement(&old, &new), new, "{old}");
            }
        }
    }
}
