//! `--fields a,b`: what is left of an object in JSON.
//!
//! A member that an object does not have now, but may have, is left out. A name that nothing has is a
//! slip and is refused, before anything is printed of that object.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};
use tasuki_packet::suggest::suggest;
use tasuki_server::openapi;

use crate::exit::Failure;
use crate::settings::shown;

/// The members that are wanted; none is all of them.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
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
            Value::Object(members) => Ok(Value::Object(self.picked(members)?).to_string()),
            other => Ok(other.to_string()),
        }
    }

    fn picked(&self, mut members: Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        let mut picked = Map::new();
        for name in &self.0 {
            match members.get_mut(name) {
                Some(member) => picked.insert(name.clone(), member.take()),
                None if may_be(name) => None,
                None => return Err(unknown(name, &members)),
            };
        }
        Ok(picked)
    }
}

/// Whether some object of the interface has a member of this name.
fn may_be(name: &str) -> bool {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let mut names = BTreeSet::new();
        gather(&openapi::document()["components"]["schemas"], &mut names);
        names
    });
    NAMES.contains(name)
}

fn gather(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            members.values().for_each(|member| gather(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, names)),
        _ => {}
    }
}

fn unknown(name: &str, members: &Map<String, Value>) -> Failure {
    let known = || members.keys().map(String::as_str);
    let hint = suggest(name, known()).map_or_else(
        || format!("there is {}", known().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Failure::usage(format!("there is no field `{}`", shown(name))).hint(hint)
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
        let handoff = || json!({ "id": "hof_1", "task": "build-42", "state": "held" });
        assert_eq!(of(&[], handoff()).unwrap(), handoff().to_string());
        let picked = of(&["state", " id"], handoff()).unwrap();
        assert_eq!(picked, r#"{"state":"held","id":"hof_1"}"#);
        // Nobody holds it now; another one has a holder.
        assert_eq!(of(&["id", "holder"], handoff()).unwrap(), r#"{"id":"hof_1"}"#);
        let (message, hint) = of(&["stat"], handoff()).unwrap_err();
        assert_eq!(message, "there is no field `stat`");
        assert_eq!(hint, "did you mean `state`?");
        assert_eq!(of(&["colour"], handoff()).unwrap_err().1, "there is id, task, state");
    }
}
