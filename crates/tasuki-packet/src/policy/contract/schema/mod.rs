//! The schemas of a contract: their source and their compiled form.
//!
//! A schema is inline in the contract or in a file beside it, which the caller reads. It is JSON
//! Schema 2020-12 and self-contained: nothing is fetched. Formats are checked. Patterns match in
//! linear time, because the payloads come from other parties.

pub(super) mod narrowing;
pub(super) mod subschema;
mod validation_cost;
mod violations;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::document::limits::VIOLATIONS_MAX;
use crate::document::pointer;
use crate::{Code, Violation};

/// A schema as stated in a contract.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaSource {
    /// Written out in the contract.
    Inline(Value),
    /// A path below the contract's folder, written `{ $ref: path }`.
    Reference(String),
}

/// A source of the schema files that contracts refer to.
pub trait Schemas {
    /// Returns the schema at this path, as written in the contract.
    fn get(&self, reference: &str) -> Option<Value>;
}

/// Provides no files, for contracts with inline schemas.
impl Schemas for () {
    fn get(&self, _reference: &str) -> Option<Value> {
        None
    }
}

/// Provides files by path.
impl Schemas for std::collections::BTreeMap<String, Value> {
    fn get(&self, reference: &str) -> Option<Value> {
        std::collections::BTreeMap::get(self, reference).cloned()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct CompiledSchema {
    pub(super) value: Value,
    validator: Validator,
}

impl SchemaSource {
    /// Returns the source of a schema as stated in a document: a reference to a file, or the schema
    /// itself.
    pub(crate) fn of(stated: &Value) -> Self {
        let members = stated.as_object().filter(|members| members.len() == 1);
        let path = members.and_then(|members| members.get("$ref")?.as_str());
        match path.filter(|path| !path.starts_with('#')) {
            Some(path) => Self::Reference(path.to_owned()),
            None => Self::Inline(stated.clone()),
        }
    }

    /// Finds and compiles the schema; `place` is its pointer in the contract.
    pub(crate) fn compile(
        &self,
        place: &str,
        schemas: &dyn Schemas,
    ) -> Result<CompiledSchema, Vec<Violation>> {
        let value = match self {
            Self::Inline(value) => value.clone(),
            Self::Reference(path) => schemas.get(path).ok_or_else(|| vec![missing(place, path)])?,
        };
        compile(&value)
            .map_err(|found| found.into_iter().map(|v| self.relocate(place, v)).collect())
    }

    /// Translates a location in the schema to a location in the contract.
    fn relocate(&self, place: &str, mut violation: Violation) -> Violation {
        match self {
            Self::Inline(_) => violation.pointer.insert_str(0, place),
            Self::Reference(path) => {
                let inner = std::mem::replace(&mut violation.pointer, pointer::join(place, "$ref"));
                violation.message = format!("`{path}#{inner}`: {}", violation.message);
            }
        }
        violation
    }
}

impl CompiledSchema {
    /// Returns the violations of `value`, whose pointer is `base`.
    pub(crate) fn check(&self, code: Code, base: &str, value: &Value) -> Vec<Violation> {
        self.first(VIOLATIONS_MAX, code, base, value)
    }

    /// Returns the violations of `value`, but at most `most`.
    pub(crate) fn first(
        &self,
        most: usize,
        code: Code,
        base: &str,
        value: &Value,
    ) -> Vec<Violation> {
        if !validation_cost::is_bounded(&self.value, value) {
            let message = "validating this value against its schema would take too long";
            return vec![Violation::new(Code::SchemaEffort, base, message).hint(
                "make the branches of the schema distinguish values before descending into them",
            )];
        }
        self.validator
            .iter_errors(value)
            .flat_map(|error| violations::violations(code, base, &error))
            .take(most)
            .collect()
    }
}

fn missing(place: &str, path: &str) -> Violation {
    let message = format!("schema file `{path}` not found");
    Violation::new(Code::SchemaMissing, pointer::join(place, "$ref"), message)
        .found(path)
        .hint("the path is relative to the contract's folder")
}

fn compile(value: &Value) -> Result<CompiledSchema, Vec<Violation>> {
    let mut found: Vec<Violation> = jsonschema::draft202012::meta::validator()
        .iter_errors(value)
        .flat_map(|error| violations::violations(Code::SchemaInvalid, "", &error))
        .take(VIOLATIONS_MAX)
        .collect();
    if found.is_empty() {
        let unsound = subschema::unsound(value).into_iter();
        found.extend(unsound.map(|u| Violation::new(Code::SchemaInvalid, u.pointer, u.message)));
    }
    if !found.is_empty() {
        return Err(found);
    }
    jsonschema::draft202012::options()
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex())
        .build(value)
        .map(|validator| CompiledSchema { value: value.clone(), validator })
        .map_err(|error| violations::violations(Code::SchemaInvalid, "", &error))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn listed(found: &[Violation]) -> String {
        let lines: Vec<_> = found
            .iter()
            .map(|v| {
                let allowed = v.allowed.as_ref().map_or(String::new(), |a| format!(" [{a}]"));
                format!("{} {} {}{allowed}", v.code, v.pointer, v.message)
            })
            .collect();
        lines.join("\n")
    }

    #[track_caller]
    fn refused(schema: Value) -> String {
        listed(&SchemaSource::Inline(schema).compile("/payload_schema", &()).unwrap_err())
    }

    #[test]
    fn an_absent_schema_file_is_reported() {
        let source = SchemaSource::Reference("a.json".to_owned());
        let found = source.compile("/payload_schema", &()).unwrap_err();
        assert_eq!(
            listed(&found),
            "TK-SCHEMA-MISSING /payload_schema/$ref schema file `a.json` not found"
        );
        let files = BTreeMap::from([("a.json".to_owned(), json!({"type": "object"}))]);
        assert!(source.compile("/payload_schema", &files).is_ok());
    }

    #[test]
    fn an_invalid_schema_is_reported_with_its_pointer() {
        let files = BTreeMap::from([("a.json".to_owned(), json!({"items": {"type": "text"}}))]);
        let source = SchemaSource::Reference("a.json".to_owned());
        insta::assert_snapshot!(
            listed(&source.compile("/payload_schema", &files).unwrap_err()),
            @"TK-SCHEMA-INVALID /payload_schema/$ref `a.json#/items/type`: the value matches none of 2 alternatives"
        );
        insta::assert_snapshot!(
            refused(json!({"required": "a"})),
            @"TK-SCHEMA-INVALID /payload_schema/required the value has the wrong type [array]"
        );
        insta::assert_snapshot!(
            refused(json!({"$ref": "#/$defs/a"})),
            @r##"TK-SCHEMA-INVALID /payload_schema/$ref "#/$defs/a" does not resolve within this schema"##
        );
    }

    #[test]
    fn a_pattern_that_needs_backtracking_is_invalid() {
        let found = refused(json!({"properties": {"a": {"pattern": "(a+)+(?=b)\\1"}}}));
        assert!(found.starts_with("TK-SCHEMA-INVALID /payload_schema"), "{found}");
    }

    #[test]
    fn each_error_has_its_pointer_and_the_allowed_values() {
        let schema = json!({
            "type": "object",
            "required": ["id", "at"],
            "additionalProperties": false,
            "properties": {
                "id": {"type": "string", "minLength": 3},
                "at": {"type": "string", "format": "date-time"},
                "kind": {"enum": ["a", "b"]},
                "tags": {"type": "array", "maxItems": 1, "items": {"type": ["string", "null"]}},
                "share": {"type": "number", "maximum": 1},
                "ref": {"pattern": "^x:"},
            },
        });
        let schema = SchemaSource::Inline(schema).compile("/payload_schema", &()).unwrap();
        let payload = json!({
            "id": "x", "kind": "c", "tags": ["a", 1], "share": 74, "ref": "y", "z": 1, "y/y": 2,
        });
        insta::assert_snapshot!(listed(&schema.check(Code::PayloadInvalid, "/payload", &payload)), @r#"
        TK-PAYLOAD-INVALID /payload/at missing required member `at`
        TK-PAYLOAD-INVALID /payload/id the value is too short [at least 3 characters]
        TK-PAYLOAD-INVALID /payload/kind the value is not one of the allowed values ["a", "b"]
        TK-PAYLOAD-INVALID /payload/tags the value is too long [at most 1 items]
        TK-PAYLOAD-INVALID /payload/tags/1 the value has the wrong type [null, string]
        TK-PAYLOAD-INVALID /payload/share the value is too large [at most 1]
        TK-PAYLOAD-INVALID /payload/ref the text does not match the pattern [text matching `^x:`]
        TK-PAYLOAD-INVALID /payload/z unknown member `z`
        TK-PAYLOAD-INVALID /payload/y~1y unknown member `y/y`
        "#);
        assert_eq!(
            schema.check(
                Code::PayloadInvalid,
                "/payload",
                &json!({"id": "xyz", "at": "2026-04-17T23:03:00Z"})
            ),
            []
        );
        let found = schema.check(
            Code::PayloadInvalid,
            "/payload",
            &json!({"id": "xyz", "at": "yesterday"}),
        );
        assert_eq!(
            listed(&found),
            "TK-PAYLOAD-INVALID /payload/at the text has an invalid format [date-time]"
        );
    }

    #[test]
    fn a_long_chain_of_definitions_compiles_or_is_refused_without_overflow() {
        let mut definitions = serde_json::Map::new();
        for level in 0..5_000 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({"properties": {"a": next}}));
        }
        definitions.insert("d5000".to_owned(), json!({"type": "string"}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
        assert!(compile(&schema).is_ok());
    }
}
