//! Selects members of JSON objects for `--fields a,b`.
//!
//! A member that this object lacks but others of its kind may have is left out. An unknown name is an
//! error, and nothing of the object is printed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};
use tasuki_packet::violation::suggest;
use tasuki_server::openapi;

use super::escape::excerpt;
use crate::exit::Failure;

/// The selected members; an empty list selects all.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
    /// Returns whether every member is printed.
    pub(crate) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| name.trim().to_owned()).collect())
    }

    /// Returns the JSON of a value, with the selected members only.
    ///
    /// # Errors
    ///
    /// If a selected member is unknown.
    pub(crate) fn of(&self, value: &impl Serialize) -> Result<String, Failure> {
        const TEXT_KEYS: &str = "reports have text keys only";
        if self.0.is_empty() {
            return Ok(serde_json::to_string(value).expect(TEXT_KEYS));
        }
        match serde_json::to_value(value).expect(TEXT_KEYS) {
            Value::Object(members) => Ok(Value::Object(self.select(&members)?).to_string()),
            other => Ok(other.to_string()),
        }
    }

    fn select(&self, members: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        let mut selected = Map::new();
        for name in &self.0 {
            match members.get(name) {
                Some(member) => selected.insert(name.clone(), member.clone()),
                None if known_fields(members).contains(name.as_str()) => None,
                None => return Err(unknown(name, members)),
            };
        }
        Ok(selected)
    }
}

/// A kind of object of the API.
struct ObjectKind {
    names: BTreeSet<String>,
    required: Vec<String>,
}

impl ObjectKind {
    fn matches(&self, members: &Map<String, Value>) -> bool {
        members.keys().all(|name| self.names.contains(name))
            && self.required.iter().all(|name| members.contains_key(name))
    }
}

/// Returns the members that an object may have: those of the API objects that it matches. An object that
/// matches none may have the members of all.
fn known_fields(members: &Map<String, Value>) -> BTreeSet<&'static str> {
    static KINDS: LazyLock<Vec<ObjectKind>> = LazyLock::new(|| {
        let mut kinds = Vec::new();
        collect_kinds(&openapi::document()["components"]["schemas"], &mut kinds);
        kinds
    });
    let is_known = KINDS.iter().any(|kind| kind.matches(members));
    let kinds = KINDS.iter().filter(|kind| !is_known || kind.matches(members));
    kinds.flat_map(|kind| kind.names.iter().map(String::as_str)).collect()
}

fn collect_kinds(schema: &Value, kinds: &mut Vec<ObjectKind>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                let required = members.get("required").and_then(Value::as_array);
                let required = required.into_iter().flatten().filter_map(Value::as_str);
                kinds.push(ObjectKind {
                    names: properties.keys().cloned().collect(),
                    required: required.map(str::to_owned).collect(),
                });
            }
            members.values().for_each(|member| collect_kinds(member, kinds));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_kinds(item, kinds)),
        _ => {}
    }
}

fn unknown(name: &str, members: &Map<String, Value>) -> Failure {
    let all = known_fields(members);
    let near = || suggest(name, members.keys().map(String::as_str).chain(all.iter().copied()));
    // An object that is not in the API has only the members that it shows.
    let is_of_a_kind = members.keys().all(|key| all.contains(key.as_str()));
    let names: Vec<&str> = if is_of_a_kind {
        all.iter().copied().collect()
    } else {
        members.keys().map(String::as_str).collect()
    };
    let hint = near().map_or_else(
        || format!("known fields: {}", names.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::usage(format!("unknown field `{}`", excerpt(name))).hint(hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selected_fields_are_printed_in_the_order_of_the_flag() {
        let of = |names: &[&str], value: Value| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Fields::new(&names).of(&value).map_err(|no| (no.message, no.hint.unwrap()))
        };
        let handoff = || {
            json!({
                "id": "hof_1", "task": "build-42", "state": "held", "from": "ana", "to": "ben",
                "revision": 1, "digest": "sha256:00", "risk": "low", "attempt": 1,
                "submitted_at": "2026-11-15T10:00:00Z",
            })
        };
        assert_eq!(of(&[], handoff()).unwrap(), handoff().to_string());
        let selected = of(&["state", " id"], handoff()).unwrap();
        assert_eq!(selected, r#"{"state":"held","id":"hof_1"}"#);
        // It has no holder now, but other handoffs do.
        assert_eq!(of(&["id", "holder"], handoff()).unwrap(), r#"{"id":"hof_1"}"#);
        let (message, hint) = of(&["stat"], handoff()).unwrap_err();
        assert_eq!(message, "unknown field `stat`");
        assert_eq!(hint, "did you mean `state`?");
        let names = of(&["colour"], handoff()).unwrap_err().1;
        assert!(
            names.starts_with("known fields: action, alive_at, ") && names.contains(", holder, ")
        );
        // Tokens have scopes, handoffs do not.
        assert_eq!(of(&["scopes"], handoff()).unwrap_err().0, "unknown field `scopes`");
        let report = || json!({ "one": 1, "two": 2 });
        assert_eq!(of(&["colour"], report()).unwrap_err().1, "known fields: one, two");
    }
}
