//! The differences between two packets as RFC 6902 operations.

use serde_json::{Value, json};

use super::align::{MatchKind, align, longest_increasing};
use super::same;
use crate::Members;
use crate::document::pointer;

/// Returns the operations that turn `before` into `after`, ignoring the order of members.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch::diff::to_patch;
///
/// let patch = to_patch(&json!({"completed": ["a"]}), &json!({"completed": ["a", "b"]}));
/// assert_eq!(patch, json!([{"op": "add", "path": "/completed/1", "value": "b"}]));
/// ```
pub fn to_patch(before: &Value, after: &Value) -> Value {
    let mut operations = Vec::new();
    patch_value(&mut operations, before, after, "");
    Value::Array(operations)
}

fn patch_value(operations: &mut Vec<Value>, before: &Value, after: &Value, path: &str) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            patch_members(operations, before, after, path);
        }
        (Value::Array(before), Value::Array(after)) => {
            patch_items(operations, before, after, path);
        }
        _ if same(before, after) => {}
        _ => operations.push(json!({"op": "replace", "path": path, "value": after})),
    }
}

fn patch_members(operations: &mut Vec<Value>, before: &Members, after: &Members, path: &str) {
    for (name, old) in before {
        let path = pointer::join(path, name);
        match after.get(name) {
            Some(new) => patch_value(operations, old, new, &path),
            None => operations.push(json!({"op": "remove", "path": path})),
        }
    }
    for (name, new) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        operations.push(json!({"op": "add", "path": pointer::join(path, name), "value": new}));
    }
}

/// Removes items from the end, so that no index shifts. Then edits and adds from the start, so that
/// every index is that of the new list.
fn patch_items(operations: &mut Vec<Value>, before: &[Value], after: &[Value], path: &str) {
    let mut staying: Vec<_> = align(before, after)
        .into_iter()
        .filter(|pair| pair.kind != MatchKind::Moved)
        .map(|pair| (pair.before, pair.after))
        .collect();
    staying.sort_unstable();
    let mut partners = vec![None; after.len()];
    let mut is_staying = vec![false; before.len()];
    for (old, new) in longest_increasing(&staying) {
        partners[new] = Some(old);
        is_staying[old] = true;
    }
    for index in (0..before.len()).rev().filter(|index| !is_staying[*index]) {
        let path = pointer::join(path, &index.to_string());
        operations.push(json!({"op": "remove", "path": path}));
    }
    for (index, (new, partner)) in after.iter().zip(partners).enumerate() {
        let path = pointer::join(path, &index.to_string());
        match partner {
            Some(old) => patch_value(operations, &before[old], new, &path),
            None => operations.push(json!({"op": "add", "path": path, "value": new})),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::patch;
    use crate::write::arbitrary;

    #[test]
    fn a_patch_changes_only_what_differs() {
        check(
            &json!({"list": ["a", "b", {"id": "x", "n": 1}], "gone": 1, "kept": [1]}),
            &json!({"list": ["b", {"id": "x", "n": 2}, "c"], "kept": [1.0], "new": {}}),
            &json!([
                {"op": "remove", "path": "/list/0"},
                {"op": "replace", "path": "/list/1/n", "value": 2},
                {"op": "add", "path": "/list/2", "value": "c"},
                {"op": "remove", "path": "/gone"},
                {"op": "add", "path": "/new", "value": {}},
            ]),
        );
        check(&json!(1), &json!({}), &json!([{"op": "replace", "path": "", "value": {}}]));
        check(&json!({"a": 1}), &json!({"a": 1}), &json!([]));
    }

    proptest! {
        #[test]
        fn the_patch_turns_the_first_into_the_second(
            before in arbitrary::alike(),
            after in arbitrary::alike(),
        ) {
            prop_assert_eq!(patched(&before, &after), after);
        }

        #[test]
        fn the_patch_works_for_any_names_and_texts(
            before in arbitrary::value(),
            after in arbitrary::value(),
        ) {
            let patched = patched(&before, &after);
            prop_assert!(same(&patched, &after), "{} is not {}", patched, after);
        }
    }

    fn check(before: &Value, after: &Value, expected: &Value) {
        assert_eq!(to_patch(before, after), *expected);
        assert!(same(&patched(before, after), after));
    }

    fn patched(before: &Value, after: &Value) -> Value {
        let mut patched = before.clone();
        patch::apply(&mut patched, &to_patch(before, after)).unwrap();
        patched
    }
}
