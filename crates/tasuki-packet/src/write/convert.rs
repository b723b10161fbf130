//! Converts packets between forms, and checks that nothing is lost.

use serde_json::Value;

use crate::document::Members;
use crate::patch::diff;
use crate::read::{Form, Source, wire};
use crate::violation::{Code, Violation};
use crate::write;

/// Writes a packet in a form. In Markdown, `brief` comes before the packet.
///
/// The text is read back and compared, so that a value that the form cannot represent is an error
/// and never a silent change.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::read::Form;
/// use tasuki_packet::write::convert::to_form;
///
/// let packet = json!({"handoff_version": "1.0", "goal": "Ship it"});
/// let yaml = to_form(packet.as_object().unwrap(), Form::Yaml, "")?;
/// assert_eq!(yaml, "handoff_version: \"1.0\"\ngoal: Ship it\n");
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// `TK-CONVERT-LOSSY` with the first value that does not read back.
pub fn to_form(members: &Members, form: Form, brief: &str) -> Result<String, Violation> {
    let text = match form {
        Form::Json => write::json(members),
        Form::Yaml => write::yaml(members),
        Form::Markdown => write::markdown(brief, members),
        Form::Wire => write::wire(members),
    };
    let read_back = read_back_members(&text)?;
    if is_same(members, &read_back) {
        return Ok(text);
    }
    let before = Value::Object(members.clone());
    let changes = diff::diff(&before, &Value::Object(read_back));
    let pointer = changes.first().map_or(String::new(), |change| change.pointer.clone());
    Err(Violation::new(
        Code::ConvertLossy,
        pointer,
        format!("{} cannot represent this value", form.name()),
    )
    .hint("run `tasuki validate` and give the field a value of its type"))
}

/// Returns `true` if two packets are equal, including the order of members at every level.
pub fn is_same(left: &Members, right: &Members) -> bool {
    // Maps ignore the order; their text does not.
    serde_json::to_string(left).ok() == serde_json::to_string(right).ok()
}

fn read_back_members(text: &str) -> Result<Members, Violation> {
    let source = Source::packet(text.as_bytes())?;
    let document = source.read_packet()?;
    match document.to_value() {
        Value::Object(members) if wire::is_wire(&members) => wire::unfold(members),
        Value::Object(members) => Ok(members),
        _ => Ok(Members::new()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::schema::field;
    use crate::write::arbitrary;

    fn members(value: Value) -> Members {
        match value {
            Value::Object(members) => members,
            _ => Members::new(),
        }
    }

    #[test]
    fn every_form_represents_a_packet() {
        let packet = members(json!({
            "handoff_version": "1.0", "task_id": "42", "unknown": { "b": 1, "a": [true, null] },
            "completed": ["a: b", "```", "no"], "context": { "node": "1.10", "n": 22 },
        }));
        for form in Form::ALL {
            let text = to_form(&packet, *form, "# Brief\n").unwrap();
            assert!(is_same(&packet, &read_back_members(&text).unwrap()), "{form:?}\n{text}");
        }
    }

    proptest! {
        /// A conversion to any form and back keeps all values and the order of members. A form
        /// rejects only what no form can represent, and known fields with a value of the wrong
        /// type.
        #[test]
        fn any_form_converts_to_any_other_and_back(others in arbitrary::members()) {
            let mut packet = members(json!({ "handoff_version": "1.0" }));
            packet.extend(others);
            let brief = "# Brief\n\n```yaml\nhandoff_version: no\n```\n";
            let is_plain = packet.keys().skip(1).all(|name| field::index_of(name).is_none());
            let is_readable = to_form(&packet, Form::Json, "").is_ok();
            for from in Form::ALL {
                let first = to_form(&packet, *from, brief);
                prop_assert!(first.is_ok() || !is_readable || !is_plain, "{from:?} {first:?}");
                let Ok(first) = first else { continue };
                let read = read_back_members(&first).unwrap();
                prop_assert!(is_same(&packet, &read), "{from:?}\n{first}");
                for to in Form::ALL {
                    let Ok(second) = to_form(&read, *to, brief) else { continue };
                    prop_assert!(is_same(&packet, &read_back_members(&second).unwrap()), "{to:?}\n{second}");
                }
            }
        }
    }

    #[test]
    fn a_value_that_yaml_cannot_represent_is_reported() {
        let packet = members(json!({ "handoff_version": "1.0", "task_id": 42 }));
        assert!(to_form(&packet, Form::Json, "").is_ok());
        let violation = to_form(&packet, Form::Yaml, "").unwrap_err();
        assert_eq!((violation.code, violation.pointer.as_str()), (Code::ConvertLossy, "/task_id"));
    }
}
