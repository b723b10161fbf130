//! Applies RFC 6902 patches: lists of operations, all or none.

use serde_json::Value;

use super::diff::same;
use crate::Members;
use crate::document::limits::DEPTH_MAX;
use crate::document::pointer;
use crate::document::size::{Size, height};
use crate::violation::{Code, Violation, shorten};

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
/// - `TK-PATCH-INVALID` for a malformed operation.
/// - `TK-PATCH-PATH` for a place that does not exist.
/// - `TK-PATCH-TEST` for a test that fails.
/// - `TK-PACKET-TOO-DEEP`, `TK-PACKET-TOO-MANY` or `TK-PACKET-TOO-LARGE` before copies exceed the
///   limits of a packet.
///
/// The pointer refers to the operation in the patch.
pub fn apply(target: &mut Value, operations: &Value) -> Result<(), Violation> {
    let Value::Array(operations) = operations else {
        return Err(Violation::new(
            Code::PatchInvalid,
            "",
            "the patch must be a list of operations",
        )
        .found(shorten::value(operations)));
    };
    let mut patched = Patched { document: target.clone(), copied: Size::default() };
    for (index, operation) in operations.iter().enumerate() {
        patched.run(&Operation::read(index, operation)?)?;
    }
    *target = patched.document;
    Ok(())
}

/// A document that is being patched.
struct Patched {
    document: Value,
    /// The size of all copies so far. Twenty of them could turn one value into a million.
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
                .violation(Code::PatchInvalid, "op", "unknown operation")
                .found(format!("`{other}`"))
                .allowed("`add`, `remove`, `replace`, `move`, `copy` or `test`")),
        }
    }

    /// Returns the value at a place.
    fn at(
        &mut self,
        operation: &Operation<'_>,
        place: &Target<'_>,
    ) -> Result<&mut Value, Violation> {
        place
            .tokens
            .iter()
            .try_fold(&mut self.document, |value, token| step(value, token))
            .ok_or_else(|| operation.missing_target(place))
    }

    fn add(
        &mut self,
        operation: &Operation<'_>,
        place: &Target<'_>,
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
                items.insert(index.ok_or_else(|| operation.missing_target(place))?, value);
                Ok(())
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {
                Err(operation.missing_target(place))
            }
        }
    }

    fn remove(
        &mut self,
        operation: &Operation<'_>,
        place: &Target<'_>,
    ) -> Result<Value, Violation> {
        let Some((last, parents)) = place.tokens.split_last() else {
            let message = "cannot remove the whole document";
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
        removed.ok_or_else(|| operation.missing_target(place))
    }

    fn shift(
        &mut self,
        operation: &Operation<'_>,
        from: &Target<'_>,
        path: &Target<'_>,
    ) -> Result<(), Violation> {
        if from.tokens == path.tokens {
            // Removing and adding it again would change the order of members.
            return self.at(operation, from).map(drop);
        }
        if path.tokens.starts_with(&from.tokens) {
            let message = format!("cannot move `{}` into itself", from.text);
            return Err(operation.violation(Code::PatchInvalid, "path", message));
        }
        let value = self.remove(operation, from)?;
        self.add(operation, path, value)
    }

    fn spend(&mut self, operation: &Operation<'_>, value: &Value) -> Result<(), Violation> {
        self.copied.grow(Size::of(value)).map_err(|(code, excess)| {
            operation.violation(code, "from", format!("the patch copies {excess}"))
        })
    }
}

/// One operation of a patch.
struct Operation<'p> {
    index: usize,
    members: &'p Members,
}

