//! Finds values that an older schema accepts and a newer one does not.
//!
//! The question is not whether two schemas differ. It is whether a valid payload can become
//! invalid, or lose a member that a receiver reads. A change that cannot be compared (a pattern, a
//! combinator) counts as narrowing; its publisher may choose a new major version.

use std::collections::{BTreeSet, HashSet, VecDeque};

use serde_json::Value;

use super::subschema::resolve;
use crate::Members;
use crate::document::pointer;
use crate::violation::shorten;

/// One way in which the newer schema accepts less.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Narrowing {
    /// The location in the value; `*` matches any item or further member.
    pub(crate) place: String,
    pub(crate) what: String,
    pub(crate) new: Option<String>,
    pub(crate) old: Option<String>,
}

/// Returns everything that `old` accepts and `new` does not, ordered by location.
///
/// Locations for which `is_settled` returns `true` are skipped with everything below them.
pub(crate) fn narrowings(
    old: &Value,
    new: &Value,
    is_settled: &dyn Fn(&str) -> bool,
) -> Vec<Narrowing> {
    let mut comparison = Comparison {
        pending: VecDeque::from([(old, new, String::new())]),
        seen: HashSet::new(),
        found: Vec::new(),
    };
    // The shortest location comes first and represents the repetitions of a recursive schema.
    while let Some((older, newer, place)) = comparison.pending.pop_front() {
        let pair = (std::ptr::from_ref(older), std::ptr::from_ref(newer));
        if !is_settled(&place) && comparison.seen.insert(pair) {
            comparison.beside_reference(older, newer, &place);
            comparison.compare(follow(old, older), follow(new, newer), &place);
        }
    }
    let mut found = comparison.found;
    found.retain(|narrowing| !is_settled(&narrowing.place));
    found.sort();
    found
}

/// A schema without constraints, compared with absent schemas.
static ANYTHING: Value = Value::Bool(true);

const TYPES: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];

/// Keywords for which a larger number accepts less.
const LOWER: [&str; 6] =
    ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"];

/// Keywords for which zero is the same as absence.
const COUNTS: [&str; 3] = ["minLength", "minItems", "minProperties"];

/// Keywords for which a smaller number accepts less.
const UPPER: [&str; 6] =
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"];

/// Keywords whose changes cannot be compared.
const OPAQUE: [&str; 18] = [
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "patternProperties",
    "propertyNames",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "unevaluatedItems",
];

/// Keywords that constrain nothing, or are compared where they are referred to.
const SILENT: [&str; 13] = [
    "$ref",
    "$id",
    "$schema",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

struct Comparison<'v> {
    /// Pairs that are still to be compared, with the location of the value they apply to.
    pending: VecDeque<(&'v Value, &'v Value, String)>,
    seen: HashSet<(*const Value, *const Value)>,
    found: Vec<Narrowing>,
}

impl<'v> Comparison<'v> {
    /// Compares one pair and queues everything below it.
    fn compare(&mut self, older: &'v Value, newer: &'v Value, place: &str) {
        match (older, newer) {
            (Value::Bool(false), _) | (_, Value::Bool(true)) => {}
            (_, Value::Bool(false)) => self.report(place, "no value is accepted anymore", None),
            _ => {
                self.types(older, newer, place);
                self.choices(older, newer, place);
                self.bounds(older, newer, place);
                self.opaque(older, newer, place);
                self.combinations(older, newer, place);
                self.required(older, newer, place);
                self.members(older, newer, place);
                self.further_members(older, newer, place);
                self.items(older, newer, place);
            }
        }
    }

    /// Compares the keywords beside a `$ref` as a whole.
    fn beside_reference(&mut self, old: &Value, new: &Value, place: &str) {
        if new.get("$ref").is_some()
            && !constraints(new).is_empty()
            && constraints(old) != constraints(new)
        {
            self.report(place, "the keywords beside `$ref` have changed", None);
        }
    }

    fn types(&mut self, old: &Value, new: &Value, place: &str) {
        let Some(new_types) = types(new) else { return };
        let takes = |name: &str| {
            new_types.contains(name) || (name == "integer" && new_types.contains("number"))
        };
        let old_types = types(old).or_else(|| choices(old).map(|values| types_of(&values)));
        let old_types = old_types.unwrap_or_else(|| TYPES.into());
        if !old_types.iter().all(|name| takes(name)) {
            let texts = [&old_types, &new_types].map(|types| {
                let names: Vec<&str> = types.iter().copied().collect();
                names.join(", ")
            });
            self.report(place, "narrower type", Some(texts));
        }
    }

    fn choices(&mut self, old: &Value, new: &Value, place: &str) {
        let Some(new_choices) = choices(new) else { return };
        match choices(old) {
            None => {
                let texts = ["any value".to_owned(), listed(&new_choices)];
                self.report(place, "only some values are accepted", Some(texts));
            }
            Some(old_choices) if !old_choices.iter().all(|value| new_choices.contains(value)) => {
                let texts = [listed(&old_choices), listed(&new_choices)];
                self.report(place, "fewer values are accepted", Some(texts));
            }
            Some(_) => {}
        }
    }

