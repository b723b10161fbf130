//! Changes one field of a packet and not the whole document: RFC 7396 and RFC 6902.
//!
//! Ours and not a library's, because the order of members is part of a packet's source forms: what
//! is replaced stays where it is, what is added comes last, what is removed leaves the rest in
//! order. A patch of operations holds as a whole or not at all.
//!
//! Not here: whether the result is a valid packet, see `validate`, and making patches, see `diff`.

use serde_json::Value;

use crate::diff::same;
use crate::limits::{DEPTH_MAX, NODES_MAX, PACKET_BYTES_MAX};
use crate::measure::{Size, height};
use crate::violation::{Code, Violation};
use crate::{Members, pointer};

/// The two kinds of patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchKind {
    /// RFC 7396: an object that looks like what it changes.
    Merge,
    /// RFC 6902: a list of operations.
    Operations,
}

impl PatchKind {
    /// The kind of a patch document; there is none for a scalar.
    pub fn of(patch: &Value) -> Option<Self> {
        match patch {
            Value::Object(_) => Some(Self::Merge),
            Value::Array(_) => Some(Self::Operations),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
}

/// Applies a patch of either kind: a list is RFC 6902, an object is RFC 7396.
///
/// # Errors
///
/// As [`apply`]; `TK-PATCH-INVALID` also if the patch is neither. The target is then unchanged.
pub fn apply_either(target: &mut Value, patch: &Value) -> Result<PatchKind, Violation> {
    let Some(kind) = PatchKind::of(patch) else {
        return Err(Violation::new(Code::PatchInvalid, "", "the patch is a scalar")
            .found(shortened(patch))
            .allowed("an object (RFC 7396) or a list of operations (RFC 6902)"));
    };
    match kind {
        PatchKind::Merge => merge(target, patch),
        PatchKind::Operations => apply(target, patch)?,
    }
    Ok(kind)
}

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

/// Applies RFC 6902 operations, all or none.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::patch;
///
/// let mut packet = json!({"completed": ["a"]});
/// patch::apply(&mut packet, &json!([{"op": "add", "path": "/completed/-", "value": "b"}]))?;
/// assert_eq!(packet, json!({"completed": ["a", "b"]}));
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// `TK-PATCH-INVALID` for an operation that is malformed, `TK-PATCH-PATH` for a place that does not
/// exist, `TK-PATCH-TEST` for a test that does not hold, and `TK-PACKET-TOO-DEEP`,
/// `TK-PACKET-TOO-MANY` or `TK-PACKET-TOO-LARGE` before copies become more than a packet may be.
/// The pointer names the operation in the patch.
pub fn apply(target: &mut Value, operations: &Value) -> Result<(), Violation> {
    let Value::Array(operations) = operations else {
        return Err(Violation::new(
            Code::PatchInvalid,
            "",
            "the patch is not a list of operations",
        )
        .found(shortened(operations)));
    };
    let mut patched = Patched { document: target.clone(), copied: Size::default() };
    for (index, operation) in operations.iter().enumerate() {
        patched.run(&Operation::read(index, operation)?)?;
    }
    *target = patched.document;
    Ok(())
}

/// A document while it is patched.
struct Patched {
    document: Value,
    /// What copies have added so far; twenty of them could make a million values out of one.
    copied: Size,
}

impl Patched {
    fn run(&mut self, operation: &Operation<'_>) -> Result<(), Violation> {
        let path = operation.place("path")?;
        match operation.verb()? {
            "add" => self.add(operation, &path, operation.value()?.clone()),
            "remove" => self.remove(operation, &path).map(drop),
            "replace" => {
                let value = operation.value()?.clone();
                operation.check_depth(&path, &value)?;
                *self.at(operation, &path)? = value;
                Ok(())
            }
            "move" => self.shift(operation, &operation.place("from")?, &path),
            "copy" => {
                let value = self.at(operation, &operation.place("from")?)?.clone();
                self.spend(operation, &value)?;
                self.add(operation, &path, value)
            }
            "test" => {
                let found = self.at(operation, &path)?;
                operation.check_equal(&path, found)
            }
            other => Err(operation
                .violation(Code::PatchInvalid, "op", "there is no such operation")
                .found(format!("`{other}`"))
                .allowed("`add`, `remove`, `replace`, `move`, `copy` or `test`")),
        }
    }

    /// The value at a place.
    fn at(
        &mut self,
        operation: &Operation<'_>,
        place: &Place<'_>,
    ) -> Result<&mut Value, Violation> {
        place
            .tokens
            .iter()
            .try_fold(&mut self.document, |value, token| step(value, token))
            .ok_or_else(|| operation.missing(place))
    }

    fn add(
        &mut self,
        operation: &Operation<'_>,
        place: &Place<'_>,
        value: Value,
    ) -> Result<(), Violation> {
        operation.check_depth(place, &value)?;
        let Some((last, parents)) = place.tokens.split_last() else {
            self.document = value;
            return Ok(());
        };
        let parent = parents.iter().try_fold(&mut self.document, |value, token| step(value, token));
        match parent {
            Some(Value::Object(members)) => {
                members.insert(last.clone(), value);
                Ok(())
            }
            Some(Value::Array(items)) => {
                let index = if last == "-" { Some(items.len()) } else { list_index(last) };
                let index = index.filter(|index| *index <= items.len());
                items.insert(index.ok_or_else(|| operation.missing(place))?, value);
                Ok(())
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {
                Err(operation.missing(place))
            }
        }
    }

    fn remove(&mut self, operation: &Operation<'_>, place: &Place<'_>) -> Result<Value, Violation> {
        let Some((last, parents)) = place.tokens.split_last() else {
            let message = "the whole document cannot be removed";
            return Err(operation.violation(Code::PatchPath, place.member, message));
        };
        let parent = parents.iter().try_fold(&mut self.document, |value, token| step(value, token));
        let removed = match parent {
            Some(Value::Object(members)) => members.shift_remove(last),
            Some(Value::Array(items)) => list_index(last)
                .filter(|index| *index < items.len())
                .map(|index| items.remove(index)),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => None,
        };
        removed.ok_or_else(|| operation.missing(place))
    }

    fn shift(
        &mut self,
        operation: &Operation<'_>,
        from: &Place<'_>,
        path: &Place<'_>,
    ) -> Result<(), Violation> {
        if from.tokens == path.tokens {
            // Taking it out and putting it back would change the order of members.
            return self.at(operation, from).map(drop);
        }
        if path.tokens.starts_with(&from.tokens) {
            let message = format!("`{}` cannot move into itself", from.text);
            return Err(operation.violation(Code::PatchInvalid, "path", message));
        }
        let value = self.remove(operation, from)?;
        self.add(operation, path, value)
    }

    fn spend(&mut self, operation: &Operation<'_>, value: &Value) -> Result<(), Violation> {
        let size = Size::of(value);
        self.copied.nodes += size.nodes;
        self.copied.bytes += size.bytes;
        let (code, message) = if self.copied.nodes > NODES_MAX {
            (Code::PacketTooMany, format!("the patch copies more than {NODES_MAX} values"))
        } else if self.copied.bytes > PACKET_BYTES_MAX {
            (Code::PacketTooLarge, format!("the patch copies more than {PACKET_BYTES_MAX} bytes"))
        } else {
            return Ok(());
        };
        Err(operation.violation(code, "from", message))
    }
}

/// One operation of a patch.
struct Operation<'p> {
    index: usize,
    members: &'p Members,
}

/// A place in the document, as an operation names it.
struct Place<'p> {
    /// The member of the operation that names it.
    member: &'static str,
    text: &'p str,
    tokens: Vec<String>,
}

impl<'p> Operation<'p> {
    fn read(index: usize, operation: &'p Value) -> Result<Self, Violation> {
        if let Value::Object(members) = operation {
            return Ok(Self { index, members });
        }
        let pointer = pointer::join("", &index.to_string());
        Err(Violation::new(Code::PatchInvalid, pointer, "an operation is not an object")
            .found(shortened(operation)))
    }

