//! Actions that a person is asked to approve: text, or JSON.
//!
//! Text is kept in `{"action": …}` without any change. JSON keeps the order of its members; numbers
//! that would lose digits are refused.

use std::path::Path;

use serde_json::{Value, json};
use tasuki_packet::read::Source;

use super::file;
use crate::exit::Failure;
use crate::input::packet_file;

/// Parses an action from the command line: a JSON object, or text.
pub(crate) fn parse(written: &str) -> Result<Value, Failure> {
    match serde_json::from_str(written) {
        Ok(Value::Object(_)) => exact(written.as_bytes()),
        // The exchange refuses a blank action.
        _ if written.trim().is_empty() => Ok(json!(written)),
        _ => Ok(worded(written)),
    }
}

/// Reads an action from a file, or from stdin with `-`: a JSON object or array, or text. A file whose
/// name ends in `.json` must be JSON.
pub(crate) fn read(path: &Path) -> Result<Value, Failure> {
    let bytes = file::bytes(path)?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(_) | Value::Array(_)) => return exact(&bytes),
        Ok(_) if is_json => return exact(&bytes),
        Err(error) if is_json => {
            let path = path.display();
            return Err(Failure::refused(format!("{path} is not valid JSON: {error}")));
        }
        _ => {}
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => Ok(json!(text)),
        Ok(text) => Ok(worded(&text)),
        Err(_) => Err(Failure::refused(format!("{} is not UTF-8 text", path.display()))
            .hint("ask for approval of its digest, or of the command that uses it")),
    }
}

/// Returns the words of an action if it is text, else its JSON.
pub(crate) fn text(action: &Value) -> String {
    let words = match action {
        Value::Object(members) if members.len() == 1 => members.get("action"),
        other => Some(other),
    };
    words.and_then(Value::as_str).map_or_else(|| action.to_string(), str::to_owned)
}

/// Returns text as an action.
pub(crate) fn worded(text: &str) -> Value {
    json!({ "action": text })
}

/// Parses JSON without losing digits or duplicate keys.
fn exact(bytes: &[u8]) -> Result<Value, Failure> {
    let read = Source::json(bytes).and_then(|source| Ok(source.read_plain()?.to_value()));
    read.map_err(|violation| packet_file::violation_failure(&violation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_text_unless_it_is_a_json_object() {
        let check = |written: &str, expected: Value| {
            assert_eq!(parse(written).unwrap(), expected);
        };
        check("Deploy 2.4.1", json!({ "action": "Deploy 2.4.1" }));
        check(" two\tlines\n", json!({ "action": " two\tlines\n" }));
        check("[1]", json!({ "action": "[1]" }));
        check("17", json!({ "action": "17" }));
        check(r#"{"run":"make"}"#, json!({ "run": "make" }));
        check("", json!(""));
    }

    #[test]
    fn the_words_of_an_action_are_its_text() {
        for written in ["Deploy 2.4.1", " two\tlines\n", r#"{"z":1,"a":[2]}"#] {
            assert_eq!(text(&parse(written).unwrap()), written);
        }
    }

    #[test]
    fn json_that_would_lose_something_is_refused() {
        for lossy in [r#"{"a":1,"a":2}"#, r#"{"amount":12345678901234567890123}"#] {
            assert!(parse(lossy).is_err(), "{lossy}");
        }
    }
}
