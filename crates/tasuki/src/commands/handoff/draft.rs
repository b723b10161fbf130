//! Drafts of packets: from a held task, or from a contract. A draft is printed, not sent.
//!
//! A draft has everything that is known. What only its author can know is blank, which `tasuki
//! validate` and the exchange refuse, so that no draft is sent by mistake.

use serde_json::{Value, json};
use tasuki_api::ContractDetails;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::chain::{carry, next_packet};
use tasuki_packet::document::Members;
use tasuki_packet::schema::Kind;
use tasuki_packet::schema::field::{FIELDS, Shape, index_of};
use tasuki_packet::schema::variant::{Presence, Variant};
use tasuki_packet::write;

use crate::backend::Backend;
use crate::exit::{Exit, Failure};
use crate::output::escape::argument;
use crate::output::handoff::reference;
use crate::output::printer::Printer;

/// The members that the author of a draft states on the command line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stated<'a> {
    pub(crate) to: Option<&'a str>,
    pub(crate) goal: Option<&'a str>,
    pub(crate) task: Option<&'a str>,
    pub(crate) completed: &'a [String],
    pub(crate) remaining: &'a [String],
}

/// Returns the packet that passes held work on: its continuation, with everything that is owed or
/// pinned, from the caller.
pub(crate) fn next_of_task(
    exchange: &dyn Backend,
    held: ClaimProof,
    stated: Stated<'_>,
) -> Result<Members, Failure> {
    let continuation = exchange.continuation_packet(held.handoff)?;
    let sent = exchange.packet(held.handoff)?;
    let handoff = exchange.resolve(&held.handoff.to_string())?;
    let required = required_by_contract(exchange, handoff.contract.as_deref())?;
    let mut members = next_packet(&continuation, &sent, &required);
    carry(&sent, &mut members);
    // A packet of another dialect may have neither.
    if !members.contains_key("task_id") {
        set(&mut members, "task_id", json!(handoff.task));
    }
    if !members.contains_key("status") {
        set(&mut members, "status", json!("in_progress"));
    }
    set(&mut members, "from_agent", json!(exchange.own_name()?));
    set(&mut members, "to_agent", json!(stated.to.unwrap_or_default()));
    if let Some(goal) = stated.goal {
        set(&mut members, "goal", json!(goal));
    }
    Ok(members)
}

/// Sets a member in place, or adds it where the field table has it.
fn set(members: &mut Members, name: &str, value: Value) {
    if let Some(known) = members.get_mut(name) {
        *known = value;
        return;
    }
    let is_later = |other: &String| index_of(other) > index_of(name);
    let place = members.keys().position(is_later).unwrap_or(members.len());
    members.shift_insert(place, name.to_owned(), value);
}

/// Returns the draft of the packet that passes held work on, as YAML.
pub(crate) fn of_task(
    exchange: &dyn Backend,
    held: ClaimProof,
    stated: Stated<'_>,
) -> Result<String, Failure> {
    let members = next_of_task(exchange, held, stated)?;
    let handoff = exchange.resolve(&held.handoff.to_string())?;
    let receiver = match stated.to {
        Some(_) => "",
        None => " `to_agent` is blank: name the receiver.",
    };
    let heading = format!(
        "# Passes {} on. It has everything that is owed and pinned, and the progress of your\n\
         # checkpoints. Change what changed.{receiver} Then, with this text in next.yaml:\n\
         #   tasuki validate next.yaml\n\
         #   tasuki pass-on {} next.yaml\n",
        argument(&handoff.task),
        reference(&handoff)
    );
    Ok(format!("{heading}{}", write::yaml(&members)))
}

/// Prints the draft of the packet that passes held work on.
pub(crate) fn print(
    exchange: &dyn Backend,
    held: ClaimProof,
    stated: Stated<'_>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if printer.is_json() {
        printer.json(&Value::Object(next_of_task(exchange, held, stated)?));
    } else {
        printer.data(&of_task(exchange, held, stated)?);
    }
    Ok(Exit::Success)
}

/// Returns the return fields that the contract of the work requires.
fn required_by_contract(
    exchange: &dyn Backend,
    contract: Option<&str>,
) -> Result<Vec<Value>, Failure> {
    let Some(contract) = contract else { return Ok(Vec::new()) };
    let document = exchange.contract(contract)?.document;
    Ok(list(&document, "/returns/require"))
}

