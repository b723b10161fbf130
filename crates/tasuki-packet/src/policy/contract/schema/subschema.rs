//! Locates the subschemas of a JSON Schema and checks the references between them.
//!
//! A `properties` object holds schemas by member name, so its keys are not keywords. A traversal
//! must know the positions of subschemas, which are listed here once. References must stay within
//! the document. They must not lead back to themselves without descending into the value, because a
//! validator would follow them forever.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::Members;
use crate::document::pointer;

/// Keywords with subschemas, by what the subschemas apply to: the same value, a part of it, or
/// nothing until referenced.
struct Keywords {
    one: &'static [&'static str],
    list: &'static [&'static str],
    map: &'static [&'static str],
}

const IN_PLACE: Keywords = Keywords {
    one: &["not", "if", "then", "else"],
    list: &["allOf", "anyOf", "oneOf"],
    map: &["dependentSchemas"],
};

const BELOW: Keywords = Keywords {
    one: &[
        "items",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "propertyNames",
        "contains",
        "contentSchema",
    ],
    list: &["prefixItems"],
    map: &["properties", "patternProperties"],
};

const DEFINED: Keywords = Keywords { one: &[], list: &[], map: &["$defs", "definitions"] };

/// Keywords that redirect references. The reference graph would not see where they lead.
const REFUSED: [&str; 5] =
    ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];

/// The only supported dialect of JSON Schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// LIMIT: references and combinators that apply to one value. Ordinary schemas need fewer than ten.
const STEPS_MAX: usize = 64;

/// LIMIT: schemas that apply to one value, over all paths.
const JUDGEMENTS_MAX: usize = 1_000;

/// A defect of a schema and its location.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsound {
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// Returns the schema that a local reference (`#/$defs/window`) points to.
pub(crate) fn resolve<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// Returns everything in `root` that is unsafe for a validator.
pub(crate) fn unsound(root: &Value) -> Vec<Unsound> {
    let mut found = Vec::new();
    let positions = positions(root);
    for (place, schema) in &positions {
        keywords(root, place, schema, &mut found);
    }
    if found.is_empty() {
        let mut walk = Walk { root, counts: HashMap::new() };
        found.extend(positions.iter().find_map(|(place, _)| walk.count(place, 0).err()));
    }
    found
}

/// Returns the number of members that the schema describes, including those of nested objects.
pub(crate) fn property_count(root: &Value) -> usize {
    let described =
        |schema: &Value| schema.get("properties").and_then(Value::as_object).map(Members::len);
    positions(root).into_iter().filter_map(|(_, schema)| described(schema)).sum()
}

/// Returns the locations of object schemas that accept undescribed members. The schema must be
/// sound.
pub(crate) fn open_places(root: &Value) -> Vec<String> {
    let mut open = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = vec![(String::new(), root)];
    while let Some((place, schema)) = pending.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target
            .and_then(|text| Some((text.strip_prefix('#')?.to_owned(), resolve(root, text)?)));
        if let Some((place, target)) = target {
            pending.push((place, target));
        } else if (place.is_empty() || describes_object(schema)) && !is_closed(root, schema) {
            open.push(place.clone());
        }
        pending.extend(children(&place, schema, &BELOW));
    }
    open.sort();
    open
}

fn describes_object(schema: &Value) -> bool {
    schema.get("properties").is_some() || types_contain(schema, "object") == Some(true)
}

/// Returns `true` if an object can only have the described members.
fn is_closed(root: &Value, schema: &Value) -> bool {
    let is_shut = |keyword| schema.get(keyword) == Some(&Value::Bool(false));
    let branches =
        |keyword| schema.get(keyword).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let all_closed = |keyword| {
        let branches: &[Value] = branches(keyword);
        !branches.is_empty() && branches.iter().all(|branch| is_closed(root, branch))
    };
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|text| resolve(root, text));
    *schema == Value::Bool(false)
        || types_contain(schema, "object") == Some(false)
        || schema.get("const").is_some()
        || schema.get("enum").is_some()
        || is_shut("additionalProperties")
        || is_shut("unevaluatedProperties")
        || branches("allOf").iter().any(|branch| is_closed(root, branch))
        || all_closed("anyOf")
        || all_closed("oneOf")
        || target.is_some_and(|target| is_closed(root, target))
}

