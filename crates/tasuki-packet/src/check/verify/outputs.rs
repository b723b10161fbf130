//! Checks that every named output is present and matches its JSON Schema. Nothing is fetched.

use serde_json::Value;

use super::verdict::{OutputCheck, OutputResult};
use crate::document::{Members, pointer};
use crate::packet::{Item, Packet};
use crate::policy::contract::{CompiledSchema, SchemaSource, Schemas};
use crate::violation::{Code, Violation};

/// LIMIT: violations per output. More of them add no information.
const OUTPUT_VIOLATIONS_MAX: usize = 20;

/// Returns one check per expected output, and adds absent or invalid ones to `missing`.
pub(super) fn check(
    handoff: &Packet,
    return_packet: &Packet,
    schemas: &dyn Schemas,
    missing: &mut Vec<Violation>,
) -> Vec<OutputCheck> {
    let mut checks = Vec::new();
    for expected in handoff.list("expected_outputs") {
        match expected.get("name").and_then(Value::as_str) {
            Some(name) => {
                let schema = expected.get("schema").filter(|schema| !schema.is_null());
                let result = check_named(name, schema, return_packet, schemas, missing);
                checks.push(OutputCheck { name: name.to_owned(), result });
            }
            None => checks.extend(Item::of(expected).map(|item| OutputCheck {
                name: item.text.to_owned(),
                result: OutputResult::NotChecked,
            })),
        }
    }
    checks
}

fn check_named(
    name: &str,
    schema: Option<&Value>,
    return_packet: &Packet,
    schemas: &dyn Schemas,
    missing: &mut Vec<Violation>,
) -> OutputResult {
    let found = find(name, return_packet);
    let Some(schema) = schema else {
        if found.is_some() || is_artifact(name, return_packet) {
            return OutputResult::Present;
        }
        missing.push(absent(name));
        return OutputResult::Missing;
    };
    let Some((place, output)) = found else {
        missing.push(absent(name));
        return OutputResult::Missing;
    };
    let violations = match SchemaSource::of(schema).compile("", schemas) {
        Ok(compiled) => violations(name, &place, output, &compiled),
        Err(unusable) => {
            unusable.into_iter().map(|violation| unusable_schema(name, &place, violation)).collect()
        }
    };
    let is_valid = violations.is_empty();
    missing.extend(violations);
    if is_valid { OutputResult::Valid } else { OutputResult::Invalid }
}

