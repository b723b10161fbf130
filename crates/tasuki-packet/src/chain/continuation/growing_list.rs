//! A list that checkpoints add to: every entry once, none ever lost.

use std::collections::HashMap;

use serde_json::Value;

use super::pinned::is_pinned;
use crate::packet::Item;

/// A list of the packet, and where each of its entries stands.
///
/// The places are kept, because a task may see many checkpoints and each may repeat what is done.
#[derive(Debug)]
pub(super) struct GrowingList {
    entries: Vec<Value>,
    places: HashMap<Key, usize>,
    holds_files: bool,
}

/// What makes two entries the same.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A file is one file, whatever its digest.
    Path(String),
    /// A statement is one statement, with or without a state.
    Text(String),
    /// Anything else is only the same as itself.
    Whole(Value),
}

impl GrowingList {
    /// The list that the packet has under this name.
    pub(super) fn new(name: &str, value: Value) -> Self {
        let entries = match value {
            Value::Array(entries) => entries,
            Value::Null => Vec::new(),
            other => vec![other],
        };
        let mut list =
            Self { entries: Vec::new(), places: HashMap::new(), holds_files: name == "artifacts" };
        // What the packet itself repeats stays repeated.
        for entry in entries {
            list.append(entry);
        }
        list
    }

    /// Adds an entry, or what it newly says about one that is there.
    pub(super) fn add(&mut self, entry: &Value) {
        let place = self.places.get(&self.key(entry)).copied();
        match place.and_then(|place| self.entries.get_mut(place)) {
            // Word for word means that nobody adds to it either.
            Some(known) if is_pinned(known) => {}
            Some(known) if self.holds_files => *known = entry.clone(),
            Some(known) => take_over(known, entry),
            None => self.append(entry.clone()),
        }
    }

    /// The list as a value.
    pub(super) fn into_value(self) -> Value {
        Value::Array(self.entries)
    }

    fn append(&mut self, entry: Value) {
        self.places.insert(self.key(&entry), self.entries.len());
        self.entries.push(entry);
    }

    fn key(&self, entry: &Value) -> Key {
        let path = entry.get("path").and_then(Value::as_str).filter(|_| self.holds_files);
        match (path, Item::of(entry)) {
            (Some(path), _) => Key::Path(path.to_owned()),
            (None, Some(item)) => Key::Text(item.text.to_owned()),
            (None, None) => Key::Whole(entry.clone()),
        }
    }
}

/// Takes over what a newer statement of the same text says: that it is verified, where one sees it.
fn take_over(known: &mut Value, newer: &Value) {
    let Value::Object(said) = newer else { return };
    match known {
        Value::Object(members) => {
            members.extend(said.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        plain => *plain = newer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, value: Value, added: &[Value], expected: &Value) {
        let mut list = GrowingList::new(name, value);
        for entry in added {
            list.add(entry);
        }
        assert_eq!(&list.into_value(), expected);
    }

    #[test]
    fn an_entry_that_is_there_is_not_added_again() {
        let tried = json!({"tried": "a", "result": "b"});
        let same = json!({"result": "b", "tried": "a"});
        check("completed", json!(["a"]), &[json!("a"), json!("b"), json!("b")], &json!(["a", "b"]));
        check("failed_approaches", json!([tried]), &[same], &json!([tried]));
        check("completed", json!(["a", "a"]), &[json!("a")], &json!(["a", "a"]));
        check("completed", json!("a"), &[json!("b")], &json!(["a", "b"]));
        check("failed_approaches", json!(null), &[], &json!([]));
    }

    #[test]
    fn what_is_newly_said_of_a_statement_is_taken_over() {
        let plain = json!("a");
        let assumed = json!({"text": "a", "state": "assumed", "evidence": "log:1"});
        let verified = json!({"text": "a", "state": "verified"});
        let both = json!({"text": "a", "state": "verified", "evidence": "log:1"});
        check("completed", json!([assumed]), &[verified, plain.clone()], &json!([both]));

        let pinned = json!({"text": "a", "pinned": true});
        let more = [assumed];
        check("completed", json!([plain]), &more, &json!(more));
        check("completed", json!([pinned]), &more, &json!([pinned]));
    }

    #[test]
    fn the_newer_version_of_a_file_stands_where_the_older_stood() {
        let old = json!({"kind": "output", "path": "a", "bytes": 1});
        let other = json!({"kind": "log", "path": "b"});
        let new = [json!({"kind": "output", "path": "a", "digest": "sha256:0"})];
        check("artifacts", json!([old, other]), &new, &json!([new[0], other]));
    }
}