    fn bounds(&mut self, old: &Value, new: &Value, place: &str) {
        let lower = LOWER.map(|keyword| (keyword, 1.0));
        let upper = UPPER.map(|keyword| (keyword, -1.0));
        for (keyword, sign) in lower.into_iter().chain(upper) {
            let bound = |schema: &Value| schema.get(keyword).and_then(Value::as_f64);
            let Some(new_bound) = bound(new) else { continue };
            let is_idle_count = COUNTS.contains(&keyword) && new_bound <= 0.0;
            let is_wider = bound(old).is_some_and(|old_bound| sign * new_bound <= sign * old_bound);
            if !is_idle_count && !is_wider {
                self.changed(old, new, keyword, place);
            }
        }
    }

    fn opaque(&mut self, old: &Value, new: &Value, place: &str) {
        for keyword in OPAQUE {
            let stated = new.get(keyword);
            let is_idle =
                stated.is_none() || (keyword == "uniqueItems" && stated == Some(&false.into()));
            if !is_idle && stated != old.get(keyword) {
                self.changed(old, new, keyword, place);
            }
        }
    }

    /// Compares combinators: more alternatives and fewer conditions accept more; every other change
    /// accepts less.
    fn combinations(&mut self, old: &'v Value, new: &'v Value, place: &str) {
        let list = |schema: &'v Value, keyword| schema.get(keyword).and_then(Value::as_array);
        let holds = |larger: Option<&Vec<Value>>, smaller: &[Value]| {
            larger.is_some_and(|larger| smaller.iter().all(|schema| larger.contains(schema)))
        };
        if let Some(conditions) = list(new, "allOf")
            && !holds(list(old, "allOf"), conditions)
        {
            self.changed(old, new, "allOf", place);
        }
        if let Some(alternatives) = list(new, "anyOf")
            && !list(old, "anyOf").is_some_and(|older| holds(Some(alternatives), older))
        {
            self.changed(old, new, "anyOf", place);
        }
    }

    fn required(&mut self, old: &Value, new: &Value, place: &str) {
        let names = |schema: &Value| -> Vec<String> {
            let list = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let old_names = names(old);
        for name in names(new).iter().filter(|name| !old_names.contains(name)) {
            self.report(&pointer::join(place, name), "now required", None);
        }
    }

    fn members(&mut self, old: &'v Value, new: &'v Value, place: &str) {
        let (old, new) = (properties(old), properties(new));
        for (name, older) in old.into_iter().flatten() {
            let below = pointer::join(place, name);
            match new.and_then(|members| members.get(name)) {
                Some(newer) => self.pending.push_back((older, newer, below)),
                None => self.report(&below, "no longer described", None),
            }
        }
    }

    fn further_members(&mut self, old: &'v Value, new: &'v Value, place: &str) {
        let keywords = ["additionalProperties", "unevaluatedProperties"];
        let further = |schema: &'v Value| keywords.iter().find_map(|name| schema.get(name));
        if let Some(newer) = further(new) {
            let older = further(old).unwrap_or(&ANYTHING);
            self.pending.push_back((older, newer, pointer::join(place, "*")));
        }
    }

    fn items(&mut self, old: &'v Value, new: &'v Value, place: &str) {
        let rest = |schema: &'v Value| schema.get("items").unwrap_or(&ANYTHING);
        let first = |schema: &'v Value| {
            schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
        };
        let (old_first, new_first) = (first(old), first(new));
        for index in 0..old_first.len().max(new_first.len()) {
            let older = old_first.get(index).unwrap_or(rest(old));
            let newer = new_first.get(index).unwrap_or(rest(new));
            self.pending.push_back((older, newer, pointer::join(place, &index.to_string())));
        }
        self.pending.push_back((rest(old), rest(new), pointer::join(place, "*")));
    }

    fn changed(&mut self, old: &Value, new: &Value, keyword: &str, place: &str) {
        let shown =
            |schema: &Value| schema.get(keyword).map_or("nothing".to_owned(), shorten::value);
        let texts = [shown(old), shown(new)];
        self.report(place, &format!("`{keyword}` is narrower or not comparable"), Some(texts));
    }

    fn report(&mut self, place: &str, what: &str, old_and_new: Option<[String; 2]>) {
        let (old, new) = old_and_new.map_or((None, None), |[old, new]| (Some(old), Some(new)));
        self.found.push(Narrowing { place: place.to_owned(), what: what.to_owned(), new, old });
    }
}