/// Returns `true` if `type` includes this type, and `None` if there is no `type`.
fn types_contain(schema: &Value, name: &str) -> Option<bool> {
    let types = schema.get("type")?;
    Some(types == name || types.as_array().is_some_and(|list| list.iter().any(|one| one == name)))
}

/// Returns every subschema with its location, including definitions.
fn positions(root: &Value) -> Vec<(String, &Value)> {
    let mut pending = vec![(String::new(), root)];
    let mut positions = Vec::new();
    while let Some((place, schema)) = pending.pop() {
        for group in [&IN_PLACE, &BELOW, &DEFINED] {
            pending.extend(children(&place, schema, group));
        }
        positions.push((place, schema));
    }
    positions
}

fn keywords(root: &Value, place: &str, schema: &Value, found: &mut Vec<Unsound>) {
    let mut refuse = |keyword: &str, message: String| {
        found.push(Unsound { pointer: pointer::join(place, keyword), message });
    };
    if let Some(reference) = schema.get("$ref") {
        // An escaped reference could be resolved differently here and in the validator.
        let text = reference.as_str().filter(|text| !text.contains('%'));
        if text.and_then(|text| resolve(root, text)).is_none() {
            refuse("$ref", format!("{reference} does not resolve within this schema"));
        }
    }
    for keyword in REFUSED {
        if schema.get(keyword).is_some() {
            refuse(keyword, format!("`{keyword}` is not supported; use `$ref` with a pointer"));
        }
    }
    if !place.is_empty() && schema.get("$id").is_some() {
        refuse("$id", "`$id` below the root would redirect references".to_owned());
    }
    if let Some(dialect) = schema.get("$schema")
        && dialect.as_str().map(|text| text.trim_end_matches('#')) != Some(DIALECT)
    {
        refuse("$schema", format!("dialect {dialect} is not supported, only {DIALECT}"));
    }
}

/// Counts the schemas that apply to one value, and caches the counts.
struct Walk<'v> {
    root: &'v Value,
    /// Counts by pointer; `None` while a count is in progress.
    counts: HashMap<String, Option<usize>>,
}

impl Walk<'_> {
    fn count(&mut self, place: &str, steps: usize) -> Result<usize, Unsound> {
        match self.counts.get(place) {
            Some(Some(count)) => return Ok(*count),
            Some(None) => return Err(unsound_at(place, "endless reference cycle")),
            None if steps > STEPS_MAX => {
                let message = format!("more than {STEPS_MAX} references and combinators in a row");
                return Err(unsound_at(place, &message));
            }
            None => {}
        }
        self.counts.insert(place.to_owned(), None);
        let mut count = 1_usize;
        for next in self.in_place(place) {
            count = count.saturating_add(self.count(&next, steps + 1)?);
        }
        if count > JUDGEMENTS_MAX {
            let message = format!("more than {JUDGEMENTS_MAX} schemas apply to the same value");
            return Err(unsound_at(place, &message));
        }
        self.counts.insert(place.to_owned(), Some(count));
        Ok(count)
    }

    /// Returns the locations of the schemas that apply to the same value as the one at `place`.
    fn in_place(&self, place: &str) -> Vec<String> {
        let Some(schema) = self.root.pointer(place) else { return Vec::new() };
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|text| text.strip_prefix('#')).map(str::to_owned);
        let inner = children(place, schema, &IN_PLACE).into_iter().map(|(place, _)| place);
        target.into_iter().chain(inner).collect()
    }
}

fn unsound_at(place: &str, message: &str) -> Unsound {
    Unsound { pointer: place.to_owned(), message: message.to_owned() }
}

