//! The wire form: compact JSON in one line for models, with tables for lists of similar objects.
//!
//! - The first member is the marker `"tasuki":"wire/1"`.
//! - A table `{"#":[names],"rows":[[...],...]}` represents a list of objects. Its values may
//!   contain tables.
//! - Names that look like a marker are escaped with one more `#`: at any depth, names that consist
//!   of `#` only (`#` becomes `##`); in the packet itself, also `tasuki` after any number of `#`
//!   (`tasuki` becomes `#tasuki`). Every name therefore has exactly one spelling.
//!
//! The JSON reader has parsed the text before. `write::wire` decides which lists become tables.

use std::collections::HashSet;

use serde_json::Value;

use super::text;
use crate::Members;
use crate::document::size::Size;
use crate::document::{ReadErrorDetails, pointer};
use crate::violation::{Code, Span, Violation, shorten};

/// The name of the first member.
pub(crate) const MARKER: &str = "tasuki";

/// The version that this module reads and `write::wire` writes.
pub(crate) const VERSION: &str = "wire/1";

/// The member of a table with the names of its columns.
pub(crate) const TABLE: &str = "#";

/// The member of a table with its rows.
pub(crate) const ROWS: &str = "rows";

/// Returns `true` for the members of a wire form, of any version.
pub fn is_wire(members: &Members) -> bool {
    members.iter().next().is_some_and(|(name, value)| {
        name == MARKER && value.as_str().is_some_and(|version| version.starts_with("wire/"))
    })
}

/// Unfolds a wire form into the packet that it represents.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::read::wire;
///
/// let folded = json!({"tasuki": "wire/1", "completed": {"#": ["text"], "rows": [["a"], ["b"]]}});
/// let packet = wire::unfold(folded.as_object().unwrap().clone())?;
/// assert_eq!(packet["completed"], json!([{"text": "a"}, {"text": "b"}]));
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// - `TK-WIRE-SYNTAX`, with a pointer into the wire form, for another version or a malformed table.
/// - `TK-PACKET-TOO-MANY` or `TK-PACKET-TOO-LARGE` if it unfolds to more than a packet may contain.
pub fn unfold(members: Members) -> Result<Members, Violation> {
    check_version(&members)?;
    let mut unfolding = Unfolding::default();
    let mut packet = Members::new();
    for (name, value) in members.into_iter().skip(1) {
        if name == TABLE {
            return Err(unfolding
                .syntax("the packet must not be a table")
                .hint("write a member named `#` as `##`; only lists can be tables"));
        }
        unfolding.spend(1, name.len())?;
        let value = unfolding.inside(&name, |unfolding| unfolding.value(value))?;
        packet.insert(real_name_of_packet(name), value);
    }
    Ok(packet)
}

fn check_version(members: &Members) -> Result<(), Violation> {
    let violation = match members.iter().next() {
        Some((name, Value::String(version))) if name == MARKER && version == VERSION => {
            return Ok(());
        }
        Some((name, version)) if name == MARKER => {
            let message = "unsupported version of the wire form";
            Violation::new(Code::WireSyntax, pointer::join("", MARKER), message)
                .found(shorten::text(&version.to_string()))
        }
        _ => Violation::new(Code::WireSyntax, "", "missing wire marker"),
    };
    Err(violation.allowed(format!("`\"{MARKER}\":\"{VERSION}\"` as the first member")))
}

/// Unescapes a name inside a packet.
fn real_name(mut name: String) -> String {
    if name.len() > 1 && is_hashes(&name) {
        name.pop();
    }
    name
}

/// Unescapes a name of the packet itself.
fn real_name_of_packet(mut name: String) -> String {
    if name.starts_with('#') && name.trim_start_matches('#') == MARKER {
        name.remove(0);
        return name;
    }
    real_name(name)
}

/// Returns `true` if the name consists of `#` only and must be escaped.
pub(crate) fn is_hashes(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte == b'#')
}

/// Unfolds a wire form, with the current pointer and the size of the packet so far.
///
/// Only names count towards the bytes: texts are copied once, names once per row.
#[derive(Default)]
struct Unfolding {
    pointer: String,
    size: Size,
}

impl Unfolding {
    fn value(&mut self, value: Value) -> Result<Value, Violation> {
        self.spend(1, 0)?;
        match value {
            Value::Object(members) if members.contains_key(TABLE) => self.table(members),
            Value::Object(members) => self.object(members),
            Value::Array(items) => self.list(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value),
        }
    }