/// Returns the draft of a packet with every part that a contract asks for, as YAML.
pub(crate) fn of_contract(contract: &ContractDetails, own: &str, stated: Stated<'_>) -> String {
    let document = &contract.document;
    let name = format!("{}@{}", text(document, "/contract"), text(document, "/version"));
    let mut draft = format!(
        "# A packet under {name}. Fill in what is blank. Then, with this text in handoff.yaml:\n\
         #   tasuki validate handoff.yaml\n\
         #   tasuki submit handoff.yaml\n"
    );
    let mut add = |name: &str, purpose: &str, value: Value| {
        let member = Members::from_iter([(name.to_owned(), value)]);
        draft.push_str(&format!("\n# {purpose}\n{}", write::yaml(&member)));
    };
    let Profile { variant, required_beside } = Profile::of(contract);
    for field in FIELDS {
        let presence = variant.presence(field, Kind::Handoff);
        let is_required = matches!(presence, Presence::Required | Presence::Filled);
        match known(field.name, contract, &name, own, stated) {
            _ if presence == Presence::Refused => {}
            Some(value) => add(field.name, field.purpose, value),
            None if is_required => add(field.name, field.purpose, blank(variant.shape(field))),
            None => {}
        }
    }
    for name in required_beside {
        add(&name, &format!("Required by the variant `{}`.", variant.name()), json!(""));
    }
    draft
}

/// The variant that packets of a contract must satisfy.
struct Profile {
    variant: Variant,
    /// The members outside of the field table that it requires.
    required_beside: Vec<String>,
}

impl Profile {
    /// Returns the profile of a contract: a variant file that was published with it, or a built-in
    /// variant.
    fn of(contract: &ContractDetails) -> Self {
        let name = text(&contract.document, "/profile");
        let file = contract.schemas.get(&name);
        let variant = match file {
            Some(file) => Variant::from_document(file).ok(),
            None => Variant::named(&name),
        };
        let baseline = || Variant::named("baseline").expect("`baseline` is a built-in variant");
        let required = file.map_or_else(Vec::new, |file| list(file, "/require"));
        let names = required.iter().filter_map(Value::as_str);
        let beside = names.filter(|name| index_of(name).is_none()).map(str::to_owned);
        Self { variant: variant.unwrap_or_else(baseline), required_beside: beside.collect() }
    }
}

/// Returns the value of a member that the contract or the command line determines.
fn known(
    field: &str,
    contract: &ContractDetails,
    name: &str,
    own: &str,
    stated: Stated<'_>,
) -> Option<Value> {
    let document = &contract.document;
    let steps = |steps: &[String]| if steps.is_empty() { json!([""]) } else { json!(steps) };
    Some(match field {
        "handoff_version" => json!("1.0"),
        "task_id" => json!(stated.task.unwrap_or_default()),
        "from_agent" => json!(own),
        "to_agent" => match stated.to {
            Some(to) => json!(to),
            None => document.pointer("/to/0").cloned().unwrap_or_default(),
        },
        "contract" => json!(name),
        "status" => json!("in_progress"),
        "goal" => json!(stated.goal.unwrap_or_default()),
        "completed" if stated.completed.is_empty() => json!([]),
        "completed" => json!(stated.completed),
        "remaining" => steps(stated.remaining),
        "payload" => match document.get("payload_schema")? {
            Value::Object(schema) => payload(&Value::Object(schema.clone()), contract),
            _ => json!({}),
        },
        "confidence" => {
            let confidence = document.get("confidence")?;
            let is_asked = confidence["required"] == true || confidence.get("hold_below").is_some();
            // A number that only the author knows.
            is_asked.then_some(Value::Null)?
        }
        "provenance" => {
            let required = list(document, "/provenance/require");
            let members = required.iter().filter_map(Value::as_str);
            let members: Members =
                members.map(|name| (name.to_owned(), provenance(name))).collect();
            (!members.is_empty()).then_some(Value::Object(members))?
        }
        "return_required" => {
            let required = list(document, "/returns/require");
            (!required.is_empty()).then_some(Value::Array(required))?
        }
        _ => return None,
    })
}

fn provenance(name: &str) -> Value {
    if name == "model" { json!("") } else { json!([""]) }
}

/// Returns a payload with the members that a schema requires, each blank.
fn payload(schema: &Value, contract: &ContractDetails) -> Value {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(path) => contract.schemas.get(path).unwrap_or(&Value::Null),
        None => schema,
    };
    blank_of_schema(schema, 0)
}

/// LIMIT: levels of a payload that a draft has; a schema may be recursive.
const PAYLOAD_DEPTH_MAX: usize = 4;

fn blank_of_schema(schema: &Value, depth: usize) -> Value {
    if let Some(fixed) = schema.get("const").or_else(|| schema.get("default")) {
        return fixed.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => json!(""),
        Some("array") => json!([]),
        Some("object") if depth < PAYLOAD_DEPTH_MAX => {
            let required = list(schema, "/required");
            let member = |name: &str| {
                let schema = schema.get("properties").and_then(|all| all.get(name));
                let value = blank_of_schema(schema.unwrap_or(&Value::Null), depth + 1);
                (name.to_owned(), value)
            };
            Value::Object(required.iter().filter_map(Value::as_str).map(member).collect())
        }
        Some("object") => json!({}),
        _ if depth == 0 => json!({}),
        _ => Value::Null,
    }
}