    fn verb(&self) -> Result<&'p str, Violation> {
        self.text("op")
    }

    fn value(&self) -> Result<&'p Value, Violation> {
        self.members.get("value").ok_or_else(|| self.lacks("value"))
    }

    fn place(&self, member: &'static str) -> Result<Place<'p>, Violation> {
        let text = self.text(member)?;
        let tokens = pointer::tokens(text).ok_or_else(|| {
            self.violation(Code::PatchInvalid, member, "this is not a JSON pointer")
                .found(shortened(&text.into()))
                .hint("begin with `/`, and write `~` in a name as `~0` and `/` as `~1`")
        })?;
        Ok(Place { member, text, tokens })
    }

    fn text(&self, member: &'static str) -> Result<&'p str, Violation> {
        match self.members.get(member) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => {
                let message = format!("`{member}` is not a text");
                Err(self.violation(Code::PatchInvalid, member, message).found(shortened(other)))
            }
            None => Err(self.lacks(member)),
        }
    }

    fn check_depth(&self, place: &Place<'_>, value: &Value) -> Result<(), Violation> {
        if place.tokens.len() + height(value) <= DEPTH_MAX {
            return Ok(());
        }
        let message = format!("the packet would nest deeper than {DEPTH_MAX} levels");
        Err(self.violation(Code::PacketTooDeep, "path", message))
    }

    fn check_equal(&self, place: &Place<'_>, found: &Value) -> Result<(), Violation> {
        let expected = self.value()?;
        if same(found, expected) {
            return Ok(());
        }
        let message = format!("`{}` has another value", place.text);
        Err(self
            .violation(Code::PatchTest, "value", message)
            .found(shortened(found))
            .allowed(shortened(expected))
            .hint("the document has changed since the patch was made; make it again"))
    }

    fn lacks(&self, member: &'static str) -> Violation {
        self.violation(Code::PatchInvalid, member, format!("the operation has no `{member}`"))
    }

    fn missing(&self, place: &Place<'_>) -> Violation {
        let message = format!("`{}` does not exist in the document", place.text);
        self.violation(Code::PatchPath, place.member, message)
    }

    fn violation(&self, code: Code, member: &'static str, message: impl Into<String>) -> Violation {
        let pointer = pointer::join(&pointer::join("", &self.index.to_string()), member);
        Violation::new(code, pointer, message)
    }
}

