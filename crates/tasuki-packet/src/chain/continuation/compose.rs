//! Composes the continuation: the packet, then each checkpoint in order, then the decisions.
//!
//! Checkpoints are applied one after the other, so composing in several steps gives the same
//! result. `rule` defines the effect of a checkpoint on each member.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::growing_list::GrowingList;
use super::note::DecisionNote;
use super::pinned::{self, is_pinned};
use super::rule::{Rule, rule_of};
use super::steps::step_key;
use crate::document::Members;
use crate::packet::{Item, Packet};

/// Returns the packet for the next holder, with all checkpoints (oldest first) and all decisions
/// applied.
///
/// The result depends only on the documents, not on the order of their members. Without checkpoints
/// and decisions it is the packet itself.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::chain::continuation::compose;
/// use tasuki_packet::Packet;
///
/// let packet = json!({ "goal": "Ship it", "completed": [], "remaining": ["Code", "Tests"] });
/// let checkpoint = json!({ "packet_type": "checkpoint", "completed": ["Code"] });
/// let [packet, checkpoint] = [packet, checkpoint].map(|value| Packet::from_value(value).unwrap());
///
/// assert_eq!(
///     compose(&packet, &[checkpoint], &[]).to_value(),
///     json!({ "goal": "Ship it", "completed": ["Code"], "remaining": ["Tests"] })
/// );
/// ```
pub fn compose<'c>(
    packet: &Packet,
    checkpoints: impl IntoIterator<Item = &'c Packet>,
    decisions: &[DecisionNote<'_>],
) -> Packet {
    let mut composition = Composition { members: packet.members().clone(), lists: HashMap::new() };
    for checkpoint in checkpoints {
        composition.take(checkpoint.members());
    }
    for note in decisions {
        composition.add("decisions", &[Value::from(note.sentence())]);
    }
    composition.into_packet()
}

/// A continuation under construction. Growing lists are kept beside the members until the end; a
/// `null` reserves their position.
#[derive(Debug)]
struct Composition {
    members: Members,
    lists: HashMap<String, GrowingList>,
}

impl Composition {
    fn take(&mut self, checkpoint: &Members) {
        // A null member has no effect.
        for (name, value) in checkpoint.iter().filter(|(_, value)| !value.is_null()) {
            match rule_of(name) {
                Rule::Fixed => {}
                Rule::AddedTo => self.add(name, entries(value)),
                Rule::Merged => self.merge(name, value),
                Rule::Replaced => put(&mut self.members, name, value),
            }
        }
        self.remove_old_summary(checkpoint);
        let done = keys(checkpoint.get("completed"));
        if is_given(checkpoint, "remaining") {
            let mut left = keys(checkpoint.get("remaining"));
            left.retain(|key| !done.contains(key));
            self.reopen(&left);
        }
        self.finish(&done);
    }

    fn add(&mut self, name: &str, entries: &[Value]) {
        let members = &mut self.members;
        let list = self.lists.entry(name.to_owned()).or_insert_with(|| {
            let place = members.entry(name).or_insert(Value::Null);
            GrowingList::new(name, place.take())
        });
        for entry in entries {
            list.add(entry);
        }
    }

    fn merge(&mut self, name: &str, value: &Value) {
        let Value::Object(given) = value else { return };
        match self.members.get_mut(name) {
            Some(Value::Object(members)) => {
                given.iter().for_each(|(name, value)| put(members, name, value));
            }
            _ => put(&mut self.members, name, value),
        }
    }

    /// Removes the old summary. The summary has two names, and a new one under either replaces
    /// both.
    fn remove_old_summary(&mut self, checkpoint: &Members) {
        for (new, old) in [("summary", "handoff_summary"), ("handoff_summary", "summary")] {
            let is_text = self.members.get(old).is_some_and(Value::is_string);
            if is_text && is_given(checkpoint, new) && !is_given(checkpoint, old) {
                self.members.shift_remove(old);
            }
        }
    }

    /// Removes completed items from the remaining ones. Pinned items stay.
    fn finish(&mut self, done: &HashSet<String>) {
        let Some(Value::Array(remaining)) = self.members.get_mut("remaining") else { return };
        remaining.retain(|entry| is_pinned(entry) || !has_key(entry, done));
    }

    /// Removes items that are left again from the completed ones. Pinned items stay.
    fn reopen(&mut self, left: &HashSet<String>) {
        let is_kept = |entry: &Value| is_pinned(entry) || !has_key(entry, left);
        match self.lists.get_mut("completed") {
            Some(list) => list.retain(is_kept),
            None => {
                if let Some(Value::Array(completed)) = self.members.get_mut("completed") {
                    completed.retain(is_kept);
                }
            }
        }
    }