/// A place in the document.
struct Target<'p> {
    /// The member of the operation that gives the place.
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
        Err(Violation::new(Code::PatchInvalid, pointer, "an operation must be an object")
            .found(shorten::value(operation)))
    }

    fn verb(&self) -> Result<&'p str, Violation> {
        self.text("op")
    }

    fn value(&self) -> Result<&'p Value, Violation> {
        self.members.get("value").ok_or_else(|| self.missing_member("value"))
    }

    fn place(&self, member: &'static str) -> Result<Target<'p>, Violation> {
        let text = self.text(member)?;
        let tokens = pointer::tokens(text).ok_or_else(|| {
            self.violation(Code::PatchInvalid, member, "malformed JSON pointer")
                .found(shorten::value(&text.into()))
                .hint("start with `/`, and write `~` in a name as `~0` and `/` as `~1`")
        })?;
        Ok(Target { member, text, tokens })
    }

    fn text(&self, member: &'static str) -> Result<&'p str, Violation> {
        match self.members.get(member) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => {
                let message = format!("`{member}` must be a text");
                Err(self
                    .violation(Code::PatchInvalid, member, message)
                    .found(shorten::value(other)))
            }
            None => Err(self.missing_member(member)),
        }
    }

    fn check_depth(&self, place: &Target<'_>, value: &Value) -> Result<(), Violation> {
        if place.tokens.len() + height(value) <= DEPTH_MAX {
            return Ok(());
        }
        let message = format!("the packet would be nested deeper than {DEPTH_MAX} levels");
        Err(self.violation(Code::PacketTooDeep, "path", message))
    }

    fn check_equal(&self, place: &Target<'_>, found: &Value) -> Result<(), Violation> {
        let expected = self.value()?;
        if same(found, expected) {
            return Ok(());
        }
        let message = format!("test failed: `{}` has a different value", place.text);
        Err(self
            .violation(Code::PatchTest, "value", message)
            .found(shorten::value(found))
            .allowed(shorten::value(expected))
            .hint("the document has changed; create the patch again"))
    }

    fn missing_member(&self, member: &'static str) -> Violation {
        self.violation(Code::PatchInvalid, member, format!("missing required member `{member}`"))
    }

    fn missing_target(&self, place: &Target<'_>) -> Violation {
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

/// Parses an index as in RFC 6901: no sign, no leading zero.
fn list_index(token: &str) -> Option<usize> {
    let has_leading_zero = token.len() > 1 && token.starts_with('0');
    if has_leading_zero || !token.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    token.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;
    use crate::write::arbitrary;

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
        let mut target = json!({"b": 5, "c": 3, "d": 4, "e": 6});
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
    fn a_rejected_patch_names_the_operation_and_changes_nothing() {
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

    proptest! {
        #[test]
        fn operations_are_applied_all_or_none(
            document in arbitrary::alike(),
            operations in vec(operation(), 0..6),
        ) {
            let mut at_once = document.clone();
            let refused = apply(&mut at_once, &json!(&operations)).is_err();
            let mut one_by_one = document.clone();
            let is_refused = |operation| apply(&mut one_by_one, &json!([operation])).is_err();
            prop_assert_eq!(operations.iter().any(is_refused), refused);
            prop_assert_eq!(&at_once, if refused { &document } else { &one_by_one });
        }
    }

    fn operation() -> impl Strategy<Value = Value> {
        let verb = select(vec!["add", "remove", "replace", "move", "copy", "test"]);
        let path = || vec(select(vec!["0", "1", "-", "id", "x", "y~1~0z"]), 0..3);
        (verb, path(), path(), arbitrary::alike()).prop_map(|(verb, path, from, value)| {
            let place = |tokens: Vec<&str>| -> String {
                tokens.iter().flat_map(|token| ["/", token]).collect()
            };
            json!({"op": verb, "path": place(path), "from": place(from), "value": value})
        })
    }

    fn refused(patch: &Value, expected: &str) {
        let original = json!({"a": 1, "list": [1, 2], "map": {}});
        let mut target = original.clone();
        let violation = apply(&mut target, patch).unwrap_err();
        assert_eq!(format!("{} at `{}`", violation.code, violation.pointer), expected, "{patch}");
        assert_eq!(target.to_string(), original.to_string());
    }
}
