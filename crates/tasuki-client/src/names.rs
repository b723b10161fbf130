//! Checks the names in a response: ids, parties, tasks, states.
//!
//! Callers print a name on one line and put it into commands. An exchange gives out only names that
//! are one word, so a response with another name is not one of an exchange, and is refused before
//! anything of it is printed. Texts of people and packets may hold anything; callers escape them.

use serde_json::{Map, Value};

/// The members of responses that hold a name or a list of names.
const NAMES: &[&str] = &[
    "actor",
    "by",
    "child",
    "claim",
    "code",
    "contract",
    "declined_by",
    "digest",
    "event",
    "from",
    "handoff",
    "held_for",
    "holder",
    "id",
    "judge",
    "kind",
    "members",
    "parent",
    "party",
    "person",
    "project",
    "receiver",
    "registered",
    "returned_by",
    "risk",
    "roles",
    "scopes",
    "sender",
    "sends_for",
    "state",
    "task",
    "to",
    "type",
    "variant",
    "version",
];

/// The members that hold the words of another party.
const DOCUMENTS: &[&str] = &["action", "attributes", "document", "packet"];

/// The members of a packet, a schema or the description of the interface, which are documents.
const IS_DOCUMENT: &[&str] = &["handoff_version", "$schema", "openapi"];

/// Returns the first member whose name is not one word.
pub(crate) fn invalid(body: &Value) -> Option<&'static str> {
    match body {
        Value::Array(items) => items.iter().find_map(invalid),
        Value::Object(members) if !IS_DOCUMENT.iter().any(|key| members.contains_key(*key)) => {
            members.iter().find_map(|(name, value)| invalid_member(members, name, value))
        }
        _ => None,
    }
}

fn invalid_member(beside: &Map<String, Value>, name: &str, value: &Value) -> Option<&'static str> {
    if DOCUMENTS.contains(&name) {
        return None;
    }
    let own = NAMES.iter().copied().find(|known| *known == name);
    // The name of a token is a label; every other `name` is one of a party, a gate or a project.
    let own = own.or((name == "name" && !beside.contains_key("scopes")).then_some("name"));
    match (own, value) {
        (Some(own), Value::String(text)) => (!is_word(text)).then_some(own),
        (Some(own), Value::Array(items)) => {
            let has_other = items.iter().filter_map(Value::as_str).any(|text| !is_word(text));
            if has_other { Some(own) } else { invalid(value) }
        }
        _ => invalid(value),
    }
}

/// Returns `true` for a text without blanks, controls and characters that a shell interprets.
fn is_word(text: &str) -> bool {
    const SHELL: &str = "\"'`\\$&|;<>()";
    let is_hidden = |c: char| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !text.contains(|c: char| {
        c.is_control() || c.is_whitespace() || is_hidden(c) || SHELL.contains(c)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_one_word() {
        for name in ["ana", "role:reviewer", "inc/2026:42#3", "задача-7", "a@1.2", "10.0.0.0/8", ""]
        {
            assert_eq!(invalid(&json!({"items": [{"to": name, "held_for": [name]}]})), None);
        }
        for name in ["a b", "a;b", "a\nb", "a\u{1b}[2J", "a\u{9b}", "a\u{202e}b", "$(id)", "`id`"] {
            assert_eq!(invalid(&json!({"items": [{"goal": "g", "to": name}]})), Some("to"));
            assert_eq!(invalid(&json!({"held_for": ["ok", name]})), Some("held_for"));
            assert_eq!(invalid(&json!({"party": {"name": name}})), Some("name"));
        }
    }

    #[test]
    fn texts_may_hold_anything() {
        let text = "two\nlines; $(id)";
        for body in [
            json!({"goal": text, "reason": text, "notes": [text]}),
            json!({"handoff_version": "1.0", "task_id": "t", "to": text}),
            json!({"packet": {"to": text}, "attributes": {"by": text}}),
            json!({"token": {"name": text, "scopes": ["read"]}}),
        ] {
            assert_eq!(invalid(&body), None, "{body}");
        }
    }
}
