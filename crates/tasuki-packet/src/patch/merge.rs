//! Applies RFC 7396 merge patches, which look like the object they change.

use serde_json::Value;

use crate::Members;

/// Applies an RFC 7396 merge patch: members replace, `null` removes, lists are replaced whole.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch;
///
/// let mut packet = json!({"goal": "Ship it", "status": "in_progress"});
/// patch::merge(&mut packet, &json!({"goal": null, "status": "blocked"}));
/// assert_eq!(packet, json!({"status": "blocked"}));
/// ```
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    let mut members = Members::new();
    if let Value::Object(old) = target {
        members = std::mem::take(old);
    }
    for (name, change) in changes {
        if change.is_null() {
            members.shift_remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Value::Null), change);
        }
    }
    *target = Value::Object(members);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::write::arbitrary;

    #[test]
    fn merge_patches_do_what_rfc_7396_shows() {
        for (original, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"a": "foo"}), json!(null), json!(null)),
            (json!({"a": "foo"}), json!("bar"), json!("bar")),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut target = original.clone();
            merge(&mut target, &patch);
            assert_eq!(target, result, "{original} with {patch}");
        }
    }

    #[test]
    fn members_keep_their_order() {
        let mut target = json!({"a": 1, "b": 2, "c": 3, "d": 4});
        merge(&mut target, &json!({"b": 5, "a": null, "e": 6}));
        assert_eq!(target.to_string(), r#"{"b":5,"c":3,"d":4,"e":6}"#);
    }

    proptest! {
        #[test]
        fn merging_the_difference_gives_the_target(
            before in arbitrary::alike(),
            after in arbitrary::alike(),
        ) {
            let mut merged = before.clone();
            merge(&mut merged, &merge_patch(&before, &after));
            prop_assert_eq!(merged, after);
        }
    }

    /// Returns the merge patch between two values without `null`.
    fn merge_patch(before: &Value, after: &Value) -> Value {
        let (Value::Object(old), Value::Object(new)) = (before, after) else {
            return after.clone();
        };
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        let mut patch: Members = gone.map(|name| (name.clone(), Value::Null)).collect();
        for (name, value) in new {
            let change = merge_patch(old.get(name).unwrap_or(&Value::Null), value);
            patch.insert(name.clone(), change);
        }
        Value::Object(patch)
    }
}
