//! Generated files are committed, so that people can read and compare them.
//!
//! They must be up to date; `TASUKI_UPDATE=1 cargo test` rewrites them.

use std::collections::BTreeSet;

use tasuki_packet::leaf::{AttributeKind, EventType};
use tasuki_packet::schema::field::{FIELDS, Field, Format, Shape};
use tasuki_packet::schema::variant::Presence;
use tasuki_packet::{Kind, Variant, schema};

use crate::files::{self, assert_none};

const FOLDER: &str = "schemas/packet/1.0";

#[test]
fn schema_files_are_current() {
    let mut wrong = Vec::new();
    let mut expected = BTreeSet::new();
    for name in Variant::names() {
        let file = format!("{FOLDER}/{name}.json");
        let schema = schema::of(&Variant::named(name).unwrap());
        wrong.extend(files::compare(&file, &schema).err());
        expected.insert(format!("{name}.json"));
    }
    let found = BTreeSet::from_iter(files::names_in(FOLDER));
    wrong.extend(
        found.difference(&expected).map(|name| format!("{FOLDER}/{name} belongs to no variant")),
    );
    assert_none(&wrong);
}

#[test]
fn tables_of_the_specification_are_current() {
    let file = "docs/spec/packet-1.0.md";
    let mut text = files::text(file);
    for (name, table) in
        [("fields", field_table()), ("presence", presence_table()), ("formats", format_table())]
    {
        text = between_markers(&text, name, &table);
    }
    assert_none(&Vec::from_iter(files::compare_text(file, &text).err()));
}

#[test]
fn events_of_the_leaf_specification_are_current() {
    let file = "docs/spec/leaf-1.0.md";
    let mut table = "| type | attributes |\n|---|---|\n".to_owned();
    for event in EventType::ALL {
        let required = event.required().iter().map(attribute);
        let optional = event.optional().iter().map(|each| format!("[{}]", attribute(each)));
        let all: Vec<_> = required.chain(optional).collect();
        table.push_str(&format!("| `{}` | {} |\n", event.name(), all.join(", ")));
    }
    let text = between_markers(&files::text(file), "events", &table);
    assert_none(&Vec::from_iter(files::compare_text(file, &text).err()));
}

fn attribute((name, kind): &(&str, AttributeKind)) -> String {
    let holds = match kind {
        AttributeKind::Integer => "an integer".to_owned(),
        AttributeKind::Id(prefix) => format!("`{prefix}_…`"),
        AttributeKind::Instant => "an instant".to_owned(),
        AttributeKind::Word(words) => format!("one of `{}`", words.join("`, `")),
        AttributeKind::Words(words) => format!("some of `{}`", words.join("`, `")),
        AttributeKind::Hash => "a hash".to_owned(),
    };
    format!("`{name}`: {holds}")
}

/// Replaces the table between the markers of this name.
fn between_markers(text: &str, name: &str, table: &str) -> String {
    let (start, end) = (format!("<!-- generated: {name} -->\n"), "<!-- /generated -->");
    let (before, rest) = text.split_once(&start).expect("the marker is there");
    let (_, after) = rest.split_once(end).expect("the marker is closed");
    format!("{before}{start}\n{table}\n{end}{after}")
}

fn field_table() -> String {
    let mut table = "| field | value | purpose |\n|---|---|---|\n".to_owned();
    for field in FIELDS {
        let holds = match field.shape {
            Shape::Text(rule) if rule.non_blank => {
                format!("non-blank text, at most {} characters", rule.chars_max)
            }
            Shape::Text(rule) => format!("text, at most {} characters", rule.chars_max),
            other => other.describe().replace('|', "\\|"),
        };
        table.push_str(&format!("| `{}` | {holds} | {} |\n", field.name, field.purpose));
    }
    table
}

/// For every field and variant: required, filled, optional or refused, by kind.
fn presence_table() -> String {
    let variants: Vec<_> = Variant::names().filter_map(Variant::named).collect();
    let names: Vec<_> = variants.iter().map(|variant| variant.name().to_owned()).collect();
    let mut table =
        format!("| field | {} |\n|---{}|\n", names.join(" | "), "|---".repeat(names.len()));
    for field in FIELDS {
        let cells: Vec<_> = variants.iter().map(|variant| presence(variant, field)).collect();
        table.push_str(&format!("| `{}` | {} |\n", field.name, cells.join(" | ")));
    }
    table
}

/// Returns `R` for required and `R+` for required with items, each with its kinds; empty is
/// optional.
fn presence(variant: &Variant, field: &Field) -> String {
    let kinds =
        [(Kind::Handoff, "h"), (Kind::Checkpoint, "c"), (Kind::Return, "r"), (Kind::Decision, "d")];
    let kinds_with = |wanted: Presence| -> String {
        let of_kind = kinds.iter().filter(|(kind, _)| variant.presence(field, *kind) == wanted);
        of_kind.map(|(_, letter)| *letter).collect()
    };
    let mut cells = Vec::new();
    for (presence, word) in
        [(Presence::Filled, "R+"), (Presence::Required, "R"), (Presence::Refused, "refused")]
    {
        match kinds_with(presence).as_str() {
            "" => {}
            "hcrd" => cells.push(word.to_owned()),
            letters => cells.push(format!("{word} {letters}")),
        }
    }
    cells.join(", ")
}

fn format_table() -> String {
    let mut table = "| format | pattern |\n|---|---|\n".to_owned();
    for format in Format::ALL {
        let pattern = format.pattern().replace('|', "\\|").replace('\t', "\\t");
        let pattern = pattern.replace('\r', "\\r").replace('\n', "\\n");
        table.push_str(&format!("| {} | `{pattern}` |\n", format.describe()));
    }
    table
}
