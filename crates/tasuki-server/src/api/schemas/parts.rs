//! What schemas are put together from.

use serde_json::{Map, Value, json};
use tasuki_engine::model::{Scope, StateWord};
use tasuki_packet::document::limits::INTEGER_MAX;

/// A member of an object: its name and its schema.
pub(super) type Member = (&'static str, Value);

/// The place of a schema in the document.
pub(crate) fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A page of such items.
pub(crate) fn page(name: &str) -> Value {
    object(&[("items", list(named(name)))], &[("next", text("Where the next page begins."))])
}

pub(super) fn object(required: &[Member], optional: &[Member]) -> Value {
    let names: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    let all = required.iter().chain(optional);
    let properties: Map<String, Value> =
        all.map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "required": names,
        "properties": properties,
        "additionalProperties": false,
    })
}

pub(super) fn text(summary: &str) -> Value {
    json!({ "type": "string", "description": summary })
}

pub(super) fn word(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

pub(super) fn id(prefix: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^{prefix}_[0-9a-f]{{32}}$") })
}

pub(super) fn digest() -> Value {
    json!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" })
}

pub(super) fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

pub(super) fn duration() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{1,12}(ms|s|m|h|d)$" })
}

/// A number that every reader of JSON keeps exactly.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": INTEGER_MAX })
}

/// The number of a revision.
pub(super) fn revision() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
}

pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// Any JSON value.
pub(super) fn any_value() -> Value {
    json!({})
}

pub(super) fn anything() -> Value {
    json!({ "type": "object" })
}

#[expect(clippy::needless_pass_by_value, reason = "schemas are put together, not looked at")]
pub(super) fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

pub(super) fn texts() -> Value {
    list(json!({ "type": "string" }))
}

pub(super) fn or_null(mut schema: Value) -> Value {
    if schema.get("$ref").is_some() {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

/// What a caller says: a member that may be left out may be null as well.
pub(super) fn request(required: &[Member], optional: &[Member]) -> Value {
    let optional: Vec<Member> =
        optional.iter().map(|(name, schema)| (*name, or_null(schema.clone()))).collect();
    object(required, &optional)
}

pub(super) fn states() -> Value {
    let words = StateWord::ALL.map(StateWord::as_str);
    word(&words)
}

pub(super) fn scopes() -> Value {
    list(word(&Scope::ALL.map(Scope::as_str)))
}

pub(super) fn why() -> Value {
    text("Why.")
}