fn step<'v>(value: &'v mut Value, token: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(members) => members.get_mut(token),
        Value::Array(items) => items.get_mut(list_index(token)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// An index as RFC 6901 writes it: no sign, no leading zero.
fn list_index(token: &str) -> Option<usize> {
    let has_leading_zero = token.len() > 1 && token.starts_with('0');
    if has_leading_zero || !token.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    token.parse().ok()
}

/// The value as JSON of at most 60 characters.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((index, _)) => format!("{}…", &text[..index]),
        None => text,
    }
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
    fn operations_do_what_rfc_6902_shows() {
        for (original, operation, result) in [
            (
                json!({"foo": "bar"}),
                json!({"op": "add", "path": "/baz", "value": "qux"}),
                json!({"foo": "bar", "baz": "qux"}),
            ),
            (
                json!({"foo": ["bar", "baz"]}),
                json!({"op": "add", "path": "/foo/1", "value": "qux"}),
                json!({"foo": ["bar", "qux", "baz"]}),
            ),
            (
                json!({"baz": "qux", "foo": "bar"}),
                json!({"op": "remove", "path": "/baz"}),
                json!({"foo": "bar"}),
            ),
            (
                json!({"foo": ["bar", "qux", "baz"]}),
                json!({"op": "remove", "path": "/foo/1"}),
                json!({"foo": ["bar", "baz"]}),
            ),
            (
                json!({"baz": "qux", "foo": "bar"}),
                json!({"op": "replace", "path": "/baz", "value": "boo"}),
                json!({"baz": "boo", "foo": "bar"}),
            ),
            (
                json!({"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}}),
                json!({"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}),
                json!({"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}}),
            ),
            (
                json!({"foo": ["all", "grass", "cows", "eat"]}),
                json!({"op": "move", "from": "/foo/1", "path": "/foo/3"}),
                json!({"foo": ["all", "cows", "eat", "grass"]}),
            ),
            (
                json!({"foo": "bar"}),
                json!({"op": "add", "path": "/child", "value": {"grandchild": {}}}),
                json!({"foo": "bar", "child": {"grandchild": {}}}),
            ),
            (
                json!({"foo": "bar"}),
                json!({"op": "add", "path": "/baz", "value": "qux", "xyz": 123}),
                json!({"foo": "bar", "baz": "qux"}),
            ),
            (
                json!({"/": 9, "~1": 10}),
                json!({"op": "test", "path": "/~01", "value": 10}),
                json!({"/": 9, "~1": 10}),
            ),
            (
                json!({"foo": ["bar"]}),
                json!({"op": "add", "path": "/foo/-", "value": ["abc", "def"]}),
                json!({"foo": ["bar", ["abc", "def"]]}),
            ),
            (
                json!({"foo": {"bar": 1}}),
                json!({"op": "copy", "from": "/foo", "path": "/foo/baz"}),
                json!({"foo": {"bar": 1, "baz": {"bar": 1}}}),
            ),
            (json!({"foo": 1}), json!({"op": "add", "path": "", "value": [1]}), json!([1])),
        ] {
            let mut target = original.clone();
            apply(&mut target, &json!([operation])).unwrap();
            assert_eq!(target, result, "{original} with {operation}");
        }
    }

    #[test]
    fn members_keep_their_order() {
        let mut target = json!({"a": 1, "b": 2, "c": 3, "d": 4});
        merge(&mut target, &json!({"b": 5, "a": null, "e": 6}));
        assert_eq!(target.to_string(), r#"{"b":5,"c":3,"d":4,"e":6}"#);

        let operations = json!([
            {"op": "move", "from": "/c", "path": "/c"},
            {"op": "remove", "path": "/b"},
            {"op": "add", "path": "/c", "value": 7},
            {"op": "replace", "path": "/d", "value": 8},
            {"op": "move", "from": "/c", "path": "/f"},
        ]);
        apply(&mut target, &operations).unwrap();
        assert_eq!(target.to_string(), r#"{"d":8,"e":6,"f":7}"#);
    }

    #[test]
    fn a_test_compares_values() {
        let document = json!({"n": 1, "o": {"a": 1, "b": [2]}});
        for (path, value) in
            [("/n", json!(1.0)), ("/o", json!({"b": [2.0], "a": 1})), ("", document.clone())]
        {
            let operations = json!([{"op": "test", "path": path, "value": value}]);
            apply(&mut document.clone(), &operations).unwrap();
        }
    }

    #[test]
    fn a_refused_patch_says_which_operation_and_changes_nothing() {
        refused(&json!("x"), "TK-PATCH-INVALID at ``");
        refused(&json!([1]), "TK-PATCH-INVALID at `/0`");
        refused(&json!([{"path": "/a"}]), "TK-PATCH-INVALID at `/0/op`");
        refused(&json!([{"op": "add", "value": 1}]), "TK-PATCH-INVALID at `/0/path`");
        refused(&json!([{"op": "add", "path": 1}]), "TK-PATCH-INVALID at `/0/path`");
        refused(&json!([{"op": "add", "path": "a", "value": 1}]), "TK-PATCH-INVALID at `/0/path`");
        refused(&json!([{"op": "add", "path": "/a"}]), "TK-PATCH-INVALID at `/0/value`");
        refused(&json!([{"op": "spam", "path": "/a"}]), "TK-PATCH-INVALID at `/0/op`");
        refused(&json!([{"op": "copy", "path": "/a"}]), "TK-PATCH-INVALID at `/0/from`");
        refused(
            &json!([{"op": "move", "from": "/map", "path": "/map/x"}]),
            "TK-PATCH-INVALID at `/0/path`",
        );
        refused(&json!([{"op": "remove", "path": ""}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "remove", "path": "/b"}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "remove", "path": "/list/2"}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "remove", "path": "/list/-"}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "remove", "path": "/list/00"}]), "TK-PATCH-PATH at `/0/path`");
        refused(
            &json!([{"op": "replace", "path": "/b", "value": 1}]),
            "TK-PATCH-PATH at `/0/path`",
        );
        refused(
            &json!([{"op": "add", "path": "/list/3", "value": 1}]),
            "TK-PATCH-PATH at `/0/path`",
        );
        refused(
            &json!([{"op": "add", "path": "/list/+1", "value": 1}]),
            "TK-PATCH-PATH at `/0/path`",
        );
        refused(&json!([{"op": "add", "path": "/b/c", "value": 1}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "add", "path": "/a/c", "value": 1}]), "TK-PATCH-PATH at `/0/path`");
        refused(&json!([{"op": "move", "from": "/b", "path": "/b"}]), "TK-PATCH-PATH at `/0/from`");
        refused(
            &json!([
                {"op": "remove", "path": "/a"},
                {"op": "test", "path": "/list/0", "value": "1"},
            ]),
            "TK-PATCH-TEST at `/1/value`",
        );
    }

    #[test]
    fn copies_cannot_grow_a_packet_beyond_its_limits() {
        let double = json!({"op": "copy", "from": "/list", "path": "/list/-"});
        refused(&json!(vec![double; 40]), "TK-PACKET-TOO-MANY at `/12/from`");

        let wrap = json!([
            {"op": "add", "path": "/wrap", "value": {}},
            {"op": "move", "from": "/map", "path": "/wrap/map"},
            {"op": "move", "from": "/wrap", "path": "/map"},
        ]);
        let wraps: Vec<_> = std::iter::repeat_n(wrap.as_array().unwrap(), 40).flatten().collect();
        refused(&json!(wraps), "TK-PACKET-TOO-DEEP at `/91/path`");
    }

    #[test]
    fn the_kind_of_a_patch_is_seen_from_its_shape() {
        let mut target = json!({"a": 1});
        assert_eq!(apply_either(&mut target, &json!({"a": 2})), Ok(PatchKind::Merge));
        let operations = json!([{"op": "add", "path": "/b", "value": 3}]);
        assert_eq!(apply_either(&mut target, &operations), Ok(PatchKind::Operations));
        assert_eq!(target, json!({"a": 2, "b": 3}));
        let violation = apply_either(&mut target, &json!(null)).unwrap_err();
        assert_eq!(violation.code, Code::PatchInvalid);
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

        #[test]
        fn no_document_is_a_patch_that_panics(patch in arbitrary::value(), target in arbitrary::value()) {
            let mut changed = target.clone();
            if apply_either(&mut changed, &patch).is_err() {
                prop_assert_eq!(changed, target);
            }
        }
    }

    /// The merge patch between two values that hold no `null`.
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

    fn refused(patch: &Value, expected: &str) {
        let original = json!({"a": 1, "list": [1, 2], "map": {}});
        let mut target = original.clone();
        let violation = apply(&mut target, patch).unwrap_err();
        assert_eq!(format!("{} at `{}`", violation.code, violation.pointer), expected, "{patch}");
        assert_eq!(target.to_string(), original.to_string());
    }
}
