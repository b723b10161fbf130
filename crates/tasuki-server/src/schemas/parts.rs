//! What schemas are put together from.

use serde_json::{Map, Value, json};
use tasuki_engine::handoff::StateWord;
use tasuki_engine::principal::Scope;

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
    json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$" })
}

pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
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
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
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
