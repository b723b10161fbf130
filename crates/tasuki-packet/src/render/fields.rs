//! The members of a packet, each taken once.
//!
//! A rendering takes the members it knows, in its order, and then takes the rest. No member is
//! shown twice, and none is omitted, even if it is unknown or of the wrong type.

use std::collections::HashSet;

use serde_json::Value;

use super::text;
use crate::document::Members;

/// The members of a packet, with a record of those already taken.
#[derive(Debug)]
pub(super) struct Fields<'p> {
    members: &'p Members,
    taken: HashSet<&'p str>,
}

impl<'p> Fields<'p> {
    pub(super) fn new(members: &'p Members) -> Self {
        Self { members, taken: HashSet::new() }
    }

    pub(super) fn value(&mut self, name: &str) -> Option<&'p Value> {
        self.take(name, Some)
    }

    /// Takes a text. A blank one is taken but not returned.
    pub(super) fn text(&mut self, name: &str) -> Option<&'p str> {
        self.take(name, Value::as_str).filter(|text| text::has_text(text))
    }

    pub(super) fn list(&mut self, name: &str) -> &'p [Value] {
        self.take(name, Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns a list without taking it.
    pub(super) fn peek_list(&self, name: &str) -> &'p [Value] {
        self.members.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` for a list that is present, not taken yet, and empty.
    pub(super) fn is_empty_list(&self, name: &str) -> bool {
        let list = self.members.get(name).and_then(Value::as_array);
        list.is_some_and(Vec::is_empty) && !self.taken.contains(name)
    }

    pub(super) fn object(&mut self, name: &str) -> Option<&'p Members> {
        self.take(name, Value::as_object)
    }

    pub(super) fn rest(&mut self) -> Vec<(&'p str, &'p Value)> {
        let left = self.members.iter().filter(|(name, _)| !self.taken.contains(name.as_str()));
        let left = left.map(|(name, value)| (name.as_str(), value)).collect();
        self.taken = self.members.keys().map(String::as_str).collect();
        left
    }

    fn take<T>(&mut self, name: &str, view: impl Fn(&'p Value) -> Option<T>) -> Option<T> {
        let (name, value) = self.members.get_key_value(name)?;
        if self.taken.contains(name.as_str()) {
            return None;
        }
        let seen = view(value)?;
        self.taken.insert(name);
        Some(seen)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn remaining_members_keep_their_order() {
        let value = json!({ "z": 1, "goal": "ship", "summary": 7, "completed": [] });
        let mut fields = Fields::new(value.as_object().unwrap());

        assert_eq!(fields.text("goal"), Some("ship"));
        assert_eq!(fields.text("goal"), None, "each member is returned once");
        assert_eq!(fields.text("summary"), None, "a number is not a text");
        assert!(fields.list("completed").is_empty());

        let left: Vec<&str> = fields.rest().into_iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["z", "summary"]);
    }
}
