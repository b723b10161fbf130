//! The model form: a closed schema for the structured output of models, and the way back.
//!
//! Structured-output modes accept a small part of JSON Schema: every object is closed, every member
//! is required, and there are no conditions. Their limits on optional members and unions are low. So
//! absence has a neutral value instead of a union wherever one exists: an empty text, an empty list,
//! `unknown`, `false`. Open objects such as `context` are lists of names and values.
//!
//! [`read`] turns an answer into an ordinary packet. Fields that the exchange or a person writes are
//! not part of the form.

use serde_json::{Map, Value, json};

use super::Kind;
use super::field::{FIELDS, Field, FieldSet, Object, Shape};
use super::variant::Variant;
use crate::document::{Members, pointer};
use crate::violation::{Code, Violation};

/// The fields that a model may write, by kind, besides the required ones of the variant.
const HANDOFF: &[&str] = &[
    "task_id",
    "from_agent",
    "to_agent",
    "status",
    "goal",
    "summary",
    "next_request",
    "completed",
    "remaining",
    "decisions",
    "pitfalls_hit",
    "failed_approaches",
    "assumptions",
    "context",
    "constraints",
    "inputs",
    "expected_outputs",
    "acceptance",
    "failure_boundary",
    "return_required",
    "notes",
    "confidence",
    "evidence_refs",
];
const CHECKPOINT: &[&str] = &[
    "task_id",
    "to_agent",
    "status",
    "summary",
    "next_request",
    "completed",
    "remaining",
    "decisions",
    "pitfalls_hit",
    "failed_approaches",
    "assumptions",
    "context",
    "confidence",
    "evidence_refs",
    "blockers",
];
const RETURN: &[&str] = &[
    "task_id",
    "status",
    "summary",
    "decisions",
    "pitfalls_hit",
    "assumptions",
    "notes",
    "confidence",
    "evidence_refs",
    "changed_paths",
    "verification",
    "blockers",
];
const DECISION: &[&str] = &["decision", "revision", "digest", "reason", "to", "meaning"];

/// The version and the kind, which are constants of the form.
const CONSTANTS: &[&str] = &["handoff_version", "packet_type"];

/// The neutral value of a word, which stands for its absence.
const NEUTRAL_WORD: &str = "unknown";

/// Returns the closed schema of one kind of packet.
///
/// ```
/// use tasuki_packet::schema::model_form;
/// use tasuki_packet::{Kind, Variant};
///
/// let schema = model_form::schema(&Variant::named("baseline").unwrap(), Kind::Return);
/// assert_eq!(schema["additionalProperties"], false);
/// assert_eq!(schema["properties"]["packet_type"]["enum"][0], "return");
/// ```
pub fn schema(variant: &Variant, kind: Kind) -> Value {
    let (word, names) = match kind {
        Kind::Handoff => ("handoff", HANDOFF),
        Kind::Checkpoint => ("checkpoint", CHECKPOINT),
        Kind::Return => ("return", RETURN),
        Kind::Decision => ("decision", DECISION),
    };
    let required = variant.required(kind);
    let fields = FieldSet::of(names).union(required).union(FieldSet::of(CONSTANTS));
    let mut definitions = Map::new();
    let mut properties = Map::new();
    for (index, field) in FIELDS.iter().enumerate() {
        if !fields.contains(index) || variant.refused().contains(index) {
            continue;
        }
        let is_required = required.contains(index);
        let Some(mut schema) = (match field.name {
            "handoff_version" => Some(words(&["1.0"])),
            "packet_type" => Some(words(&[word])),
            _ => member(variant.shape(field), is_required, &mut definitions),
        }) else {
            continue;
        };
        schema["description"] = Value::from(description(variant, field, is_required));
        properties.insert(field.name.to_owned(), schema);
    }
    let mut schema = closed(&properties);
    schema["title"] = Value::from(format!("tasuki_{word}"));
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    schema
}

