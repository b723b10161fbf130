//! Pinned items reach every later receiver: in the same list, with the same text, still pinned.
//!
//! Only the text is compared: an item that has been verified or has more evidence is progress.

use serde_json::Value;

use crate::document::{Members, pointer};
use crate::packet::{Packet, is_pinned, words_of};
use crate::violation::{Code, Violation, shorten};

/// Returns every pinned item of `parent` that `child` does not carry.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::chain::{carry, dropped};
///
/// let parent = json!({"constraints": [{"text": "Do not publish", "pinned": true}]});
/// let parent = Packet::from_value(parent).unwrap();
/// let mut members = serde_json::Map::new();
/// assert_eq!(dropped(&parent, &Packet::new(members.clone())).len(), 1);
///
/// carry(&parent, &mut members);
/// assert!(dropped(&parent, &Packet::new(members)).is_empty());
/// ```
pub fn dropped(parent: &Packet, child: &Packet) -> Vec<Violation> {
    let mut violations = Vec::new();
    each_pinned(parent.members(), &mut |path, entry| {
        let carried = list_at(child.members(), path).unwrap_or_default();
        if !carried.iter().any(|other| is_pinned(other) && is_same(other, entry)) {
            violations.push(violation(path, &words_of(entry).unwrap_or_default()));
        }
    });
    violations
}

/// Appends to `child` every pinned item of `parent` that it lacks.
///
/// An existing item with the same text is pinned again in place. A list written as one text becomes
/// a list. Any other value stays unchanged, and [`dropped`] reports the items.
pub fn carry(parent: &Packet, child: &mut Members) {
    let mut missing: Vec<(Path, Value)> = Vec::new();
    each_pinned(parent.members(), &mut |path, entry| missing.push((path, entry.clone())));
    for (path, value) in missing {
        if let Some(list) = list_to_fill(child, path) {
            pin(list, value);
        }
    }
}

/// A list of a packet: a member, or a member of a member (`scope.is_not`).
type Path<'p> = (&'p str, Option<&'p str>);

