//! Values and list items of any type as plain text.

use serde_json::Value;

use super::text;
use crate::document::Members;
use crate::packet::{Certainty, Item};

/// The words for a list that is present and empty: its author states that there are none. A list
/// that is absent is not shown at all.
pub(super) const NONE: &str = "none";

/// A list entry, split into its parts.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) text: String,
    /// The state, if it is stated.
    pub(super) state: Option<&'static str>,
    /// All other members: `evidence: log:1; owner: ana`.
    pub(super) notes: String,
}

impl Entry {
    /// Splits a list entry. A value that is not an item is shown as it is.
    pub(super) fn of(value: &Value) -> Self {
        let Some(item) = Item::of(value) else {
            return Self { text: plain(value), state: None, notes: String::new() };
        };
        Self {
            text: item.text.to_owned(),
            state: stated(&item),
            notes: item.members.map(notes).unwrap_or_default(),
        }
    }

    /// Returns the text and the notes, without the state.
    pub(super) fn sentence(&self) -> String {
        if self.notes.is_empty() {
            return self.text.clone();
        }
        format!("{} ({})", self.text, self.notes)
    }
}

pub(super) type Show = fn(&Value) -> String;

/// Returns a value as plain text: scalars unchanged, lists and objects of scalars without brackets,
/// deeper values as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Array(values) => joined(values.iter().map(inner)),
        Value::Object(members) => pairs(members, &[]),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => inner(value),
    }
}

/// Joins parts by commas. A part that contains a comma is quoted, so that the number of parts stays
/// clear.
pub(super) fn joined(parts: impl IntoIterator<Item = String>) -> String {
    let mut parts = parts.into_iter().peekable();
    if parts.peek().is_none() {
        return NONE.to_owned();
    }
    // JSON keeps its own parts together.
    let is_clear = |part: &str| !part.contains(',') || part.starts_with(['{', '[']);
    let quoted = |part: String| if is_clear(&part) { part } else { Value::from(part).to_string() };
    parts.map(quoted).collect::<Vec<_>>().join(", ")
}

/// Returns the members of an object on one line, except those in `without`.
pub(super) fn pairs(members: &Members, without: &[&str]) -> String {
    let shown = members.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    let parts: Vec<String> =
        shown.map(|(name, value)| format!("{name}: {}", nested(value))).collect();
    parts.join("; ")
}

pub(super) fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Verified => "verified",
        Certainty::Assumed => "assumed",
        Certainty::Unknown => "unknown",
    }
}

fn notes(members: &Members) -> String {
    let mut hidden = vec!["text"];
    if matches!(members.get("state"), Some(Value::String(word)) if is_certainty(word)) {
        hidden.push("state");
    }
    if members.get("pinned").is_some_and(Value::is_boolean) {
        hidden.push("pinned");
    }
    pairs(members, &hidden)
}

fn stated(item: &Item<'_>) -> Option<&'static str> {
    is_certainty(item.member("state")?).then(|| certainty(item.certainty()))
}

fn is_certainty(word: &str) -> bool {
    matches!(word, "verified" | "assumed" | "unknown")
}

fn nested(value: &Value) -> String {
    match value.as_array() {
        Some(values) if values.iter().all(is_scalar) => plain(value),
        _ => inner(value),
    }
}

fn inner(value: &Value) -> String {
    if let Some(words) = value.as_str() {
        return words.to_owned();
    }
    match (Item::of(value), value.as_object()) {
        (Some(item), Some(members)) if members.len() == 1 => item.text.to_owned(),
        _ => value.to_string(),
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Returns `true` if a value has nothing to show. An empty list states that there are none.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(said) => !text::has_text(said),
        Value::Object(members) => members.is_empty(),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_as_text() {
        let cases = [
            (json!("a"), "a"),
            (json!(0.5), "0.5"),
            (json!(["a", 1, true]), "a, 1, true"),
            (json!(["a, b", "c"]), "\"a, b\", c"),
            (json!([]), "none"),
            (json!({ "tier": "SECRET", "of": [] }), "tier: SECRET; of: none"),
            (json!({ "tier": "SECRET", "of": ["x", "y"] }), "tier: SECRET; of: x, y"),
            (json!([{ "text": "a" }, { "b": { "c": 1 } }]), r#"a, {"b":{"c":1}}"#),
            (json!(null), "null"),
        ];
        for (value, expected) in cases {
            assert_eq!(plain(&value), expected);
        }
    }

    #[test]
    fn an_item_shows_every_member_it_has() {
        let value = json!({ "text": "built", "state": "verified", "evidence": ["log:1", "log:2"], "pinned": true, "owner": "ana" });
        let entry = Entry::of(&value);
        assert_eq!(entry.state, Some("verified"));
        assert_eq!(entry.sentence(), "built (evidence: log:1, log:2; owner: ana)");

        // An unknown state or pin is still shown.
        let odd = Entry::of(&json!({ "text": "built", "state": "maybe", "pinned": "yes" }));
        assert_eq!(odd.sentence(), "built (state: maybe; pinned: yes)");
    }
}