fn children<'v>(place: &str, schema: &'v Value, group: &Keywords) -> Vec<(String, &'v Value)> {
    let mut children = Vec::new();
    for keyword in group.one {
        children.extend(schema.get(keyword).map(|child| (pointer::join(place, keyword), child)));
    }
    for keyword in group.list {
        let place = pointer::join(place, keyword);
        let list = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let list = list.enumerate();
        children.extend(list.map(|(at, child)| (pointer::join(&place, &at.to_string()), child)));
    }
    for keyword in group.map {
        let place = pointer::join(place, keyword);
        let map = schema.get(keyword).and_then(Value::as_object).into_iter().flatten();
        children.extend(map.map(|(name, child)| (pointer::join(&place, name), child)));
    }
    children
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &str) {
        let found = unsound(schema);
        let found: Vec<_> = found.iter().map(|u| format!("{}: {}", u.pointer, u.message)).collect();
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn references_within_the_schema_are_sound() {
        check(
            &json!({
                "$schema": DIALECT,
                "properties": {
                    "$ref": {"type": "string"},
                    "child": {"$ref": "#"},
                    "window": {"$ref": "#/$defs/window"},
                },
                "$defs": {"window": {"type": "object"}},
            }),
            "",
        );
    }

    #[test]
    fn references_out_of_the_schema_are_reported() {
        for reference in ["other.json", "https://example.com/a.json", "#/$defs/none", "#anchor"] {
            let schema = json!({"properties": {"a": {"$ref": reference}}});
            check(
                &schema,
                &format!("/properties/a/$ref: \"{reference}\" does not resolve within this schema"),
            );
        }
        check(&json!({"$ref": 1}), "/$ref: 1 does not resolve within this schema");
    }

    #[test]
    fn keywords_that_redirect_references_are_reported() {
        check(
            &json!({"$dynamicRef": "#x"}),
            "/$dynamicRef: `$dynamicRef` is not supported; use `$ref` with a pointer",
        );
        check(
            &json!({"items": {"$id": "a"}}),
            "/items/$id: `$id` below the root would redirect references",
        );
        check(
            &json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
            "/$schema: dialect \"http://json-schema.org/draft-07/schema#\" is not supported, \
             only https://json-schema.org/draft/2020-12/schema",
        );
    }

    #[test]
    fn a_reference_cycle_that_never_descends_is_reported() {
        let endless = "endless reference cycle";
        check(&json!({"$ref": "#"}), &format!(": {endless}"));
        check(&json!({"allOf": [{"$ref": "#"}]}), &format!(": {endless}"));
        let around =
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}});
        assert_eq!(unsound(&around)[0].message, endless);
    }

    #[test]
    fn open_objects_are_found_through_references() {
        let check = |schema: Value, expected: &[&str]| {
            assert_eq!(open_places(&schema), expected, "{schema}");
        };
        check(json!({}), &[""]);
        check(json!({"type": "array", "items": {"type": "object"}}), &["/items"]);
        check(json!({"type": "object", "additionalProperties": false}), &[]);
        check(json!({"unevaluatedProperties": false, "allOf": [{"properties": {"a": {}}}]}), &[]);
        check(json!({"oneOf": [{"additionalProperties": false}, {"type": "string"}]}), &[]);
        check(json!({"oneOf": [{"additionalProperties": false}, {}]}), &[""]);
        check(
            json!({
                "additionalProperties": false,
                "properties": {"window": {"$ref": "#/$defs/window"}, "node": {"$ref": "#"}},
                "$defs": {"window": {"properties": {"start": {}}}},
            }),
            &["/$defs/window"],
        );
    }

    #[test]
    fn members_are_counted_at_every_depth() {
        let schema = json!({
            "properties": {"a": {"properties": {"b": {}}}, "properties": {"type": "string"}},
            "$defs": {"c": {"properties": {"d": {}}}},
        });
        assert_eq!(property_count(&schema), 4);
    }

    #[test]
    fn a_schema_that_multiplies_its_evaluations_is_reported() {
        let mut definitions = serde_json::Map::new();
        for level in 0..20 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({"allOf": [next, next]}));
        }
        definitions.insert("d20".to_owned(), json!({}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
        assert_eq!(unsound(&schema)[0].message, "more than 1000 schemas apply to the same value");
    }
}
