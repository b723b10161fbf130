//! The members of a payload, as a table of a page: one row for each member of a JSON Schema.

use serde_json::Value;

use super::super::block::{Line, cell, code_cell};

/// LIMIT: levels of objects and lists that a table shows. Deeper ones are in the schema itself.
const DEPTH_MAX: usize = 6;

/// One member of a payload.
#[derive(Debug)]
pub(super) struct Row {
    /// The names on the way to it; `[]` marks the items of a list.
    path: String,
    value: String,
    is_required: bool,
    meaning: String,
}

impl Row {
    pub(super) fn cells(self) -> Vec<Line> {
        let required = if self.is_required { "yes" } else { "" };
        vec![code_cell(&self.path), cell(&self.value), cell(required), cell(&self.meaning)]
    }
}

/// Returns the members of a schema, each before the members below it.
pub(super) fn rows(schema: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    collect(schema, schema, "", DEPTH_MAX, &mut rows);
    rows
}

fn collect(schema: &Value, root: &Value, path: &str, depth: usize, rows: &mut Vec<Row>) {
    let schema = resolved(schema, root);
    if depth == 0 {
        return;
    }
    if let Some(items) = schema.get("items") {
        return collect(items, root, &format!("{path}[]"), depth - 1, rows);
    }
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let member = resolved(member, root);
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        rows.push(Row {
            path: path.clone(),
            value: describe(member, root),
            is_required: is_required(name),
            meaning: member["description"].as_str().unwrap_or_default().to_owned(),
        });
        collect(member, root, &path, depth - 1, rows);
    }
}

/// Follows a reference within the schema.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let target = schema["$ref"].as_str().and_then(|text| text.strip_prefix('#'));
    target.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Describes the values that a member may have.
fn describe(schema: &Value, root: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<_> = values.iter().map(plain).collect();
        return format!("one of {}", words.join(", "));
    }
    if let Some(value) = schema.get("const") {
        return plain(value);
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().map(plain).collect::<Vec<_>>().join(" or "),
        _ => "any value".to_owned(),
    };
    let items = schema.get("items").map(|items| &resolved(items, root)["type"]);
    let kind = match items {
        Some(Value::String(kind)) => format!("list of {kind}"),
        Some(_) => "list".to_owned(),
        None => kind,
    };
    let format = schema["format"].as_str().map(|format| format!(" ({format})"));
    let bounds = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => format!(", {low} to {high}"),
        (Some(low), None) => format!(", at least {low}"),
        (None, Some(high)) => format!(", at most {high}"),
        (None, None) => String::new(),
    };
    format!("{kind}{}{bounds}", format.unwrap_or_default())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_listed_with_their_values() {
        let schema = json!({
            "required": ["level", "spans"],
            "properties": {
                "level": { "enum": ["low", 2] },
                "at": { "type": "string", "format": "date-time" },
                "share": { "type": "number", "minimum": 0, "maximum": 1 },
                "spans": { "type": "array", "items": { "$ref": "#/$defs/span" } },
            },
            "$defs": { "span": { "type": "object", "properties": { "id": { "type": "string" } } } },
        });
        let shown: Vec<_> = rows(&schema)
            .iter()
            .map(|row| format!("{} {} {}", row.path, row.value, row.is_required))
            .collect();
        assert_eq!(
            shown,
            [
                "level one of low, 2 true",
                "at string (date-time) false",
                "share number, 0 to 1 false",
                "spans list of object true",
                "spans[].id string false",
            ]
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({ "properties": { "next": { "$ref": "#" } } });
        assert_eq!(rows(&schema).len(), DEPTH_MAX);
        let lists = json!({ "items": { "$ref": "#" } });
        assert_eq!(rows(&lists).len(), 0);
    }
}