/// Returns the schema at the end of a chain of references.
fn follow<'v>(root: &'v Value, mut schema: &'v Value) -> &'v Value {
    // LIMIT: compiled schemas have no endless chains; others stop here.
    for _ in 0..64 {
        let reference = schema.get("$ref").and_then(Value::as_str);
        match reference.and_then(|reference| resolve(root, reference)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

fn constraints(schema: &Value) -> Members {
    let members = schema.as_object().into_iter().flatten();
    let spoken = members.filter(|(name, _)| !SILENT.contains(&name.as_str()));
    spoken.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn properties(schema: &Value) -> Option<&Members> {
    schema.get("properties").and_then(Value::as_object)
}

fn types(schema: &Value) -> Option<BTreeSet<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(BTreeSet::from([one.as_str()])),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn types_of<'v>(values: &[&Value]) -> BTreeSet<&'v str> {
    let type_of = |value: &&Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    values.iter().map(type_of).collect()
}

fn choices(schema: &Value) -> Option<Vec<&Value>> {
    let several = schema.get("enum").and_then(Value::as_array);
    several.map(|values| values.iter().collect()).or_else(|| Some(vec![schema.get("const")?]))
}

fn listed(values: &[&Value]) -> String {
    shorten::list(values.iter().map(|value| shorten::value(value)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(old: Value, new: Value, expected: &str) {
        let [old, new] = &[old, new];
        let found = narrowings(old, new, &|_| false);
        let lines: Vec<_> = found.iter().map(|n| format!("{} {}", n.place, n.what)).collect();
        assert_eq!(lines.join("\n"), expected, "{old} to {new}");
    }

    #[test]
    fn adding_is_not_narrowing() {
        check(
            json!({
                "type": "object", "required": ["a"], "additionalProperties": false,
                "properties": {"a": {"type": "integer", "minimum": 1, "enum": [1, 2]}},
            }),
            json!({
                "type": "object", "required": [], "additionalProperties": false,
                "properties": {
                    "a": {"type": "number", "minimum": 0, "enum": [1, 2, 3], "title": "A"},
                    "b": {"type": "string", "pattern": "^x"},
                },
            }),
            "",
        );
        check(json!({"pattern": "^x", "uniqueItems": true}), json!({"uniqueItems": false}), "");
        check(json!({"anyOf": [{"const": 1}]}), json!({"anyOf": [{"const": 1}, {"const": 2}]}), "");
        check(json!({"allOf": [{"const": 1}, {}]}), json!({"allOf": [{}]}), "");
        check(json!({"enum": ["a"]}), json!({"type": "string", "enum": ["a"]}), "");
        check(json!({}), json!({"minLength": 0}), "");
    }

    #[test]
    fn each_kind_of_narrowing_is_reported() {
        check(json!({"type": ["string", "null"]}), json!({"type": "string"}), " narrower type");
        check(json!({}), json!({"type": "string"}), " narrower type");
        check(json!({"type": "number"}), json!({"type": "integer"}), " narrower type");
        check(json!({"enum": [1, 2]}), json!({"enum": [1]}), " fewer values are accepted");
        check(
            json!({"type": "integer"}),
            json!({"type": "integer", "const": 1}),
            " only some values are accepted",
        );
        check(
            json!({"minimum": 1}),
            json!({"minimum": 2}),
            " `minimum` is narrower or not comparable",
        );
        check(json!({}), json!({"minimum": 0}), " `minimum` is narrower or not comparable");
        check(
            json!({"maxItems": 3}),
            json!({"maxItems": 2}),
            " `maxItems` is narrower or not comparable",
        );
        check(
            json!({"pattern": "a"}),
            json!({"pattern": "b"}),
            " `pattern` is narrower or not comparable",
        );
        check(
            json!({"allOf": []}),
            json!({"allOf": [{}]}),
            " `allOf` is narrower or not comparable",
        );
        check(json!({}), json!({"anyOf": [{}]}), " `anyOf` is narrower or not comparable");
        check(json!({}), json!({"required": ["a"]}), "/a now required");
        check(
            json!({"properties": {"a": {}}}),
            json!({"properties": {}}),
            "/a no longer described",
        );
        check(json!({}), json!({"additionalProperties": false}), "/* no value is accepted anymore");
        check(json!({}), json!({"items": false}), "/* no value is accepted anymore");
        check(
            json!({"items": {"properties": {"b": {"type": "string"}}}}),
            json!({"items": {"properties": {"b": {"type": "number"}}}}),
            "/*/b narrower type",
        );
        check(
            json!({"prefixItems": [{}]}),
            json!({"prefixItems": [{"type": "string"}]}),
            "/0 narrower type",
        );
    }

    #[test]
    fn a_settled_location_does_not_settle_another_one_of_the_same_schema() {
        let schema = |name: &str| {
            json!({
                "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
                "$defs": {"x": {"type": name}},
            })
        };
        let found = narrowings(&schema("string"), &schema("number"), &|place| place == "/a");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "/b");
    }

    #[test]
    fn references_are_followed() {
        let schema = |bound: u32| {
            json!({
                "$ref": "#/$defs/node",
                "$defs": {"node": {"properties": {
                    "size": {"maximum": bound},
                    "child": {"$ref": "#/$defs/node"},
                }}},
            })
        };
        check(schema(5), schema(6), "");
        check(schema(5), schema(4), "/size `maximum` is narrower or not comparable");
        check(
            json!({"$ref": "#/$defs/a", "$defs": {"a": {}}}),
            json!({"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": {}}}),
            " the keywords beside `$ref` have changed",
        );
    }
}
