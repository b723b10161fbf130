//! Changes to derived schemas, so that they say what the interface guarantees.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value};
use tasuki_packet::document::limits::INTEGER_MAX;

/// Adds the transforms of all bodies.
pub(super) fn common(settings: SchemaSettings) -> SchemaSettings {
    settings
        .with_transform(RecursiveTransform(bound_integers))
        .with_transform(RecursiveTransform(drop_open_objects))
        .with_transform(RecursiveTransform(join_lines))
}

/// Adds the transforms of response bodies.
pub(super) fn response(settings: SchemaSettings) -> SchemaSettings {
    settings
        .with_transform(RecursiveTransform(close_objects))
        .with_transform(RecursiveTransform(strip_optional_nulls))
}

/// Limits integers to those that every JSON reader keeps exactly.
fn bound_integers(schema: &mut Schema) {
    let has_type = |name: &str| match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        _ => false,
    };
    let is_integer = has_type("integer");
    if !is_integer && !has_type("number") {
        return;
    }
    let format = schema.remove("format");
    if !is_integer {
        return;
    }
    // The maximum of a Rust type is a detail of this implementation.
    let is_small = format.is_some_and(|format| matches!(format.as_str(), Some("uint8" | "uint16")));
    if is_small || schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), INTEGER_MAX.into());
    }
}

/// Removes `additionalProperties: true`, which is the default.
fn drop_open_objects(schema: &mut Schema) {
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.remove("additionalProperties");
    }
}

/// Joins the lines of a description, which breaks lines as the source code does.
fn join_lines(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    }
}

/// Declares that an object has no other members than those described.
fn close_objects(schema: &mut Schema) {
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Removes null from members that a response leaves out instead.
fn strip_optional_nulls(schema: &mut Schema) {
    let required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut() {
        if let Some(property) = property.as_object_mut().filter(|_| !required.contains(name)) {
            strip_null(property);
        }
    }
}

fn strip_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    if let Some(Value::Array(either)) = schema.get_mut("anyOf") {
        either.retain(|schema| !is_null(schema));
        if let [Value::Object(only)] = either.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            for (name, value) in only {
                schema.entry(name).or_insert(value);
            }
        }
    }
}