fn each_pinned<'p>(members: &'p Members, visit: &mut impl FnMut(Path<'p>, &'p Value)) {
    for (name, value) in members {
        match value {
            Value::Array(items) => pinned(items).for_each(|entry| visit((name, None), entry)),
            Value::Object(inner) => {
                for (inner_name, value) in inner {
                    let items = value.as_array().map_or(&[][..], Vec::as_slice);
                    pinned(items).for_each(|entry| visit((name, Some(inner_name)), entry));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn pinned(items: &[Value]) -> impl Iterator<Item = &Value> {
    items.iter().filter(|entry| is_pinned(entry))
}

fn is_same(one: &Value, other: &Value) -> bool {
    words_of(one).is_some() && words_of(one) == words_of(other)
}

fn list_at<'p>(members: &'p Members, (name, inner): Path<'_>) -> Option<&'p [Value]> {
    let value = members.get(name)?;
    let value = match inner {
        Some(inner) => value.get(inner)?,
        None => value,
    };
    value.as_array().map(Vec::as_slice)
}

fn list_to_fill<'m>(members: &'m mut Members, path: Path<'_>) -> Option<&'m mut Vec<Value>> {
    let (name, inner) = path;
    let value = match inner {
        None => members.entry(name).or_insert(Value::Null),
        Some(inner) => {
            let outer = members.entry(name).or_insert_with(|| Value::Object(Members::new()));
            outer.as_object_mut()?.entry(inner).or_insert(Value::Null)
        }
    };
    if value.is_null() {
        *value = Value::Array(Vec::new());
    } else if value.is_string() {
        *value = Value::Array(vec![value.take()]);
    }
    value.as_array_mut()
}

fn pin(list: &mut Vec<Value>, value: Value) {
    match list.iter_mut().find(|other| is_same(other, &value)) {
        Some(Value::Object(members)) => {
            members.insert("pinned".to_owned(), Value::Bool(true));
        }
        Some(plain) => *plain = value,
        None => list.push(value),
    }
}

fn violation((name, inner): Path<'_>, text: &str) -> Violation {
    let mut pointer = pointer::join("", name);
    let mut list = name.to_owned();
    if let Some(inner) = inner {
        pointer::push(&mut pointer, inner);
        list = format!("{name}.{inner}");
    }
    let shown = shorten::text(text);
    Violation::new(
        Code::PinnedDropped,
        pointer,
        format!("`{list}` drops the pinned item `{shown}`"),
    )
    .allowed("every pinned item of the previous packet, verbatim and pinned")
    .hint("add the item with its exact text and `pinned: true`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parent() -> Packet {
        let value = json!({
            "constraints": ["Be kind", {"text": "Do not publish", "pinned": true, "state": "assumed"}],
            "scope": {"is": "a scaffold", "is_not": [{"text": "a release", "pinned": true}]},
            "notes": [{"text": "not pinned"}],
        });
        Packet::from_value(value).unwrap()
    }

    fn check(child: Value, places: &[&str]) {
        let child = Packet::from_value(child).unwrap();
        let violations = dropped(&parent(), &child);
        let found: Vec<&str> = violations.iter().map(|v| v.pointer.as_str()).collect();
        assert_eq!(found, places);
    }

    #[test]
    fn a_pinned_item_must_be_in_the_same_list_verbatim_and_pinned() {
        let release = json!({"is_not": [{"text": "a release", "pinned": true}]});
        check(json!({}), &["/constraints", "/scope/is_not"]);
        check(json!({"scope": release, "constraints": ["Do not publish"]}), &["/constraints"]);
        check(
            json!({"scope": release, "constraints": [{"text": "do not publish", "pinned": true}]}),
            &["/constraints"],
        );
        check(
            json!({"scope": release, "notes": [{"text": "Do not publish", "pinned": true}]}),
            &["/constraints"],
        );
        let verified = json!([{"text": "Do not publish", "pinned": true, "state": "verified"}]);
        check(json!({"scope": release, "constraints": verified}), &[]);
    }

    #[test]
    fn carried_items_are_not_dropped() {
        for child in [
            json!({}),
            json!({"constraints": ["Do not publish", "Mine"], "scope": {"is": "more"}}),
            json!({"constraints": [{"text": "Do not publish", "state": "verified"}]}),
            json!({"constraints": "Mine", "scope": {"is_not": "a patch"}}),
        ] {
            let mut members = child.as_object().unwrap().clone();
            carry(&parent(), &mut members);
            let carried = Packet::new(members.clone());
            assert_eq!(dropped(&parent(), &carried), [], "{child}");
            carry(&parent(), &mut members);
            assert_eq!(Packet::new(members), carried, "carrying twice changes nothing");
        }
    }

    #[test]
    fn failed_approaches_and_expected_outputs_are_pinned_like_statements() {
        let approach = json!({"tried": "a retry", "result": "it hangs", "pinned": true});
        let output = json!({"name": "bundle", "pinned": true});
        let parent = json!({"failed_approaches": [approach], "expected_outputs": [output]});
        let parent = Packet::from_value(parent).unwrap();
        let mut members = Members::new();
        let found = dropped(&parent, &Packet::new(members.clone()));
        let places: Vec<&str> = found.iter().map(|violation| violation.pointer.as_str()).collect();
        assert_eq!(places, ["/failed_approaches", "/expected_outputs"]);
        carry(&parent, &mut members);
        assert_eq!(dropped(&parent, &Packet::new(members)), []);
    }

    #[test]
    fn own_items_stay_first_and_unchanged() {
        let mut members = json!({"constraints": ["Mine"]}).as_object().unwrap().clone();
        carry(&parent(), &mut members);
        assert_eq!(
            Value::Object(members),
            json!({
                "constraints": ["Mine", {"text": "Do not publish", "pinned": true, "state": "assumed"}],
                "scope": {"is_not": [{"text": "a release", "pinned": true}]},
            })
        );
    }

    #[test]
    fn the_message_contains_list_and_item() {
        let violations = dropped(&parent(), &Packet::new(Members::new()));
        insta::assert_snapshot!(violations[1], @"TK-PINNED-DROPPED: `scope.is_not` drops the pinned item `a release`");
    }
}
