//! How deep and how large a value is, for the limits that hold while values are built.

use serde_json::Value;

/// What a value costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Values and member names.
    pub(crate) nodes: usize,
    /// Bytes of texts and member names.
    pub(crate) bytes: usize,
}

impl Size {
    /// The size of `value` with everything in it.
    pub(crate) fn of(value: &Value) -> Self {
        let mut size = Self::default();
        size.add(value);
        size
    }

    fn add(&mut self, value: &Value) {
        self.nodes += 1;
        match value {
            Value::String(text) => self.bytes += text.len(),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => {
                for (name, member) in members {
                    self.nodes += 1;
                    self.bytes += name.len();
                    self.add(member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Levels of lists and objects in `value`: a scalar has none.
pub(crate) fn height(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(height).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(height).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_count_like_values() {
        let value = json!({"ab": ["cde", 1, null]});
        assert_eq!(Size::of(&value), Size { nodes: 6, bytes: 5 });
    }

    #[test]
    fn empty_lists_and_objects_are_a_level() {
        for (value, levels) in [(json!(1), 0), (json!([]), 1), (json!([{"a": [1]}, {}]), 3)] {
            assert_eq!(height(&value), levels, "{value}");
        }
    }
}
