//! The JSON Schemas (2020-12) of all variants, generated from the field table.
//!
//! They are the published contract for implementations that do not use this crate. A test checks
//! that schema and validator agree on every vector and on generated packets.

use serde_json::{Map, Value, json};

use super::Kind;
use super::field::{FIELDS, FREE_FIELDS, Field, Object, PIN, Shape};
use super::variant::{CONDITIONS, Unknown, Variant};
use crate::document::limits::LIST_ITEMS_MAX;

/// The base URL of schema ids and extensions.
///
/// A placeholder: the project does not own the domain yet, and nothing is fetched from it.
pub const NAMES_BASE: &str = "https://tasuki.dev";

/// The definition of a field with data of the sender.
const FREE_FIELD: &str = "#/$defs/free_field";

const KINDS: [(Kind, &[&str]); 3] = [
    (Kind::Checkpoint, &["checkpoint"]),
    (Kind::Return, &["return", "verification_report"]),
    (Kind::Decision, &["decision", "decision_record"]),
];

/// Returns the JSON Schema of a variant.
///
/// ```
/// use tasuki_packet::{Variant, schema};
///
/// let schema = schema::of(&Variant::named("baseline").unwrap());
/// assert_eq!(schema["title"], "Tasuki packet 1.0, variant baseline");
/// ```
pub fn of(variant: &Variant) -> Value {
    let mut definitions = Map::new();
    let mut properties = Map::new();
    for (index, field) in FIELDS.iter().enumerate() {
        let schema = if variant.refused().contains(index) {
            Value::Bool(false)
        } else {
            property(variant, index, field, &mut definitions)
        };
        properties.insert(field.name.to_owned(), schema);
    }
    // An ignored pin would be a broken promise.
    properties.insert(PIN.to_owned(), Value::Bool(false));
    for name in variant.required_beside() {
        properties.insert(name.clone(), json!({ "$ref": FREE_FIELD }));
    }
    definitions.extend(free_data());
    let name = variant.name();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("{NAMES_BASE}/schemas/packet/1.0/{name}.json"),
        "title": format!("Tasuki packet 1.0, variant {name}"),
        "type": "object",
        "properties": properties,
        "allOf": requirements(variant),
        "$defs": definitions,
    });
    if let Some(purpose) = Variant::purpose(name) {
        schema["description"] = Value::from(purpose);
    }
    schema["additionalProperties"] = match variant.unknown() {
        Unknown::Refuse => Value::Bool(false),
        Unknown::Keep => json!({ "$ref": FREE_FIELD }),
    };
    schema
}

/// Returns the definitions of free data: no statement is pinned where packets do not carry it on,
/// which is everywhere but in the lists of a field and of its members.
fn free_data() -> [(String, Value); 4] {
    let pinned = json!({
        "type": "object",
        "properties": { PIN: { "const": true }, "text": { "type": "string" } },
        "required": [PIN, "text"],
    });
    let unpinned = json!({ "$ref": "#/$defs/unpinned" });
    let item = json!({ "additionalProperties": unpinned, "items": unpinned });
    let without_pin = |members: &Value, items: &Value| {
        json!({
            "not": { "$ref": "#/$defs/pinned_statement" },
            "additionalProperties": members,
            "items": items,
        })
    };
    let member = json!({ "$ref": "#/$defs/free_member" });
    [
        ("pinned_statement".to_owned(), pinned),
        ("unpinned".to_owned(), without_pin(&unpinned, &unpinned)),
        ("free_member".to_owned(), without_pin(&unpinned, &item)),
        ("free_field".to_owned(), without_pin(&member, &item)),
    ]
}

