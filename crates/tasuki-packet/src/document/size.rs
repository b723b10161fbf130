//! The depth and size of values, for limits that apply while values are built.

use serde_json::Value;

use super::limits::{NODES_MAX, PACKET_BYTES_MAX};
use crate::violation::Code;

/// The size of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Values and member names.
    pub(crate) nodes: usize,
    /// Bytes of texts and member names.
    pub(crate) bytes: usize,
}

impl Size {
    /// Returns the size of `value`, including everything in it.
    pub(crate) fn of(value: &Value) -> Self {
        let mut size = Self::default();
        size.add(value);
        size
    }

    /// Adds `more`, within the limits of a packet.
    ///
    /// # Errors
    ///
    /// The code of the exceeded limit, and a phrase for the message: `more than 9 values`.
    pub(crate) fn grow(&mut self, more: Self) -> Result<(), (Code, String)> {
        self.nodes += more.nodes;
        self.bytes += more.bytes;
        if self.nodes > NODES_MAX {
            Err((Code::PacketTooMany, format!("more than {NODES_MAX} values")))
        } else if self.bytes > PACKET_BYTES_MAX {
            Err((Code::PacketTooLarge, format!("more than {PACKET_BYTES_MAX} bytes")))
        } else {
            Ok(())
        }
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

/// Returns the levels of lists and objects in `value`: 0 for a scalar.
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
    fn a_size_cannot_grow_beyond_the_limits_of_a_packet() {
        let mut size = Size::default();
        assert_eq!(size.grow(Size { nodes: NODES_MAX, bytes: PACKET_BYTES_MAX }), Ok(()));
        let (mut nodes, mut bytes) = (size, size);
        let (code, words) = nodes.grow(Size { nodes: 1, bytes: 1 }).unwrap_err();
        assert_eq!((code, words), (Code::PacketTooMany, format!("more than {NODES_MAX} values")));
        let (code, words) = bytes.grow(Size { nodes: 0, bytes: 1 }).unwrap_err();
        let expected = format!("more than {PACKET_BYTES_MAX} bytes");
        assert_eq!((code, words), (Code::PacketTooLarge, expected));
    }

    #[test]
    fn empty_lists_and_objects_are_a_level() {
        for (value, levels) in [(json!(1), 0), (json!([]), 1), (json!([{"a": [1]}, {}]), 3)] {
            assert_eq!(height(&value), levels, "{value}");
        }
    }
}
