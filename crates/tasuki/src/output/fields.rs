//! `--fields a,b`: what is left of an object in JSON.
//!
//! A member that an object does not have now, but may have, is left out. A name that nothing has is a
//! slip and is refused, before anything is printed of that object.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};
use tasuki_packet::violation::suggest;
use tasuki_server::openapi;

use super::escape::excerpt;
use crate::exit::Failure;

/// The members that are wanted; none is all of them.
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

    /// The text of a value, with nothing in it but what is wanted.
    ///
    /// # Errors
    ///
    /// If something is wanted that there is not.
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

/// The members that an object may have: those of the kinds that it can be. Of an object of no kind
/// nothing is known, so that it may have what any has.
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
    // Of an object that is of no kind, its own members are all there is to name.
    let is_of_a_kind = members.keys().all(|key| all.contains(key.as_str()));
    let names: Vec<&str> = if is_of_a_kind {
        all.iter().copied().collect()
    } else {
        members.keys().map(String::as_str).collect()
    };
    let hint = near().map_or_else(
        || format!("there is {}", names.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::usage(format!("there is no field `{}`", excerpt(name))).hint(hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wanted_is_left_in_the_order_in_which_it_is_named() {
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
        // Nobody holds it now; another one has a holder.
        assert_eq!(of(&["id", "holder"], handoff()).unwrap(), r#"{"id":"hof_1"}"#);
        let (message, hint) = of(&["stat"], handoff()).unwrap_err();
        assert_eq!(message, "there is no field `stat`");
        assert_eq!(hint, "did you mean `state`?");
        let names = of(&["colour"], handoff()).unwrap_err().1;
        assert!(names.starts_with("there is action, attempt, ") && names.contains(", holder, "));
        // Another kind of object has scopes.
        assert_eq!(of(&["scopes"], handoff()).unwrap_err().0, "there is no field `scopes`");
        let report = || json!({ "one": 1, "two": 2 });
        assert_eq!(of(&["colour"], report()).unwrap_err().1, "there is one, two");
    }
}