    fn object(&mut self, members: Members) -> Result<Value, Violation> {
        let mut object = Members::new();
        for (name, value) in members {
            self.spend(1, name.len())?;
            let value = self.inside(&name, |unfolding| unfolding.value(value))?;
            object.insert(real_name(name), value);
        }
        Ok(Value::Object(object))
    }

    fn list(&mut self, items: Vec<Value>) -> Result<Value, Violation> {
        let each = |(index, item): (usize, Value)| {
            self.inside(&index.to_string(), |unfolding| unfolding.value(item))
        };
        items.into_iter().enumerate().map(each).collect()
    }

    fn table(&mut self, mut members: Members) -> Result<Value, Violation> {
        let names = members.shift_remove(TABLE);
        let rows = members.shift_remove(ROWS);
        let (Some(Value::Array(names)), Some(Value::Array(rows)), true) =
            (names, rows, members.is_empty())
        else {
            return Err(self
                .syntax("malformed table")
                .allowed("exactly two members: `#`, a list of names, and `rows`, a list of lists")
                .hint("write a member named `#` as `##`"));
        };
        let names = self.inside(TABLE, |unfolding| unfolding.names(&names))?;
        self.inside(ROWS, |unfolding| unfolding.rows(&names, rows))
    }

    fn names(&mut self, names: &[Value]) -> Result<Vec<String>, Violation> {
        if names.is_empty() {
            return Err(self.syntax("a table must have at least one column"));
        }
        let mut seen = HashSet::new();
        let mut real = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            match name.as_str() {
                Some(name) if name != TABLE && seen.insert(name) => {
                    self.inside(&index.to_string(), |place| place.check_length(name))?;
                    real.push(real_name(name.to_owned()));
                }
                _ => {
                    return self
                        .inside(&index.to_string(), |place| Err(place.invalid_column(name)));
                }
            }
        }
        Ok(real)
    }

    /// Checks the length of a column name, which the JSON reader saw as a string and not as a name.
    fn check_length(&self, name: &str) -> Result<(), Violation> {
        text::check_name(name, Span::default()).map_err(|refused| {
            let ReadErrorDetails { code, message, .. } = refused.into_details();
            Violation::new(code, self.pointer.clone(), message)
        })
    }

    fn invalid_column(&self, found: &Value) -> Violation {
        self.syntax("invalid column name")
            .found(shorten::text(&found.to_string()))
            .allowed("a unique text, with `#` written as `##`")
    }

    fn rows(&mut self, names: &[String], rows: Vec<Value>) -> Result<Value, Violation> {
        let each = |(index, row): (usize, Value)| {
            self.inside(&index.to_string(), |unfolding| unfolding.row(names, row))
        };
        rows.into_iter().enumerate().map(each).collect()
    }

    fn row(&mut self, names: &[String], row: Value) -> Result<Value, Violation> {
        let Value::Array(row) = row else {
            return Err(self.syntax("a row of a table must be a list"));
        };
        if row.len() != names.len() {
            let message = format!("a row must have {} values, found {}", names.len(), row.len());
            return Err(self.syntax(message).hint("write `null` for a missing value"));
        }
        // The names of every row are counted before they are copied: one long name and many short
        // rows must not exceed the size of a packet.
        self.spend(1 + names.len(), names.iter().map(String::len).sum())?;
        let mut object = Members::new();
        for (index, (name, value)) in names.iter().zip(row).enumerate() {
            let value = self.inside(&index.to_string(), |unfolding| unfolding.value(value))?;
            object.insert(name.clone(), value);
        }
        Ok(Value::Object(object))
    }

    fn spend(&mut self, nodes: usize, bytes: usize) -> Result<(), Violation> {
        self.size.grow(Size { nodes, bytes }).map_err(|(code, excess)| {
            let message = format!("the packet has {excess}");
            Violation::new(code, self.pointer.clone(), message)
                .hint("move large content into an artifact and refer to it by digest")
        })
    }

    fn inside<T>(
        &mut self,
        token: &str,
        walk: impl FnOnce(&mut Self) -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        let length = self.pointer.len();
        pointer::push(&mut self.pointer, token);
        let walked = walk(self);
        self.pointer.truncate(length);
        walked
    }

    fn syntax(&self, message: impl Into<String>) -> Violation {
        Violation::new(Code::WireSyntax, self.pointer.clone(), message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_unfold_at_any_depth() {
        let wire = json!({
            "tasuki": "wire/1",
            "goal": "x",
            "#tasuki": {"##": 1, "###": 2, "rows": 3},
            "list": {"#": ["a", "##"], "rows": [[1, {"#": ["b"], "rows": [[2]]}]]},
        });
        let packet = json!({
            "goal": "x",
            "tasuki": {"#": 1, "##": 2, "rows": 3},
            "list": [{"a": 1, "#": [{"b": 2}]}],
        });
        assert_eq!(unfold(members(&wire)).unwrap(), members(&packet));
    }

    #[test]
    fn a_wire_form_begins_with_its_marker() {
        for (value, expected) in [
            (json!({"tasuki": "wire/1"}), true),
            (json!({"tasuki": "wire/2", "goal": "x"}), true),
            (json!({"goal": "x", "tasuki": "wire/1"}), false),
            (json!({"tasuki": 1}), false),
            (json!({}), false),
        ] {
            assert_eq!(is_wire(&members(&value)), expected, "{value}");
        }
    }

    #[test]
    fn a_violation_points_to_what_cannot_be_unfolded() {
        check(&json!({"goal": "x"}), "TK-WIRE-SYNTAX at ``");
        check(&json!({"goal": "x", "tasuki": "wire/1"}), "TK-WIRE-SYNTAX at ``");
        check(&json!({"tasuki": "wire/2"}), "TK-WIRE-SYNTAX at `/tasuki`");
        check(&json!({"tasuki": "wire/1", "#": []}), "TK-WIRE-SYNTAX at ``");
        check(&in_list(&json!({"#": ["a"]})), "TK-WIRE-SYNTAX at `/list/0`");
        check(&in_list(&json!({"#": ["a"], "rows": [], "x": 1})), "TK-WIRE-SYNTAX at `/list/0`");
        check(&in_list(&json!({"#": "a", "rows": []})), "TK-WIRE-SYNTAX at `/list/0`");
        check(&in_list(&json!({"#": [], "rows": [[]]})), "TK-WIRE-SYNTAX at `/list/0/#`");
        check(&in_list(&json!({"#": [1], "rows": []})), "TK-WIRE-SYNTAX at `/list/0/#/0`");
        check(&in_list(&json!({"#": ["#"], "rows": []})), "TK-WIRE-SYNTAX at `/list/0/#/0`");
        check(&in_list(&json!({"#": ["a", "a"], "rows": []})), "TK-WIRE-SYNTAX at `/list/0/#/1`");
        let long = "n".repeat(1_001);
        check(&in_list(&json!({"#": [long], "rows": []})), "TK-FIELD-LENGTH at `/list/0/#/0`");
        check(&in_list(&json!({"#": ["a"], "rows": [1]})), "TK-WIRE-SYNTAX at `/list/0/rows/0`");
        check(
            &in_list(&json!({"#": ["a"], "rows": [[1, 2]]})),
            "TK-WIRE-SYNTAX at `/list/0/rows/0`",
        );
    }

    #[test]
    fn the_value_found_is_shortened() {
        let long = "9".repeat(100_000);
        for wire in [
            json!({"tasuki": format!("wire/{long}")}),
            in_list(&json!({"#": [[long]], "rows": []})),
        ] {
            let violation = unfold(members(&wire)).unwrap_err();
            assert!(violation.found.unwrap().len() < 100);
        }
    }

    #[test]
    fn a_small_wire_form_never_becomes_a_large_packet() {
        let names: Vec<_> = (0..100).map(|index| index.to_string()).collect();
        let rows = vec![vec![0; 100]; 150];
        check(
            &in_list(&json!({"#": names, "rows": rows})),
            "TK-PACKET-TOO-MANY at `/list/0/rows/99`",
        );

        let name = "n".repeat(1_000);
        let rows = vec![vec![0]; 6_000];
        check(
            &in_list(&json!({"#": [name], "rows": rows})),
            "TK-PACKET-TOO-LARGE at `/list/0/rows/1048`",
        );
    }

    fn check(wire: &Value, expected: &str) {
        let violation = unfold(members(wire)).unwrap_err();
        assert_eq!(format!("{} at `{}`", violation.code, violation.pointer), expected);
    }

    fn in_list(value: &Value) -> Value {
        json!({"tasuki": "wire/1", "list": [value]})
    }

    fn members(value: &Value) -> Members {
        value.as_object().unwrap().clone()
    }
}
