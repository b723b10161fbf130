//! The differences between two packets, as a person would describe them.
//!
//! Members are compared by name and list items by content, so that a new item at the top of a list
//! is one change. The order of members is ignored, and `1` equals `1.0`.

use serde::Serialize;
use serde_json::{Number, Value};

use super::align::{MatchKind, align};
use crate::Members;
use crate::document::pointer;

/// One difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The kind of change.
    #[serde(rename = "op")]
    pub kind: ChangeKind,
    /// The place in the second packet; for a removed value, the place in the first.
    pub pointer: String,
    /// The place of a moved item in the first packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The value is new.
    Added,
    /// The value was removed.
    Removed,
    /// The value is different.
    Changed,
    /// The item moved within its list.
    Moved,
}

/// Returns the differences between two packets.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch::diff::{ChangeKind, diff};
///
/// let before = json!({"completed": ["a", "b"]});
/// let after = json!({"completed": ["new", "a", "b"]});
/// let changes = diff(&before, &after);
/// assert_eq!(changes.len(), 1);
/// assert_eq!(changes[0].kind, ChangeKind::Added);
/// assert_eq!(changes[0].pointer, "/completed/0");
/// ```
pub fn diff(before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(&mut changes, before, after, &Location::default());
    changes
}

/// Returns `true` if two values are equal as JSON: numbers by value, members in any order.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch::diff::same;
///
/// assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2.0, "a": 1})));
/// ```
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => is_same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        (left, right) => left == right,
    }
}

fn is_same_number(left: &Number, right: &Number) -> bool {
    // Integers are compared exactly: as floats, 2^53 and 2^53 + 1 are equal.
    if let (Some(left), Some(right)) = (left.as_i128(), right.as_i128()) {
        return left == right;
    }
    let (left, right) = (left.as_f64(), right.as_f64());
    left.partial_cmp(&right) == Some(std::cmp::Ordering::Equal)
}

/// The places of a value in both packets.
#[derive(Debug, Clone, Default)]
struct Location {
    before: String,
    after: String,
}

impl Location {
    fn member(&self, name: &str) -> Self {
        Self { before: pointer::join(&self.before, name), after: pointer::join(&self.after, name) }
    }

    fn item(&self, before: usize, after: usize) -> Self {
        Self {
            before: pointer::join(&self.before, &before.to_string()),
            after: pointer::join(&self.after, &after.to_string()),
        }
    }
}

impl Change {
    fn new(kind: ChangeKind, pointer: String) -> Self {
        Self { kind, pointer, from: None, before: None, after: None }
    }

    fn added(pointer: String, value: &Value) -> Self {
        Self { after: Some(value.clone()), ..Self::new(ChangeKind::Added, pointer) }
    }

    fn removed(pointer: String, value: &Value) -> Self {
        Self { before: Some(value.clone()), ..Self::new(ChangeKind::Removed, pointer) }
    }

    fn moved(place: Location, value: &Value) -> Self {
        Self {
            from: Some(place.before),
            before: Some(value.clone()),
            after: Some(value.clone()),
            ..Self::new(ChangeKind::Moved, place.after)
        }
    }
}

fn compare(changes: &mut Vec<Change>, before: &Value, after: &Value, place: &Location) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            compare_members(changes, before, after, place);
        }
        (Value::Array(before), Value::Array(after)) => {
            compare_items(changes, before, after, place);
        }
        _ if same(before, after) => {}
        _ => changes.push(Change {
            before: Some(before.clone()),
            after: Some(after.clone()),
            ..Change::new(ChangeKind::Changed, place.after.clone())
        }),
    }
}

fn compare_members(changes: &mut Vec<Change>, before: &Members, after: &Members, place: &Location) {
    for (name, old) in before {
        let place = place.member(name);
        match after.get(name) {
            Some(new) => compare(changes, old, new, &place),
            None => changes.push(Change::removed(place.before, old)),
        }
    }
    for (name, new) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        changes.push(Change::added(place.member(name).after, new));
    }
}

