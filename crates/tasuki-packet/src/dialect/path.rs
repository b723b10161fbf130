//! Access to nested members by a path of names, preserving their order.
//!
//! Taking a value also removes the objects that it leaves empty, and putting it back creates them
//! again. After taking, only unused members remain. An object that was empty from the start stays,
//! because its presence is information.

use serde_json::Value;

use crate::document::{Members, pointer};

pub(super) fn get<'m>(members: &'m Members, path: &[&str]) -> Option<&'m Value> {
    let (first, rest) = path.split_first()?;
    let value = members.get(*first)?;
    if rest.is_empty() { Some(value) } else { get(value.as_object()?, rest) }
}

/// Removes the value at `path`, with the objects that it leaves empty.
pub(super) fn take(members: &mut Members, path: &[&str]) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return members.shift_remove(*first);
    }
    let inner = members.get_mut(*first)?.as_object_mut()?;
    let taken = take(inner, rest)?;
    if inner.is_empty() {
        members.shift_remove(*first);
    }
    Some(taken)
}

/// Puts a value at `path`, and creates the objects on the way to it.
///
/// An existing value on the path is replaced. No two paths of one table overlap, so this never
/// happens.
pub(super) fn put(members: &mut Members, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        members.insert((*first).to_owned(), value);
        return;
    }
    let inner = members.entry(*first).or_insert_with(|| Value::Object(Members::new()));
    if !inner.is_object() {
        *inner = Value::Object(Members::new());
    }
    if let Value::Object(inner) = inner {
        put(inner, rest, value);
    }
}

/// Adds missing members, object by object, and returns those whose place is taken.
pub(super) fn merge(into: &mut Members, from: Members) -> Members {
    let mut refused = Members::new();
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (None, value) => {
                into.insert(name, value);
            }
            (Some(Value::Object(inner)), Value::Object(more)) if !more.is_empty() => {
                let rest = merge(inner, more);
                if !rest.is_empty() {
                    refused.insert(name, Value::Object(rest));
                }
            }
            (Some(_), value) => {
                refused.insert(name, value);
            }
        }
    }
    refused
}

pub(super) fn pointer_of(path: &[&str]) -> String {
    let mut text = String::new();
    for name in path {
        pointer::push(&mut text, name);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: &Value) -> Members {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn taking_leaves_objects_that_were_already_empty() {
        let mut document = members(&json!({"a": {"b": {"c": 1}}, "d": {"e": {}, "f": 2}}));
        assert_eq!(take(&mut document, &["a", "b", "c"]), Some(json!(1)));
        assert_eq!(take(&mut document, &["d", "f"]), Some(json!(2)));
        assert_eq!(take(&mut document, &["d", "e", "g"]), None);
        assert_eq!(document, members(&json!({"d": {"e": {}}})));

        put(&mut document, &["a", "b", "c"], json!(1));
        assert_eq!(get(&document, &["a", "b", "c"]), Some(&json!(1)));
    }

    #[test]
    fn merging_never_overwrites() {
        let mut document = members(&json!({"a": {"b": 1}, "c": 2}));
        let more = members(&json!({"a": {"b": 9, "d": 3}, "c": {}, "e": 4}));
        assert_eq!(merge(&mut document, more), members(&json!({"a": {"b": 9}, "c": {}})));
        assert_eq!(document, members(&json!({"a": {"b": 1, "d": 3}, "c": 2, "e": 4})));
    }
}
