//! Bounds the cost of validating a value against a schema before validating it.
//!
//! A small schema and a small value can take forever together: two branches that both descend into
//! the same item double the work at every level. Both may come from other parties. The evaluations
//! are therefore counted first, and a pair that needs too many is refused. The count is an upper
//! bound: a branch that would fail early is counted in full.

use serde_json::Value;

use super::subschema::resolve;

/// LIMIT: evaluations of one value and everything in it, which take a fraction of a second. An
/// ordinary pair needs a few per value.
const EVALUATIONS_MAX: usize = 1_000_000;

/// Returns `true` if validating the value against the schema stays within the limit.
pub(crate) fn is_bounded(schema: &Value, value: &Value) -> bool {
    let mut count = Counter { root: schema, left: EVALUATIONS_MAX };
    count.judge(schema, value).is_some()
}

struct Counter<'s> {
    root: &'s Value,
    left: usize,
}

impl<'s> Counter<'s> {
    /// Counts the evaluations of `value` by `schema`. Returns `None` once the limit is exceeded.
    fn judge(&mut self, schema: &'s Value, value: &Value) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let Some(keywords) = schema.as_object() else { return Some(()) };
        for (keyword, inner) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let target = inner.as_str().and_then(|place| resolve(self.root, place));
                    target.map_or(Some(()), |target| self.judge(target, value))?;
                }
                "not" | "if" | "then" | "else" => self.judge(inner, value)?,
                "allOf" | "anyOf" | "oneOf" => self.each(inner.as_array()?, value)?,
                "dependentSchemas" => self.each(inner.as_object()?.values(), value)?,
                "items" | "contains" | "unevaluatedItems" => self.items(inner, value)?,
                "prefixItems" => self.prefix(inner, value)?,
                "properties" => self.properties(inner, value)?,
                "patternProperties" => {
                    for pattern in inner.as_object()?.values() {
                        self.members(pattern, value)?;
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => self.members(inner, value)?,
                _ => {}
            }
        }
        Some(())
    }

    fn each(&mut self, schemas: impl IntoIterator<Item = &'s Value>, value: &Value) -> Option<()> {
        schemas.into_iter().try_for_each(|schema| self.judge(schema, value))
    }

    fn items(&mut self, schema: &'s Value, value: &Value) -> Option<()> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        items.iter().try_for_each(|item| self.judge(schema, item))
    }

    fn prefix(&mut self, schemas: &'s Value, value: &Value) -> Option<()> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let mut pairs = schemas.as_array()?.iter().zip(items);
        pairs.try_for_each(|(schema, item)| self.judge(schema, item))
    }

    fn properties(&mut self, schemas: &'s Value, value: &Value) -> Option<()> {
        let Some(members) = value.as_object() else { return Some(()) };
        let schemas = schemas.as_object()?;
        let mut pairs =
            members.iter().filter_map(|(name, member)| Some((schemas.get(name)?, member)));
        pairs.try_for_each(|(schema, member)| self.judge(schema, member))
    }

    fn members(&mut self, schema: &'s Value, value: &Value) -> Option<()> {
        let Some(members) = value.as_object() else { return Some(()) };
        members.values().try_for_each(|member| self.judge(schema, member))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn two_branches_into_the_same_item_are_refused_once_they_multiply() {
        let doubling = json!({"anyOf": [
            {"type": "string"},
            {"items": {"$ref": "#"}, "minItems": 2},
            {"items": {"$ref": "#"}, "minItems": 3},
        ]});
        assert!(is_bounded(&doubling, &nested(10)));
        assert!(!is_bounded(&doubling, &nested(28)));
    }

    #[test]
    fn a_recursive_schema_and_a_wide_value_are_allowed() {
        let tree = json!({"properties": {
            "left": {"$ref": "#"}, "right": {"$ref": "#"}, "name": {"type": "string"},
        }});
        let leaf = json!({"name": "x"});
        let deep = (0..30).fold(leaf, |inner, _| json!({"left": inner, "name": "y"}));
        assert!(is_bounded(&tree, &deep));
        let wide: Vec<_> = (0..19_000).map(Value::from).collect();
        assert!(is_bounded(
            &json!({"items": {"anyOf": [{"type": "string"}, {"type": "number"}]}}),
            &json!(wide)
        ));
    }
}