fn description(variant: &Variant, field: &'static Field, is_required: bool) -> String {
    let shape = variant.shape(field);
    let mut text = field.purpose.to_owned();
    match shape.resolved() {
        Shape::Format(_) | Shape::Number { .. } | Shape::Integer { .. } => {
            text.push_str(&format!(" It is {}.", shape.describe()));
        }
        _ => {}
    }
    if !is_required && !CONSTANTS.contains(&field.name) {
        text.push_str(match shape.resolved() {
            Shape::Text(_) | Shape::Format(_) => " Empty if not stated.",
            Shape::Word(_) | Shape::Number { .. } | Shape::Integer { .. } | Shape::Object(_) => {
                " Null if not stated."
            }
            _ => " Empty if there are none.",
        });
    }
    text
}

fn words(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Returns a closed object in which every member is required.
fn closed(properties: &Map<String, Value>) -> Value {
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Returns the schema of a member, nullable if it may be absent and has no neutral value. `None` if
/// the form has no place for it.
fn member(
    stated: &'static Shape,
    is_required: bool,
    definitions: &mut Map<String, Value>,
) -> Option<Value> {
    let shape = chosen(stated);
    let schema = value(shape, definitions)?;
    let has_neutral = match shape.resolved() {
        Shape::Text(_) | Shape::Format(_) | Shape::List { .. } | Shape::Flag | Shape::Map => true,
        Shape::Word(words) => words.contains(&NEUTRAL_WORD),
        _ => false,
    };
    if is_required || has_neutral {
        return Some(schema);
    }
    Some(json!({ "anyOf": [schema, { "type": "null" }] }))
}

fn value(shape: &'static Shape, definitions: &mut Map<String, Value>) -> Option<Value> {
    match shape {
        Shape::Named(name, inner) => {
            if !definitions.contains_key(*name) {
                let schema = value(chosen(inner), definitions)?;
                definitions.insert((*name).to_owned(), schema);
            }
            Some(json!({ "$ref": format!("#/$defs/{name}") }))
        }
        Shape::Text(_) | Shape::Format(_) => Some(json!({ "type": "string" })),
        Shape::Word(allowed) => Some(words(allowed)),
        Shape::Integer { .. } => Some(json!({ "type": "integer" })),
        Shape::Number { .. } => Some(json!({ "type": "number" })),
        Shape::Flag => Some(json!({ "type": "boolean" })),
        Shape::List { item } => {
            let items = value(chosen(item), definitions)?;
            Some(json!({ "type": "array", "items": items }))
        }
        Shape::Object(object) => Some(closed_object(object, definitions)),
        Shape::Map => {
            let text = || json!({ "type": "string" });
            let pair = Map::from_iter([("name".to_owned(), text()), ("value".to_owned(), text())]);
            Some(json!({ "type": "array", "items": closed(&pair) }))
        }
        Shape::Either(_) => value(chosen(shape), definitions),
        Shape::Any => None,
    }
}

fn closed_object(object: &'static Object, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    // The schema of an output is an open object, which no closed form can describe.
    for each in object.members.iter().filter(|each| !matches!(each.shape.resolved(), Shape::Map)) {
        let is_required = object.required.contains(&each.name);
        if let Some(schema) = member(each.shape, is_required, definitions) {
            properties.insert(each.name.to_owned(), schema);
        }
    }
    closed(&properties)
}

/// Returns the alternative that says most and can be closed: a list or an object before a text.
fn chosen(shape: &'static Shape) -> &'static Shape {
    let Shape::Either(shapes) = shape else { return shape };
    let is_rich =
        |each: &&'static Shape| matches!(each.resolved(), Shape::List { .. } | Shape::Object(_));
    shapes.iter().find(is_rich).unwrap_or(&shapes[0])
}

/// Turns the answer of a model into the members of a packet.
///
/// Neutral values are dropped, names and values become an object, and an item with nothing but its
/// text becomes that text. A list of the packet itself stays, even if it is empty: the model was
/// asked, and there are none.
///
/// # Errors
///
/// If the answer is not an object, or if an open object has two values for one name.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::schema::model_form;
///
/// let item = json!({"text": "Add tests", "state": "unknown", "evidence": [], "pinned": false});
/// let answer = json!({"goal": "Ship it", "summary": "", "remaining": [item], "confidence": null});
/// let packet = model_form::read(answer).unwrap();
/// assert_eq!(json!(packet), json!({"goal": "Ship it", "remaining": ["Add tests"]}));
/// ```
pub fn read(answer: Value) -> Result<Members, Violation> {
    let Value::Object(members) = answer else {
        let message = "the answer of a model must be a JSON object";
        return Err(Violation::new(Code::PacketNotObject, "", message));
    };
    let mut packet = Members::new();
    for (name, stated) in members {
        let field = FIELDS.iter().find(|field| field.name == name);
        let Some(field) = field else {
            packet.insert(name, stated);
            continue;
        };
        let is_list = matches!(&stated, Value::Array(_));
        let place = pointer::join("", &name);
        match cleaned(stated, field.shape, &place)? {
            Some(value) => drop(packet.insert(name, value)),
            None if is_list && !matches!(field.shape.resolved(), Shape::Map) => {
                packet.insert(name, Value::Array(Vec::new()));
            }
            None => {}
        }
    }
    Ok(packet)
}

/// Returns the value without neutral values, or `None` if nothing is left.
fn cleaned(stated: Value, shape: &'static Shape, place: &str) -> Result<Option<Value>, Violation> {
    let has_text =
        matches!(shape.resolved(), Shape::Either(all) if matches!(all[0], Shape::Text(_)));
    Ok(match stated {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(word) if word == NEUTRAL_WORD && is_word(shape) => None,
        Value::Array(pairs) if matches!(shape.resolved(), Shape::Map) => opened(&pairs, place)?,
        Value::Array(items) => {
            let item = shape.item().unwrap_or(shape);
            let mut kept = Vec::new();
            for (index, each) in items.into_iter().enumerate() {
                kept.extend(cleaned(each, item, &format!("{place}/{index}"))?);
            }
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, each) in members {
                let inner = shape.member(&name).unwrap_or(shape);
                let place = pointer::join(place, &name);
                kept.extend(cleaned(each, inner, &place)?.map(|value| (name, value)));
            }
            match kept.get("text") {
                Some(text) if kept.len() == 1 && has_text => Some(text.clone()),
                _ => (!kept.is_empty()).then_some(Value::Object(kept)),
            }
        }
        other => Some(other),
    })
}

fn is_word(shape: &'static Shape) -> bool {
    matches!(shape.resolved(), Shape::Word(_))
}

/// Returns names and values as an object.
fn opened(pairs: &[Value], place: &str) -> Result<Option<Value>, Violation> {
    let mut open = Map::new();
    for (index, pair) in pairs.iter().enumerate() {
        let name = pair["name"].as_str().unwrap_or_default();
        let is_new = open.insert(name.to_owned(), pair["value"].clone()).is_none();
        if !is_new {
            let message = format!("duplicate name `{name}`");
            return Err(Violation::new(Code::JsonDuplicate, format!("{place}/{index}"), message)
                .hint("give each name one value"));
        }
    }
    Ok((!open.is_empty()).then_some(Value::Object(open)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::validate::violations;
    use crate::document::Document;

    const KINDS: [Kind; 4] = [Kind::Handoff, Kind::Checkpoint, Kind::Return, Kind::Decision];

    fn all() -> impl Iterator<Item = (Variant, Kind)> {
        let variants = Variant::names().filter_map(Variant::named);
        variants.flat_map(|variant| KINDS.map(|kind| (variant.clone(), kind)))
    }

    /// The keywords that the structured-output modes of several providers share.
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "anyOf",
        "$ref",
        "$defs",
        "description",
        "title",
    ];

    /// LIMIT: of the strictest provider.
    const UNIONS_MAX: usize = 16;

    fn walk(schema: &Value, unions: &mut usize) {
        let members = schema.as_object().unwrap();
        for keyword in members.keys() {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}: {schema}");
        }
        if schema["type"] == "object" {
            let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(json!(names), schema["required"]);
            assert_eq!(schema["additionalProperties"], false);
        }
        *unions += usize::from(members.contains_key("anyOf"));
        let maps = ["properties", "$defs"].into_iter().filter_map(|name| members.get(name));
        let inner = maps.flat_map(|map| map.as_object().unwrap().values());
        let lists = members.get("anyOf").into_iter().flat_map(|list| list.as_array().unwrap());
        inner.chain(lists).chain(members.get("items")).for_each(|each| walk(each, unions));
    }

    #[test]
    fn every_schema_is_closed_and_small() {
        for (variant, kind) in all() {
            let schema = schema(&variant, kind);
            let mut unions = 0;
            walk(&schema, &mut unions);
            assert!(unions <= UNIONS_MAX, "{} {kind:?}: {unions} unions", variant.name());
            jsonschema::validator_for(&schema).unwrap();
            for field in variant.required(kind).fields() {
                assert!(schema["properties"].get(field.name).is_some(), "{}", field.name);
            }
        }
    }

    #[test]
    fn an_answer_in_the_form_becomes_a_valid_packet() {
        let item = |text: &str, state: &str, evidence: Value| json!({ "text": text, "state": state, "evidence": evidence, "pinned": false });
        let mut answer = json!({
            "handoff_version": "1.0", "packet_type": "handoff", "task_id": "export-7",
            "from_agent": "planner", "to_agent": "coder", "status": "in_progress",
            "goal": "Port the exporter", "summary": "", "next_request": "Write the tests",
            "completed": [item("Wrote the writer", "verified", json!(["commit:1a2b3c4"]))],
            "remaining": [item("Add tests", "unknown", json!([]))],
            "decisions": [], "pitfalls_hit": [], "assumptions": [], "constraints": [],
            "failed_approaches": [{ "tried": "serde", "result": "too slow", "evidence": [] }],
            "context": [{ "name": "rust", "value": "1.95" }],
            "inputs": [], "expected_outputs": [], "failure_boundary": [], "return_required": [],
            "acceptance": [{ "id": "tests", "text": "All tests pass", "run": "", "state": "unknown", "evidence": [], "pinned": true }],
            "notes": [], "confidence": 0.7, "evidence_refs": [],
        });
        let variant = Variant::named("coding").unwrap();
        let validator = jsonschema::validator_for(&schema(&variant, Kind::Handoff)).unwrap();
        let errors: Vec<_> = validator.iter_errors(&answer).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let packet = Value::Object(read(answer.clone()).unwrap());
        let found = violations(&Document::from_value(&packet).unwrap(), &variant);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            packet["completed"],
            json!([{ "text": "Wrote the writer", "state": "verified", "evidence": ["commit:1a2b3c4"] }])
        );
        assert_eq!(packet["remaining"], json!(["Add tests"]));
        assert_eq!(packet["context"], json!({ "rust": "1.95" }));
        assert_eq!(
            packet["acceptance"],
            json!([{ "id": "tests", "text": "All tests pass", "pinned": true }])
        );
        assert_eq!(packet["decisions"], json!([]));
        assert!(packet.get("summary").is_none());
        answer["ticket"] = json!(7);
        assert!(!validator.is_valid(&answer), "an unknown member is refused");
    }

    #[test]
    fn an_answer_that_contradicts_itself_is_refused() {
        let check = |answer: Value, expected: &str| {
            let violation = read(answer).unwrap_err();
            assert_eq!(format!("{} {}", violation.pointer, violation.message), expected);
        };
        check(json!([]), " the answer of a model must be a JSON object");
        let pair = |value: &str| json!({ "name": "rust", "value": value });
        check(
            json!({ "context": [pair("1.94"), pair("1.95")] }),
            "/context/1 duplicate name `rust`",
        );
    }
}
