//! Writes YAML as people write it: block style, two spaces, no tags, anchors or folding.
//!
//! A library cannot be used, because the reader has its own rule for unquoted scalars: `1.10` and
//! `no` are texts, and a number is only what RFC 8785 would print. `scalar` decides how a text is
//! spelled; this module does the layout.

use serde_json::{Number, Value};

use super::scalar;
use crate::Members;

const STEP: usize = 2;

/// LIMIT: YAML readers look for the `:` of a key within 1,024 characters. A longer key is marked
/// with `?`. The margin is for readers that count the bytes of escapes.
const KEY_CHARS_MAX: usize = 1_000;

/// Writes a packet as YAML.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write;
///
/// let packet = json!({"handoff_version": "1.0", "remaining": ["Add tests"], "confidence": 0.62});
/// assert_eq!(
///     write::yaml(packet.as_object().unwrap()),
///     "handoff_version: \"1.0\"\nremaining:\n  - Add tests\nconfidence: 0.62\n",
/// );
/// ```
pub fn yaml(members: &Members) -> String {
    let mut text = String::new();
    if members.is_empty() {
        text.push_str("{}\n");
    } else {
        write_mapping(&mut text, members, 0);
    }
    text
}

/// Writes members, one per line. The first one continues the current line.
fn write_mapping(text: &mut String, members: &Members, indent: usize) {
    for (index, (name, member)) in members.iter().enumerate() {
        if index > 0 {
            pad(text, indent);
        }
        write_key(text, name, indent);
        if has_lines(member) {
            start_line(text, indent + STEP);
        } else {
            text.push(' ');
        }
        write_value(text, member, indent + STEP);
    }
}

/// Writes items, one per line. The first one continues the current line.
fn write_sequence(text: &mut String, items: &[Value], indent: usize) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            pad(text, indent);
        }
        text.push_str("- ");
        write_value(text, item, indent + STEP);
    }
}

/// Returns `true` if a value is written on lines of its own, below its key.
fn has_lines(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Writes a value and ends its last line. Lines after the first are indented by `indent`.
fn write_value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) if has_lines(value) => return write_mapping(text, members, indent),
        Value::Array(items) if has_lines(value) => return write_sequence(text, items, indent),
        Value::Object(_) => text.push_str("{}"),
        Value::Array(_) => text.push_str("[]"),
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::String(content) => write_text(text, content, indent),
    }
    text.push('\n');
}

fn write_text(text: &mut String, content: &str, indent: usize) {
    if scalar::is_plain(content) {
        text.push_str(content);
    } else if let Some(header) = scalar::block_header(content) {
        text.push_str(header);
        write_block(text, content, indent);
    } else {
        text.push_str(&scalar::quoted(content));
    }
}

fn write_key(text: &mut String, name: &str, indent: usize) {
    let key = if scalar::is_plain(name) { name.to_owned() } else { scalar::quoted(name) };
    if key.chars().count() > KEY_CHARS_MAX {
        text.push_str("? ");
        text.push_str(&key);
        start_line(text, indent);
    } else {
        text.push_str(&key);
    }
    text.push(':');
}

fn write_block(text: &mut String, content: &str, indent: usize) {
    for line in content.strip_suffix('\n').unwrap_or(content).split('\n') {
        text.push('\n');
        if !line.is_empty() {
            pad(text, indent);
            text.push_str(line);
        }
    }
}

/// Returns the number as RFC 8785 prints it, because only that is read as a number.
fn number_text(number: &Number) -> String {
    if number.is_f64() {
        // Integers are printed unchanged: RFC 8785 would round those beyond 2^53.
        return serde_json_canonicalizer::to_string(number).unwrap_or_else(|_| number.to_string());
    }
    number.to_string()
}

fn start_line(text: &mut String, indent: usize) {
    text.push('\n');
    pad(text, indent);
}