/// Returns `payload.<name>` of an object, or the value of the item with that label.
fn find<'p>(name: &str, return_packet: &'p Packet) -> Option<(String, &'p Value)> {
    match return_packet.get("payload")? {
        Value::Object(members) => {
            let value = members.get(name).filter(|value| !value.is_null())?;
            Some((pointer::join("/payload", name), value))
        }
        Value::Array(items) => {
            let is_named = |item: &Value| item.get("label").and_then(Value::as_str) == Some(name);
            let index = items.iter().position(is_named)?;
            Some((format!("/payload/{index}/value"), items[index].get("value")?))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns `true` if an output without a schema is present as a file.
fn is_artifact(name: &str, return_packet: &Packet) -> bool {
    let named = |artifact: &Members| artifact.get("name").and_then(Value::as_str) == Some(name);
    return_packet.list("artifacts").iter().filter_map(Value::as_object).any(named)
}

fn absent(name: &str) -> Violation {
    let message = format!("missing output `{name}`");
    Violation::new(Code::ReturnMissing, pointer::join("/payload", name), message)
        .hint(format!("add it as `payload.{name}`"))
}

fn violations(name: &str, place: &str, output: &Value, schema: &CompiledSchema) -> Vec<Violation> {
    let mut violations = schema.first(OUTPUT_VIOLATIONS_MAX, Code::OutputInvalid, place, output);
    violations.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    for violation in &mut violations {
        violation.message = format!("output `{name}`: {}", violation.message);
    }
    violations
}

fn unusable_schema(name: &str, place: &str, mut violation: Violation) -> Violation {
    let inside = std::mem::replace(&mut violation.pointer, place.to_owned());
    violation.message = format!("the schema of output `{name}`, {inside}: {}", violation.message);
    violation.hint("fix the schema in the handoff's `expected_outputs`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Files;

    impl Schemas for Files {
        fn get(&self, reference: &str) -> Option<Value> {
            match reference {
                "schemas/tier.json" => Some(json!({
                    "type": "object",
                    "required": ["name", "price"],
                    "properties": {"price": {"type": "number", "minimum": 0}},
                })),
                "loop.json" => Some(json!({"properties": {"next": {"$ref": "#"}}})),
                _ => None,
            }
        }
    }

    fn checked(expected: &Value, return_packet: Value) -> (Vec<OutputResult>, Vec<String>) {
        let handoff = Packet::from_value(json!({"expected_outputs": [expected]})).unwrap();
        let answer = Packet::from_value(return_packet).unwrap();
        let mut missing = Vec::new();
        let checks = check(&handoff, &answer, &Files, &mut missing);
        let codes = missing.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        (checks.iter().map(|check| check.result).collect(), codes)
    }

    fn check_output(expected: &Value, payload: &Value, result: OutputResult, codes: &[&str]) {
        let (results, found) = checked(expected, json!({"payload": payload}));
        assert_eq!(results, [result]);
        assert_eq!(found, codes);
    }

    #[test]
    fn an_output_is_checked_with_its_schema() {
        let tier = json!({"name": "tier", "schema": {"$ref": "schemas/tier.json"}});
        check_output(
            &tier,
            &json!({"tier": {"name": "Pro", "price": 12.5}}),
            OutputResult::Valid,
            &[],
        );
        check_output(
            &tier,
            &json!({"tier": {"price": -1}}),
            OutputResult::Invalid,
            &["TK-OUTPUT-INVALID /payload/tier/name", "TK-OUTPUT-INVALID /payload/tier/price"],
        );
        check_output(
            &json!({"name": "Cost", "schema": {"type": "number"}}),
            &json!([{"label": "Cost", "value": "many"}]),
            OutputResult::Invalid,
            &["TK-OUTPUT-INVALID /payload/0/value"],
        );
        check_output(
            &tier,
            &json!({}),
            OutputResult::Missing,
            &["TK-RETURN-MISSING /payload/tier"],
        );
    }

    #[test]
    fn an_output_without_a_schema_only_has_to_be_present() {
        let bundle = json!({"name": "bundle"});
        check_output(&bundle, &json!({"bundle": []}), OutputResult::Present, &[]);
        check_output(
            &bundle,
            &json!({"bundle": null}),
            OutputResult::Missing,
            &["TK-RETURN-MISSING /payload/bundle"],
        );
        let artifact = json!({"artifacts": [{"name": "bundle", "path": "dist/bundle.js"}]});
        assert_eq!(checked(&bundle, artifact).0, [OutputResult::Present]);
        check_output(&json!("a bundle"), &json!({}), OutputResult::NotChecked, &[]);
    }

    #[test]
    fn an_unusable_schema_is_reported_and_nothing_is_fetched() {
        for (schema, code) in [
            (json!({"$ref": "nowhere.json"}), "TK-SCHEMA-MISSING /payload/x"),
            (json!({"$ref": "https://example.org/schema.json"}), "TK-SCHEMA-MISSING /payload/x"),
            (json!({"$ref": "file:///etc/hostname"}), "TK-SCHEMA-MISSING /payload/x"),
            (json!({"type": 7}), "TK-SCHEMA-INVALID /payload/x"),
            (json!({"pattern": "(a+)+\\1"}), "TK-SCHEMA-INVALID /payload/x"),
            (json!({"$ref": "#/$defs/none"}), "TK-SCHEMA-INVALID /payload/x"),
            (json!({"$ref": "#"}), "TK-SCHEMA-INVALID /payload/x"),
        ] {
            let expected = json!({"name": "x", "schema": schema});
            check_output(&expected, &json!({"x": "a"}), OutputResult::Invalid, &[code]);
        }
    }

    #[test]
    fn a_schema_may_refer_to_itself() {
        let expected = json!({"name": "x", "schema": {"$ref": "loop.json"}});
        check_output(&expected, &json!({"x": {"next": {"next": {}}}}), OutputResult::Valid, &[]);
    }
}
