//! Deserializes the members of a body and reports every invalid field at once, with suggestions.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Error as At, Path, Segment};
use tasuki_packet::document::pointer;
use tasuki_packet::violation::{Code, Violation, suggest};

/// LIMIT: a body with more violations than this is something else.
const VIOLATIONS_MAX: usize = 20;

/// Deserializes the members of a body, or returns a violation for each that is invalid.
pub(crate) fn deserialize<T: DeserializeOwned>(
    mut members: Map<String, Value>,
) -> Result<T, Vec<Violation>> {
    let mut found: Vec<Violation> = Vec::new();
    let mut without: Vec<String> = Vec::new();
    loop {
        let result = serde_path_to_error::deserialize(Value::Object(members.clone()));
        let error = match result {
            Ok(result) if found.is_empty() => return Ok(result),
            Ok(_) => return Err(found),
            Err(error) => error,
        };
        let violation = violation(&error);
        // A member that was taken out is not missing.
        let name = pointer::tokens(&violation.pointer).unwrap_or_default().into_iter().next();
        let is_old = name.as_ref().is_some_and(|name| without.contains(name));
        let taken = name.filter(|name| !is_old && members.shift_remove(name).is_some());
        if !is_old {
            found.push(violation);
        }
        match taken {
            Some(name) if found.len() < VIOLATIONS_MAX => without.push(name),
            _ => return Err(found),
        }
    }
}

/// Turns an error of serde into a violation.
fn violation(error: &At<serde_json::Error>) -> Violation {
    let (mut at, message) = (pointer_of(error.path()), error.inner().to_string());
    let expected = quoted(message.split_once(", expected").map_or("", |(_, expected)| expected));
    let near = |name: &str| suggest(name, expected.iter().copied());
    let hint = |near: &str| format!("did you mean `{near}`?");
    let (code, hint) = if let Some(name) = quoted_after(&message, "unknown field `") {
        // The reader may have gone on to the value of the name already.
        if !at.ends_with(&pointer::join("", name)) {
            pointer::push(&mut at, name);
        }
        let known = || format!("it has `{}`", expected.join("`, `"));
        (Code::FieldUnknown, (!expected.is_empty()).then(|| near(name).map_or_else(known, hint)))
    } else if let Some(name) = quoted_after(&message, "missing field `") {
        pointer::push(&mut at, name);
        (Code::FieldMissing, None)
    } else if let Some(name) = quoted_after(&message, "unknown variant `") {
        (Code::FieldValue, near(name).map(hint))
    } else if message.contains("invalid type: ") {
        (Code::FieldType, None)
    } else {
        (Code::FieldValue, None)
    };
    let violation = Violation::new(code, at, message);
    match hint {
        Some(hint) => violation.hint(hint),
        None => violation,
    }
}

/// The quoted name that follows these words.
fn quoted_after<'m>(message: &'m str, words: &str) -> Option<&'m str> {
    message.split_once(words)?.1.split('`').next()
}

/// Every name between back quotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn pointer_of(path: &Path) -> String {
    let mut at = String::new();
    for segment in path {
        match segment {
            Segment::Map { key } => pointer::push(&mut at, key),
            Segment::Seq { index } => pointer::push(&mut at, &index.to_string()),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;
    use tasuki_api::null_default;
    use tasuki_packet::duration::Duration;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Claiming {
        party: String,
        lease: Option<Duration>,
        #[serde(default, deserialize_with = "null_default")]
        scopes: Vec<String>,
    }

    fn report(members: &Value) -> String {
        let result = deserialize::<Claiming>(members.as_object().unwrap().clone());
        let violations = result.map_or_else(|found| found, |_| Vec::new());
        let line = |one: &Violation| {
            let hint = one.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{} {}: {}{hint}", one.code.as_str(), one.pointer, one.message)
        };
        violations.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_member_that_is_wrong_is_named() {
        assert_eq!(report(&json!({ "party": "ana", "lease": "5m", "scopes": null })), "");
        let members = json!({ "leas": "5m", "lease": "5 minutes", "scopes": "read", "colour": 1 });
        insta::assert_snapshot!(report(&members), @r#"
        TK-FIELD-UNKNOWN /leas: unknown field `leas`, expected one of `party`, `lease`, `scopes` (did you mean `lease`?)
        TK-FIELD-VALUE /lease: a duration must be an integer and a unit (`ms`, `s`, `m`, `h` or `d`), as in `120s`
        TK-FIELD-TYPE /scopes: invalid type: string "read", expected a sequence
        TK-FIELD-UNKNOWN /colour: unknown field `colour`, expected one of `party`, `lease`, `scopes` (it has `party`, `lease`, `scopes`)
        TK-FIELD-MISSING /party: missing field `party`
        "#);
        insta::assert_snapshot!(report(&json!({ "party": 7, "scopes": ["read", 7] })), @"
        TK-FIELD-TYPE /party: invalid type: integer `7`, expected a string
        TK-FIELD-TYPE /scopes: at `[1]`: invalid type: integer `7`, expected a string
        ");
    }
}
