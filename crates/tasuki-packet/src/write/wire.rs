//! Writes the wire form: compact JSON in one line for models, with tables for repeated names.
//!
//! Names are not abbreviated: models know the full words, and abbreviations cost tokens. A list
//! becomes a table if it has at least four objects with the same names in the same order.
//! `read::wire` describes the form.

use serde_json::Value;

use crate::Members;
use crate::document::limits::DEPTH_MAX;
use crate::document::size::height;
use crate::read::wire::{MARKER, ROWS, TABLE, VERSION, is_hashes};

/// LIMIT: a shorter list costs more tokens as a table than it saves.
const TABLE_ROWS_MIN: usize = 4;

/// Writes a packet in the wire form.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write;
///
/// let packet = json!({"goal": "Ship it", "confidence": 0.62});
/// assert_eq!(
///     write::wire(packet.as_object().unwrap()),
///     "{\"tasuki\":\"wire/1\",\"goal\":\"Ship it\",\"confidence\":0.62}\n",
/// );
/// ```
pub fn wire(members: &Members) -> String {
    let mut folded = Members::new();
    folded.insert(MARKER.to_owned(), VERSION.into());
    for (name, member) in members {
        folded.insert(written_name_of_packet(name), fold(member, 2));
    }
    let line = format!("{}\n", Value::Object(folded));
    // JSON allows these inside a string, but some programs end a line at them.
    line.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace('\u{85}', "\\u0085")
}

/// Folds lists into tables; `depth` is the depth of the value, 1 for the packet.
fn fold(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(items) => match table_names(items) {
            // A table is one level deeper than its list, and must stay readable.
            Some(names) if depth + height(value) <= DEPTH_MAX => table(names, items, depth),
            _ => items.iter().map(|item| fold(item, depth + 1)).collect(),
        },
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (written_name(name), fold(member, depth + 1)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Returns the names that all items have in the same order, if the list should become a table.
fn table_names(items: &[Value]) -> Option<Vec<&String>> {
    if items.len() < TABLE_ROWS_MIN {
        return None;
    }
    let names: Vec<_> = items.first()?.as_object()?.keys().collect();
    let is_uniform = |item: &Value| {
        item.as_object().is_some_and(|members| members.keys().eq(names.iter().copied()))
    };
    (!names.is_empty() && items.iter().all(is_uniform)).then_some(names)
}

fn table(names: Vec<&String>, items: &[Value], depth: usize) -> Value {
    let row = |item: &Value| -> Value {
        item.as_object()
            .into_iter()
            .flat_map(Members::values)
            .map(|value| fold(value, depth + 3))
            .collect()
    };
    let mut table = Members::new();
    let names = names.into_iter().map(|name| Value::String(written_name(name))).collect();
    table.insert(TABLE.to_owned(), names);
    table.insert(ROWS.to_owned(), items.iter().map(row).collect());
    Value::Object(table)
}

fn written_name(name: &str) -> String {
    if is_hashes(name) { format!("{name}#") } else { name.to_owned() }
}

fn written_name_of_packet(name: &str) -> String {
    if name.trim_start_matches('#') == MARKER {
        return format!("#{name}");
    }
    written_name(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::read;
    use crate::write::arbitrary;

    const START: &str = r#"{"tasuki":"wire/1""#;

    #[test]
    fn four_uniform_objects_become_a_table() {
        let row = |id: u32| json!({"id": id, "text": "t"});
        check(
            &json!({"list": [row(1), row(2), row(3), row(4)]}),
            r##""list":{"#":["id","text"],"rows":[[1,"t"],[2,"t"],[3,"t"],[4,"t"]]}"##,
        );
        check(
            &json!({"list": [row(1), row(2), row(3)]}),
            r#""list":[{"id":1,"text":"t"},{"id":2,"text":"t"},{"id":3,"text":"t"}]"#,
        );
        check(
            &json!({"list": [{"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2, "a": 1}]}),
            r#""list":[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2},{"b":2,"a":1}]"#,
        );
        check(&json!({"list": [{}, {}, {}, {}]}), r#""list":[{},{},{},{}]"#);
    }

    #[test]
    fn tables_fold_inside_tables() {
        let inner = json!([{"#": 1}, {"#": 2}, {"#": 3}, {"#": 4}]);
        let outer = vec![json!({"in": inner}); 4];
        let folded = r###"{"#":["##"],"rows":[[1],[2],[3],[4]]}"###;
        let rows = vec![format!("[{folded}]"); 4].join(",");
        check(&json!({"list": outer}), &format!(r##""list":{{"#":["in"],"rows":[{rows}]}}"##));
    }

    #[test]
    fn names_that_look_like_markers_get_one_more_hash() {
        check(
            &json!({"tasuki": 1, "#tasuki": 2, "#": 3, "##": {"#": 4, "tasuki": 5}, "#a": 6}),
            r####""#tasuki":1,"##tasuki":2,"##":3,"###":{"##":4,"tasuki":5},"#a":6"####,
        );
    }

    #[test]
    fn the_wire_form_is_one_line_for_every_program() {
        let packet = json!({"goal": "a\nb\u{2028}c\u{2029}d\u{85}e"});
        check(&packet, r#""goal":"a\nb\u2028c\u2029d\u0085e""#);
    }

    #[test]
    fn a_table_never_exceeds_the_depth_limit() {
        let mut value = json!("leaf");
        for _ in 0..(DEPTH_MAX - 2) / 2 {
            value = json!([{"a": value}, {"a": 1}, {"a": 2}, {"a": 3}]);
        }
        let packet = json!({"list": value});
        let line = wire(packet.as_object().unwrap());
        let parsed: Value = serde_json::from_str(&line).unwrap();
        assert!(height(&parsed) <= DEPTH_MAX, "{}", height(&parsed));
        assert_eq!(unfolded(&line), packet);
    }

    proptest! {
        #[test]
        fn unfolding_what_was_written_gives_the_same_packet(members in arbitrary::members()) {
            let line = wire(&members);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert!(line.starts_with(START));
            // Compared as text, so that the order of members counts.
            prop_assert_eq!(unfolded(&line).to_string(), Value::Object(members).to_string());
        }
    }

    fn check(packet: &Value, expected: &str) {
        let line = wire(packet.as_object().unwrap());
        assert_eq!(line, format!("{{\"tasuki\":\"wire/1\",{expected}}}\n"));
        assert_eq!(unfolded(&line).to_string(), packet.to_string());
    }

    fn unfolded(line: &str) -> Value {
        let members: Members = serde_json::from_str(line).unwrap();
        assert!(read::wire::is_wire(&members));
        Value::Object(read::wire::unfold(members).unwrap())
    }
}