fn compare_items(changes: &mut Vec<Change>, before: &[Value], after: &[Value], place: &Location) {
    let mut partners = vec![None; after.len()];
    let mut is_gone = vec![true; before.len()];
    for pair in align(before, after) {
        partners[pair.after] = Some(pair);
        is_gone[pair.before] = false;
    }
    for (index, old) in before.iter().enumerate().filter(|(index, _)| is_gone[*index]) {
        changes.push(Change::removed(place.item(index, index).before, old));
    }
    for (index, (new, partner)) in after.iter().zip(partners).enumerate() {
        let Some(pair) = partner else {
            changes.push(Change::added(place.item(index, index).after, new));
            continue;
        };
        let place = place.item(pair.before, index);
        match pair.kind {
            MatchKind::Kept => {}
            MatchKind::Moved => changes.push(Change::moved(place, new)),
            MatchKind::Edited => compare(changes, &before[pair.before], new, &place),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::write::arbitrary;

    #[test]
    fn members_are_compared_by_name_and_numbers_by_value() {
        check(&json!({"a": 1, "b": 2}), &json!({"b": 2.0, "a": 1}), &[]);
        check(
            &json!({"a": 1, "b": {"c/d": 1, "e": null}}),
            &json!({"b": {"c/d": "1"}, "f": []}),
            &["removed /a: 1", "changed /b/c~1d: 1 to \"1\"", "removed /b/e: null", "added /f: []"],
        );
        check(&json!([1]), &json!({}), &["changed : [1] to {}"]);
    }

    #[test]
    fn items_are_compared_by_content() {
        check(&json!(["a", "b"]), &json!(["x", "a", "b"]), &["added /0: \"x\""]);
        check(&json!(["a", "b", "c"]), &json!(["b", "c"]), &["removed /0: \"a\""]);
        check(&json!(["a", "b", "c"]), &json!(["c", "a", "b"]), &["moved /0: from /2"]);
        check(&json!(["a"]), &json!(["b"]), &["removed /0: \"a\"", "added /0: \"b\""]);
    }

    #[test]
    fn an_edited_item_is_a_change_inside() {
        check(
            &json!({"acceptance": ["old", {"id": "t", "text": "pass", "run": "npm test"}]}),
            &json!({"acceptance": [{"id": "t", "text": "all pass", "pinned": true}]}),
            &[
                "removed /acceptance/0: \"old\"",
                "changed /acceptance/0/text: \"pass\" to \"all pass\"",
                "removed /acceptance/1/run: \"npm test\"",
                "added /acceptance/0/pinned: true",
            ],
        );
        check(
            &json!(["a"]),
            &json!([{"text": "a", "state": "verified"}]),
            &["changed /0: \"a\" to {\"text\":\"a\",\"state\":\"verified\"}"],
        );
    }

    #[test]
    fn a_change_is_serialized_with_its_op() {
        let changes = diff(&json!({"a": null}), &json!({"a": 1}));
        let expected = json!([{"op": "changed", "pointer": "/a", "before": null, "after": 1}]);
        assert_eq!(serde_json::to_value(changes).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn only_equal_values_have_no_changes(
            left in arbitrary::alike(),
            right in arbitrary::alike(),
        ) {
            prop_assert!(diff(&left, &left).is_empty());
            prop_assert_eq!(diff(&left, &right).is_empty(), same(&left, &right));
        }

        #[test]
        fn pointers_refer_to_the_two_packets(
            left in arbitrary::alike(),
            right in arbitrary::alike(),
        ) {
            for change in diff(&left, &right) {
                if change.kind == ChangeKind::Removed {
                    prop_assert_eq!(left.pointer(&change.pointer), change.before.as_ref());
                } else {
                    prop_assert_eq!(right.pointer(&change.pointer), change.after.as_ref());
                }
                if let Some(from) = &change.from {
                    prop_assert_eq!(left.pointer(from), change.before.as_ref());
                }
            }
        }
    }

    fn check(before: &Value, after: &Value, expected: &[&str]) {
        let shown: Vec<_> = diff(before, after).iter().map(show).collect();
        assert_eq!(shown, expected);
    }

    fn show(change: &Change) -> String {
        let text = |value: &Option<Value>| value.as_ref().unwrap().to_string();
        let pointer = &change.pointer;
        match change.kind {
            ChangeKind::Added => format!("added {pointer}: {}", text(&change.after)),
            ChangeKind::Removed => format!("removed {pointer}: {}", text(&change.before)),
            ChangeKind::Changed => {
                format!("changed {pointer}: {} to {}", text(&change.before), text(&change.after))
            }
            ChangeKind::Moved => format!("moved {pointer}: from {}", change.from.as_ref().unwrap()),
        }
    }
}