/// Returns a value of a shape that its author must fill in.
fn blank(shape: &'static Shape) -> Value {
    if let Some(item) = shape.item() {
        return json!([blank(item)]);
    }
    match shape {
        Shape::Named(_, inner) => blank(inner),
        Shape::Object(object) => {
            let member = |name: &&str| {
                let value = object.member(name).map_or_else(|| json!(""), blank);
                ((*name).to_owned(), value)
            };
            Value::Object(object.required.iter().map(member).collect())
        }
        Shape::Either(shapes) => shapes.first().map_or(Value::Null, blank),
        Shape::Map | Shape::Any => json!({}),
        Shape::Integer { .. } | Shape::Number { .. } | Shape::Flag => Value::Null,
        Shape::Text(_) | Shape::Format(_) | Shape::Word(_) | Shape::List { .. } => json!(""),
    }
}

fn text(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list(document: &Value, pointer: &str) -> Vec<Value> {
    document.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tasuki_packet::Code;
    use tasuki_packet::check::validate::violations;
    use tasuki_packet::document::Document;
    use tasuki_packet::schema::field::PACKET;

    use super::*;

    fn contract(document: &Value) -> ContractDetails {
        let schemas = [(
            "change.json".to_owned(),
            json!({
                "type": "object", "required": ["repository", "size"],
                "properties": { "repository": { "type": "string" }, "size": { "type": "integer" } },
            }),
        )];
        let details = json!({ "document": document, "schemas": {}, "digest": "sha256:00" });
        let details: ContractDetails = serde_json::from_value(details).unwrap();
        ContractDetails { schemas: schemas.into_iter().collect(), ..details }
    }

    #[test]
    fn a_draft_has_every_part_that_the_contract_asks_for() {
        let contract = contract(&json!({
            "contract": "planner-to-coder", "version": "1.0", "from": ["planner"], "to": ["coder"],
            "payload_schema": { "$ref": "change.json" }, "profile": "coding",
            "confidence": { "required": true }, "provenance": { "require": ["inputs", "model"] },
            "returns": { "require": ["status"] },
        }));
        let stated = Stated { goal: Some("Port it"), ..Stated::default() };
        let draft = of_contract(&contract, "planner", stated);
        let source = tasuki_packet::read::Source::packet(draft.as_bytes()).unwrap();
        let packet = source.read(&PACKET).unwrap();
        let value = packet.to_value();
        assert_eq!(value["contract"], "planner-to-coder@1.0");
        assert_eq!(
            (&value["from_agent"], &value["to_agent"]),
            (&json!("planner"), &json!("coder"))
        );
        assert_eq!(value["payload"], json!({ "repository": "", "size": null }));
        assert_eq!(value["provenance"], json!({ "inputs": [""], "model": "" }));
        assert_eq!((&value["goal"], &value["confidence"]), (&json!("Port it"), &Value::Null));
        assert_eq!(value["return_required"], json!(["status"]));
        assert_eq!(value["failed_approaches"], json!([{ "tried": "", "result": "" }]));
        let coding = Variant::named("coding").unwrap();
        let is_required = |presence| matches!(presence, Presence::Required | Presence::Filled);
        for field in
            FIELDS.iter().filter(|field| is_required(coding.presence(field, Kind::Handoff)))
        {
            assert!(value.get(field.name).is_some(), "{} is missing in:\n{draft}", field.name);
        }
    }
    #[test]
    fn a_draft_has_what_the_variant_file_of_a_contract_requires() {
        let mut contract = contract(&json!({
            "contract": "planner-to-coder", "version": "1.0", "from": ["planner"], "to": ["coder"],
            "profile": "v/exe.yaml",
        }));
        let file = json!({
            "variant": "exe", "extends": "executor", "require": ["ticket", "question"],
            "refuse": ["completed"],
        });
        contract.schemas.insert("v/exe.yaml".to_owned(), file);
        let draft = of_contract(&contract, "planner", Stated::default());
        for part in ["\nquestion: \"\"\n", "\nacceptance:\n", "\nticket: \"\"\n"] {
            assert!(draft.contains(part), "{part} is missing in:\n{draft}");
        }
        assert!(draft.contains("\n# Required by the variant `exe`.\nticket:"), "{draft}");
        assert!(!draft.contains("\ncompleted:"), "{draft}");
    }

    /// Returns a blank value as its author may fill it in.
    fn filled(value: Value, shape: &'static Shape) -> Value {
        match value {
            Value::String(_) => json!("filled in"),
            Value::Null if matches!(shape, Shape::Flag) => json!(true),
            Value::Null => json!(1),
            Value::Array(items) => items.into_iter().map(|item| filled(item, shape)).collect(),
            Value::Object(members) => {
                let member = |(name, value)| (name, filled(value, shape));
                Value::Object(members.into_iter().map(member).collect())
            }
            other => other,
        }
    }

    #[test]
    fn every_blank_has_the_type_of_its_field() {
        let baseline = Variant::named("baseline").unwrap();
        for field in FIELDS {
            let value = json!({ field.name: filled(blank(field.shape), field.shape) });
            let document = Document::from_value(&value).unwrap();
            let found = violations(&document, &baseline);
            let wrong: Vec<_> = found.iter().filter(|one| one.code == Code::FieldType).collect();
            assert!(wrong.is_empty(), "{value}: {wrong:?}");
        }
    }
}