fn pad(text: &mut String, indent: usize) {
    text.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use std::iter::Peekable;

    use granit_parser::{Event, Parser, ScalarStyle};
    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;
    use crate::write::arbitrary;

    #[test]
    fn a_packet_looks_as_people_write_it() {
        let packet = json!({
            "handoff_version": "1.0",
            "goal": "Ship it",
            "completed": [],
            "context": {},
            "decisions": [{"text": "Use hooks", "state": "verified"}, "Keep: the alias"],
            "summary": "First line.\n\n  indented\nlast line.\n",
            "scope": {"is": "a scaffold", "is_not": ["a package", "1.10"]},
            "confidence": 0.62,
            "cost": {"tokens": 41200, "amount": "0.45"},
            "can_intercept": true,
            "supersedes": null,
            "matrix": [[1, 2], [], [{"a": "x\ny"}]],
            "no": "yes",
        });
        let text = yaml(packet.as_object().unwrap());
        insta::assert_snapshot!(text, @r#"
        handoff_version: "1.0"
        goal: Ship it
        completed: []
        context: {}
        decisions:
          - text: Use hooks
            state: verified
          - "Keep: the alias"
        summary: |
          First line.

            indented
          last line.
        scope:
          is: a scaffold
          is_not:
            - a package
            - "1.10"
        confidence: 0.62
        cost:
          tokens: 41200
          amount: "0.45"
        can_intercept: true
        supersedes: null
        matrix:
          - - 1
            - 2
          - []
          - - a: |-
                x
                y
        "no": "yes"
        "#);
    }

    #[test]
    fn an_empty_packet_is_an_empty_mapping() {
        assert_eq!(yaml(&Map::new()), "{}\n");
    }

    #[test]
    fn numbers_are_printed_as_rfc_8785_prints_them() {
        for (number, text) in [
            (json!(22), "22"),
            (json!(1.0), "1"),
            (json!(-0.0), "0"),
            (json!(0.74), "0.74"),
            (json!(1e21), "1e+21"),
            (json!(1e-7), "1e-7"),
            (json!(9_007_199_254_740_993_u64), "9007199254740993"),
        ] {
            let packet = json!({"amount": number});
            assert_eq!(yaml(packet.as_object().unwrap()), format!("amount: {text}\n"));
        }
    }

    #[test]
    fn a_key_that_is_too_long_for_readers_is_marked() {
        let long = "k".repeat(3_000);
        let packet = json!({"list": [{&long: {"a": ["b"]}, "c": 1}], &long: "x"});
        let text = yaml(packet.as_object().unwrap());
        assert!(text.contains("  - ? kkk"), "{}", &text[..40]);
        assert_eq!(read(&text), packet);
    }

    proptest! {
        #[test]
        fn reading_what_was_written_gives_the_same_packet(members in arbitrary::members()) {
            let text = yaml(&members);
            // Compared as text, so that the order of members counts.
            prop_assert_eq!(read(&text).to_string(), Value::Object(members).to_string());
        }

        #[test]
        fn every_text_survives_as_value_item_and_key(text in arbitrary::text()) {
            let packet = json!({"value": &text, "list": [&text, {"in": &text}], &text: 1});
            let written = yaml(packet.as_object().unwrap());
            prop_assert_eq!(read(&written), packet, "{}", written);
        }
    }

    /// A small reader with the scalar rule for fields without a known type.
    fn read(text: &str) -> Value {
        let events: Vec<_> = Parser::new_from_str(text).map(|event| event.unwrap().0).collect();
        assert_eq!(events[..2], [Event::StreamStart, Event::DocumentStart(false, None)]);
        let mut nodes = events.into_iter().skip(2).peekable();
        let value = node(&mut nodes);
        assert!(nodes.eq([Event::DocumentEnd, Event::StreamEnd]));
        value
    }

    fn node<'t>(events: &mut Peekable<impl Iterator<Item = Event<'t>>>) -> Value {
        let event = events.next().unwrap();
        if let Event::Scalar(text, style, 0, None) = event {
            return value_of(&text, style);
        }
        if let Event::SequenceStart(_, 0, None) = event {
            let mut items = Vec::new();
            while events.next_if_eq(&Event::SequenceEnd).is_none() {
                items.push(node(events));
            }
            return Value::Array(items);
        }
        assert!(matches!(event, Event::MappingStart(_, 0, None)), "{event:?}");
        let mut members = Map::new();
        while events.next_if_eq(&Event::MappingEnd).is_none() {
            let Value::String(key) = node(events) else { panic!("a key that is not text") };
            let old = members.insert(key, node(events));
            assert_eq!(old, None);
        }
        Value::Object(members)
    }

    fn value_of(text: &str, style: ScalarStyle) -> Value {
        if style == ScalarStyle::Plain { plain(text) } else { Value::String(text.to_owned()) }
    }

    fn plain(text: &str) -> Value {
        match text {
            "null" | "~" | "" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            other => match serde_json::from_str::<Number>(other) {
                Ok(number) if serde_json_canonicalizer::to_string(&number).unwrap() == other => {
                    Value::Number(number)
                }
                _ => Value::String(other.to_owned()),
            },
        }
    }
}
