//! A list that checkpoints append to. Entries are unique and never lost.

use std::collections::HashMap;

use serde_json::Value;

use super::pinned::is_pinned;
use crate::packet::Item;

/// A list of the packet, with an index of its entries.
///
/// The index exists because a task may have many checkpoints, each of which may repeat completed
/// items.
#[derive(Debug)]
pub(super) struct GrowingList {
    entries: Vec<Value>,
    places: HashMap<Key, usize>,
    holds_files: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A file is identified by its path, regardless of its digest.
    Path(String),
    /// A statement is identified by its text, with or without a state.
    Text(String),
    /// Any other entry is identified by its value.
    Whole(Value),
}

impl GrowingList {
    pub(super) fn new(name: &str, value: Value) -> Self {
        let entries = match value {
            Value::Array(entries) => entries,
            Value::Null => Vec::new(),
            other => vec![other],
        };
        let mut list =
            Self { entries: Vec::new(), places: HashMap::new(), holds_files: name == "artifacts" };
        // Repetitions in the packet itself are kept.
        for entry in entries {
            list.append(entry);
        }
        list
    }

    pub(super) fn add(&mut self, entry: &Value) {
        let place = self.places.get(&self.key(entry)).copied();
        match place.and_then(|place| self.entries.get_mut(place)) {
            // Pinned entries stay verbatim, so nothing is merged into them.
            Some(known) if is_pinned(known) => {}
            Some(known) if self.holds_files => *known = entry.clone(),
            Some(known) => merge_newer(known, entry),
            None => self.append(entry.clone()),
        }
    }

    /// Removes the entries that do not meet a condition.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Value) -> bool) {
        if self.entries.iter().all(&is_kept) {
            return;
        }
        self.places.clear();
        for entry in std::mem::take(&mut self.entries) {
            if is_kept(&entry) {
                self.append(entry);
            }
        }
    }

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

/// Merges a newer statement of the same text, for example its verified state.
fn merge_newer(known: &mut Value, newer: &Value) {
    let Value::Object(added) = newer else { return };
    match known {
        Value::Object(members) => {
            members.extend(added.iter().map(|(name, value)| (name.clone(), value.clone())));
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
    fn an_existing_entry_is_not_added_again() {
        let tried = json!({"tried": "a", "result": "b"});
        let same = json!({"result": "b", "tried": "a"});
        check("completed", json!(["a"]), &[json!("a"), json!("b"), json!("b")], &json!(["a", "b"]));
        check("failed_approaches", json!([tried]), &[same], &json!([tried]));
        check("completed", json!(["a", "a"]), &[json!("a")], &json!(["a", "a"]));
        check("completed", json!("a"), &[json!("b")], &json!(["a", "b"]));
        check("failed_approaches", json!(null), &[], &json!([]));
    }

    #[test]
    fn a_newer_statement_is_merged_into_the_existing_one() {
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
    fn the_newer_version_of_a_file_replaces_the_older_one_in_place() {
        let old = json!({"kind": "output", "path": "a", "bytes": 1});
        let other = json!({"kind": "log", "path": "b"});
        let new = [json!({"kind": "output", "path": "a", "digest": "sha256:0"})];
        check("artifacts", json!([old, other]), &new, &json!([new[0], other]));
    }
}