    fn into_packet(mut self) -> Packet {
        for (name, list) in self.lists {
            self.members.insert(name, list.into_value());
        }
        Packet::new(self.members)
    }
}

fn put(members: &mut Members, name: &str, value: &Value) {
    match members.get_mut(name) {
        Some(old) => *old = pinned::replacement(old, value),
        None => {
            members.insert(name.to_owned(), value.clone());
        }
    }
}

/// Returns the entries of a list, including a list written as a single entry.
fn entries(value: &Value) -> &[Value] {
    match value {
        Value::Array(entries) => entries,
        single => std::slice::from_ref(single),
    }
}

/// Returns the keys by which the items of a list are compared.
fn keys(list: Option<&Value>) -> HashSet<String> {
    let items = list.map_or(&[][..], entries).iter().filter_map(Item::of);
    items.map(|item| step_key(item.text)).collect()
}

fn has_key(entry: &Value, keys: &HashSet<String>) -> bool {
    Item::of(entry).is_some_and(|item| keys.contains(&step_key(item.text)))
}

fn is_given(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;
    use crate::schema::field::FIELDS;
    use crate::write::arbitrary;
    use crate::{canonical, chain, render};

    fn packet(value: Value) -> Packet {
        Packet::from_value(value).unwrap()
    }

    fn check(given: Value, checkpoints: &[Value], expected: &Value) {
        let checkpoints: Vec<Packet> = checkpoints.iter().cloned().map(packet).collect();
        let composed = compose(&packet(given), &checkpoints, &[]);
        // Compared as text, because the order of members matters to readers.
        assert_eq!(composed.to_value().to_string(), expected.to_string());
    }

    #[test]
    fn progress_of_all_checkpoints_is_combined() {
        check(
            json!({
                "task_id": "t-1", "status": "in_progress", "summary": "Begun",
                "completed": ["Scaffold"], "remaining": ["Code", "Tests", "Bundle"],
                "context": { "node": "22", "branch": "main" },
                "cost": { "tokens": 100 },
            }),
            &[
                json!({ "packet_type": "checkpoint", "completed": ["Scaffold", "Code"], "confidence": 0.5,
                    "decisions": ["Hooks"], "context": { "branch": "part" }, "cost": { "tokens": 40 } }),
                json!({ "packet_type": "checkpoint", "status": "blocked", "summary": "Tests fail",
                    "remaining": ["Mend tests", "Bundle"], "decisions": ["Hooks", "No mocks"],
                    "artifacts": [{ "kind": "log", "path": "a.log" }], "confidence": 0.4,
                    "cost": { "tokens": 90 } }),
            ],
            &json!({
                "task_id": "t-1", "status": "blocked", "summary": "Tests fail",
                "completed": ["Scaffold", "Code"], "remaining": ["Mend tests", "Bundle"],
                "context": { "node": "22", "branch": "part" },
                "cost": { "tokens": 90 }, "confidence": 0.4,
                "decisions": ["Hooks", "No mocks"],
                "artifacts": [{ "kind": "log", "path": "a.log" }],
            }),
        );
    }

    #[test]
    fn the_agreement_stays_unchanged() {
        let given = json!({ "to_agent": "ana", "goal": "Ship it", "constraints": ["Stay in src"] });
        let wider = json!({
            "packet_type": "checkpoint", "handoff_version": "1.1", "to_agent": "ben",
            "goal": "Anything", "constraints": [], "authority": ["write:*"],
            "budget": { "tokens": 9 }, "classification": "OFFICIAL", "decision": "accept",
        });
        check(given.clone(), &[wider], &given);
    }

    #[test]
    fn completed_items_no_longer_remain() {
        let pinned = json!({ "text": "Tell ana", "pinned": true });
        let given =
            json!({ "remaining": ["Code", { "text": "Tests", "state": "assumed" }, pinned] });
        let completed = json!([{ "text": "Code", "state": "verified" }, "Tests", "Tell ana"]);
        check(
            given.clone(),
            &[json!({ "completed": completed })],
            &json!({ "remaining": [pinned], "completed": completed }),
        );
        // A completed item is done even if the same checkpoint lists it as left.
        check(
            given,
            &[json!({ "remaining": ["code ", "Docs"], "completed": ["Code"] })],
            &json!({ "remaining": ["Docs", pinned], "completed": ["Code"] }),
        );
    }

    #[test]
    fn an_item_that_is_left_again_is_no_longer_completed() {
        check(
            json!({ "completed": ["Plan", "Code"], "remaining": ["Tests"] }),
            &[json!({ "completed": ["Tests"] }), json!({ "remaining": ["tests", "Code"] })],
            &json!({ "completed": ["Plan"], "remaining": ["tests", "Code"] }),
        );
    }

    #[test]
    fn a_pin_of_a_checkpoint_applies_to_later_ones() {
        let pinned = json!({ "text": "Ask first", "pinned": true });
        check(
            json!({}),
            &[json!({ "notes": [pinned] }), json!({ "notes": ["Mine"] })],
            &json!({ "notes": ["Mine", pinned] }),
        );
    }

    #[test]
    fn a_new_summary_replaces_the_old_one_under_either_name() {
        let [ours, of_ahp] = ["summary", "handoff_summary"];
        for (old, new) in [(ours, of_ahp), (of_ahp, ours), (ours, ours)] {
            check(json!({ old: "Begun" }), &[json!({ new: "Half" })], &json!({ new: "Half" }));
        }
    }

    #[test]
    fn an_empty_checkpoint_changes_nothing() {
        let given = json!({ "remaining": ["a"], "context": { "a": 1 }, "summary": "s" });
        let nothing =
            json!({ "remaining": null, "completed": null, "context": null, "summary": null });
        check(given.clone(), &[nothing, json!({ "packet_type": "checkpoint" })], &given);
    }

    #[test]
    fn decisions_of_people_are_added_to_the_decisions() {
        let note =
            DecisionNote { decision: "accept", by: "ana", reason: Some("looks right"), at: "noon" };
        let given = packet(json!({ "decisions": ["Hooks"] }));
        let composed = compose(&given, &[], &[note, note]);
        assert_eq!(
            composed.to_value(),
            json!({ "decisions": ["Hooks", "ana accepted at noon, reason: looks right"] })
        );
    }

    #[test]
    fn the_brief_is_of_the_composed_packet_and_within_the_budget() {
        let words = |text: &str| text.split_whitespace().count();
        let steps: Vec<String> = (0..200).map(|n| format!("did step {n}")).collect();
        let given = packet(json!({ "goal": "Ship it", "remaining": ["Code", "Tests"] }));
        let checkpoint = packet(json!({ "completed": steps, "remaining": ["Tests"] }));
        let note = DecisionNote { decision: "accept", by: "ana", reason: None, at: "noon" };

        let brief =
            render::agent_brief(&compose(&given, [&checkpoint], &[note]), Some(120), &words)
                .unwrap();
        assert!(brief.tokens <= 120);
        for line in ["Goal: Ship it", "201. Tests", "- ana accepted at noon"] {
            assert!(brief.text.lines().any(|found| found == line), "{line} in:\n{}", brief.text);
        }
        let marker = &compose(&given, [&checkpoint], &[note]).digest()[7..23];
        assert!(brief.text.ends_with(&format!("TASUKI-DATA {marker}>>>\n")));
    }

    /// Generates lists from few words, so that checkpoints overlap, and occasionally other values.
    fn any_packet() -> impl Strategy<Value = Packet> {
        let text = select(vec!["a", "b", "c"]);
        let item = (text, any::<bool>(), select(vec!["verified", "assumed"])).prop_map(
            |(text, is_pinned, state)| json!({ "text": text, "pinned": is_pinned, "state": state }),
        );
        let file = select(vec!["a", "b"]).prop_map(|path| json!({ "kind": "log", "path": path }));
        let plain = select(vec![json!("a"), json!("b"), json!("c"), json!("d")]);
        let entry = prop_oneof![plain, item, file, arbitrary::alike()];
        let list = vec(entry, 0..6).prop_map(Value::Array).boxed();
        let object = vec((select(vec!["a", "b"]).prop_map(str::to_owned), list.clone()), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        let value = prop_oneof![6 => list, 2 => object, 2 => arbitrary::value()];
        let often = vec!["completed", "remaining", "context", "notes", "artifacts", "constraints"];
        let seldom: Vec<&str> = FIELDS.iter().map(|field| field.name).chain(["x_other"]).collect();
        let name = prop_oneof![2 => select(often), 1 => select(seldom)].prop_map(str::to_owned);
        vec((name, value).prop_map(as_valid), 0..8)
            .prop_map(|members| Packet::new(members.into_iter().collect()))
    }

    /// Makes growing members lists, as in every valid packet.
    fn as_valid((name, value): (String, Value)) -> (String, Value) {
        let is_list = value.is_array() || rule_of(&name) != Rule::AddedTo;
        (name, if is_list { value } else { json!([value]) })
    }

    fn turned(packet: &Packet) -> Packet {
        Packet::new(packet.members().clone().into_iter().rev().collect())
    }

    fn bytes(packet: &Packet) -> Vec<u8> {
        canonical::bytes(&packet.to_value())
    }

    fn texts(packet: &Packet) -> Vec<&str> {
        packet.items("completed").map(|item| item.text).collect()
    }

    fn left_texts(packet: &Packet) -> Vec<&str> {
        let list = packet.get("remaining").map_or(&[][..], entries);
        list.iter().filter_map(Item::of).map(|item| item.text).collect()
    }

    fn pinned_items(value: &Value) -> Vec<&Value> {
        let entries = value.as_array().map_or(&[][..], Vec::as_slice);
        entries.iter().filter(|entry| is_pinned(entry)).collect()
    }

    proptest! {
        #[test]
        fn the_same_documents_give_the_same_bytes(
            given in any_packet(), checkpoints in vec(any_packet(), 0..4),
        ) {
            let note = DecisionNote { decision: "accept", by: "ana", reason: None, at: "noon" };
            let composed = compose(&given, &checkpoints, &[note]);
            let others: Vec<Packet> = checkpoints.iter().map(turned).collect();
            let again = compose(&turned(&given), &others, &[note]);
            prop_assert_eq!(bytes(&composed), bytes(&again));
            prop_assert_eq!(composed.digest(), again.digest());
        }

        #[test]
        fn without_checkpoints_and_decisions_it_is_the_packet(given in any_packet()) {
            prop_assert_eq!(bytes(&compose(&given, &[], &[])), bytes(&given));
        }

        #[test]
        fn composing_in_steps_equals_composing_at_once(
            given in any_packet(), checkpoints in vec(any_packet(), 0..4), at in 0..4_usize,
        ) {
            let (first, rest) = checkpoints.split_at(at.min(checkpoints.len()));
            let on = compose(&compose(&given, first, &[]), rest, &[]);
            prop_assert_eq!(bytes(&on), bytes(&compose(&given, &checkpoints, &[])));
        }

        #[test]
        fn nothing_pinned_and_nothing_completed_is_lost(
            given in any_packet(), checkpoints in vec(any_packet(), 0..4),
        ) {
            let composed = compose(&given, &checkpoints, &[]);
            prop_assert_eq!(chain::dropped(&given, &composed), vec![]);
            for (name, value) in given.members() {
                let kept = composed.get(name).map(pinned_items).unwrap_or_default();
                for item in pinned_items(value) {
                    prop_assert!(kept.contains(&item), "{} of {name}", item);
                }
            }
            let done = texts(&composed);
            let reopened: Vec<&str> = checkpoints.iter().flat_map(left_texts).collect();
            for text in texts(&given).into_iter().chain(checkpoints.iter().flat_map(texts)) {
                prop_assert!(done.contains(&text) || reopened.contains(&text), "{text}");
            }
        }

        #[test]
        fn no_item_of_a_checkpoint_is_both_done_and_left(
            given in any_packet(), checkpoints in vec(any_packet(), 1..4),
        ) {
            let composed = compose(&given, &checkpoints, &[]);
            let stated = checkpoints.iter().flat_map(|one| texts(one).into_iter().chain(left_texts(one)));
            let stated: Vec<&str> = stated.collect();
            let is_unpinned = |value: &&Value| !is_pinned(value);
            let left = composed.list("remaining").iter().filter(is_unpinned).filter_map(Item::of);
            let completed = composed.list("completed").iter().filter(is_unpinned);
            let done: Vec<&str> = completed.filter_map(Item::of).map(|item| item.text).collect();
            for item in left.filter(|item| stated.contains(&item.text)) {
                prop_assert!(!done.contains(&item.text), "{}", item.text);
            }
        }

        #[test]
        fn no_checkpoint_changes_fixed_members(
            given in any_packet(), checkpoints in vec(any_packet(), 0..4),
        ) {
            let composed = compose(&given, &checkpoints, &[]);
            for field in FIELDS.iter().filter(|field| rule_of(field.name) == Rule::Fixed) {
                prop_assert_eq!(composed.get(field.name), given.get(field.name));
            }
        }
    }
}