fn property(
    variant: &Variant,
    index: usize,
    field: &'static Field,
    definitions: &mut Map<String, Value>,
) -> Value {
    let mut schema = shape(variant.shape(field), definitions);
    let types = variant.packet_types();
    if field.name == "packet_type" && !types.is_empty() {
        schema = json!({ "enum": types });
    }
    if variant.filled().contains(index) {
        // Added with `allOf`, because the shape may be a reference or one of several.
        schema = json!({ "allOf": [schema], "minItems": 1 });
    }
    if FREE_FIELDS.contains(&field.name) {
        schema = json!({ "allOf": [schema, { "$ref": FREE_FIELD }] });
    }
    schema["description"] = Value::from(field.purpose);
    schema
}

/// Returns the required fields of each kind of packet.
fn requirements(variant: &Variant) -> Value {
    let required = |kind: Kind| {
        let mut names: Vec<_> = variant.required(kind).fields().map(|field| field.name).collect();
        names.extend(variant.required_beside().iter().map(String::as_str));
        names
    };
    let is_one_of = |words: &[&str]| json!({ "properties": { "packet_type": { "enum": words } }, "required": ["packet_type"] });
    let others: Vec<_> = KINDS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
    let mut rules = vec![json!({
        "if": { "not": is_one_of(&others) },
        "then": { "required": required(Kind::Handoff) },
    })];
    for (kind, words) in KINDS {
        rules.push(json!({ "if": is_one_of(words), "then": { "required": required(kind) } }));
    }
    for condition in CONDITIONS {
        let words = KINDS.iter().find(|(kind, _)| *kind == condition.kind).map_or(&[][..], |k| k.1);
        rules.push(json!({
            "if": {
                "properties": {
                    "packet_type": { "enum": words },
                    condition.field: { "const": condition.word },
                },
                "required": ["packet_type", condition.field],
            },
            "then": { "required": [condition.requires] },
        }));
    }
    Value::Array(rules)
}

fn shape(shape: &'static Shape, definitions: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Named(name, inner) => {
            if !definitions.contains_key(*name) {
                let schema = self::shape(inner, definitions);
                definitions.insert((*name).to_owned(), schema);
            }
            json!({ "$ref": format!("#/$defs/{name}") })
        }
        Shape::Text(rule) if rule.non_blank => {
            json!({ "type": "string", "maxLength": rule.chars_max, "pattern": "[^ \t\r\n]" })
        }
        Shape::Text(rule) => json!({ "type": "string", "maxLength": rule.chars_max }),
        Shape::Format(format) => {
            let mut schema = json!({ "type": "string", "pattern": format.pattern() });
            if let Some(name) = format.schema_format() {
                schema["format"] = Value::from(name);
            }
            if let Some(max) = format.chars_max() {
                schema["maxLength"] = Value::from(max);
            }
            schema
        }
        Shape::Word(words) => json!({ "enum": words }),
        Shape::Integer { min } => json!({ "type": "integer", "minimum": min }),
        Shape::Number { min, .. } if min.is_infinite() => json!({ "type": "number" }),
        Shape::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::List { item } => {
            let items = self::shape(item, definitions);
            json!({ "type": "array", "items": items, "maxItems": LIST_ITEMS_MAX })
        }
        Shape::Object(object) => self::object(object, definitions),
        Shape::Map => json!({ "type": "object" }),
        Shape::Any => json!({}),
        Shape::Either(shapes) => {
            let all: Vec<_> = shapes.iter().map(|each| self::shape(each, definitions)).collect();
            json!({ "anyOf": all })
        }
    }
}

fn object(object: &'static Object, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for member in object.members {
        properties.insert(member.name.to_owned(), shape(member.shape, definitions));
    }
    if object.member(PIN).is_none() {
        properties.insert(PIN.to_owned(), Value::Bool(false));
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !object.required.is_empty() {
        schema["required"] = json!(object.required);
    }
    if !object.together.is_empty() {
        let mut dependent = Map::new();
        for (left, right) in object.together {
            dependent.insert((*left).to_owned(), json!([right]));
            dependent.insert((*right).to_owned(), json!([left]));
        }
        schema["dependentRequired"] = Value::Object(dependent);
    }
    schema
}
