//! The steps of a task: what is done and what is left, by number.
//!
//! A step is an entry of `completed` or `remaining`. Its number is the position at which the task
//! first named it, so it stays the same while checkpoints complete steps in any order. `compose`
//! gives the packet; this module gives the numbers and the checkpoint that completed each step.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::packet::{Item, Packet};

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// `true` if it is done.
    pub is_done: bool,
    /// The index of the checkpoint that completed it. The packet completed all others.
    pub done_in: Option<usize>,
}

/// Returns the steps of a task after its checkpoints, by number. Steps that a checkpoint removed
/// from `remaining` without completing them are left out.
///
/// If the task never stated what remains, its goal is the last step.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::chain::continuation::steps;
/// use tasuki_packet::Packet;
///
/// let packet = json!({ "completed": ["Plan"], "remaining": ["Code", "Tests"] });
/// let checkpoint = json!({ "packet_type": "checkpoint", "completed": ["tests"] });
/// let [packet, checkpoint] = [packet, checkpoint].map(|value| Packet::from_value(value).unwrap());
///
/// let steps = steps(&packet, [&checkpoint]);
/// let left: Vec<_> = steps.iter().filter(|step| !step.is_done).collect();
/// assert_eq!((left[0].number, left[0].text.as_str()), (2, "Code"));
/// ```
pub fn steps<'c>(packet: &Packet, checkpoints: impl IntoIterator<Item = &'c Packet>) -> Vec<Step> {
    let mut list = StepList::default();
    list.take(packet, None);
    for (index, checkpoint) in checkpoints.into_iter().enumerate() {
        list.take(checkpoint, Some(index));
    }
    list.into_steps(packet)
}

/// Returns the number of steps that are done and left after each checkpoint.
pub fn step_counts<'c>(
    packet: &Packet,
    checkpoints: impl IntoIterator<Item = &'c Packet>,
) -> Vec<(u32, u32)> {
    let mut list = StepList::default();
    list.take(packet, None);
    let after = |(index, checkpoint): (usize, &Packet)| {
        list.take(checkpoint, Some(index));
        list.counts(packet)
    };
    checkpoints.into_iter().enumerate().map(after).collect()
}

/// Returns the form of a text by which steps are compared: without case and repeated spaces.
pub fn step_key(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns the keys of the entries of a list.
pub(crate) fn keys(packet: &Packet, name: &str) -> HashSet<String> {
    items(packet, name).map(|item| step_key(item.text)).collect()
}

/// Returns the items of a list, including a list written as a single text.
pub(super) fn items<'p>(packet: &'p Packet, name: &str) -> impl Iterator<Item = Item<'p>> {
    let entries = match packet.get(name) {
        Some(Value::Array(entries)) => entries,
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    entries.iter().filter_map(Item::of)
}

/// Returns `true` if a packet states a member, even as an empty list.
pub(super) fn states(packet: &Packet, name: &str) -> bool {
    packet.get(name).is_some_and(|value| !value.is_null())
}

#[derive(Debug, Default)]
struct StepList {
    entries: Vec<Entry>,
    places: HashMap<String, usize>,
    states_remaining: bool,
}

#[derive(Debug)]
struct Entry {
    text: String,
    is_pinned: bool,
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Done(Option<usize>),
    Left,
    Dropped,
}

impl StepList {
    /// Applies the packet, or a checkpoint with its index.
    fn take(&mut self, packet: &Packet, index: Option<usize>) {
        let done = keys(packet, "completed");
        for item in items(packet, "completed") {
            let entry = self.entry(item.text);
            if !matches!(entry.status, Status::Done(_)) {
                entry.status = Status::Done(index);
            }
        }
        if !states(packet, "remaining") {
            return;
        }
        self.states_remaining = true;
        for entry in &mut self.entries {
            if entry.status == Status::Left && !entry.is_pinned {
                entry.status = Status::Dropped;
            }
        }
        for item in items(packet, "remaining") {
            let is_done = done.contains(&step_key(item.text));
            let entry = self.entry(item.text);
            entry.is_pinned |= item.is_pinned();
            if !is_done {
                entry.status = Status::Left;
            }
        }
    }

    fn entry(&mut self, text: &str) -> &mut Entry {
        let place = *self.places.entry(step_key(text)).or_insert_with(|| {
            let text = text.to_owned();
            self.entries.push(Entry { text, is_pinned: false, status: Status::Dropped });
            self.entries.len() - 1
        });
        &mut self.entries[place]
    }

    /// Returns the goal if it is the step that is left.
    fn open_goal<'p>(&self, packet: &'p Packet) -> Option<&'p str> {
        let goal = packet.text("goal").filter(|_| !self.states_remaining);
        goal.filter(|goal| !self.places.contains_key(&step_key(goal)))
    }

    fn counts(&self, packet: &Packet) -> (u32, u32) {
        let count = |is_counted: fn(&Status) -> bool| {
            let counted = self.entries.iter().filter(|entry| is_counted(&entry.status)).count();
            u32::try_from(counted).unwrap_or(u32::MAX)
        };
        let left = count(|status| *status == Status::Left);
        let goal = u32::from(self.open_goal(packet).is_some());
        (count(|status| matches!(status, Status::Done(_))), left.saturating_add(goal))
    }

    fn into_steps(mut self, packet: &Packet) -> Vec<Step> {
        if let Some(goal) = self.open_goal(packet) {
            self.entry(goal).status = Status::Left;
        }
        let numbered = self.entries.into_iter().zip(1..);
        let step = |(entry, number): (Entry, u32)| {
            let (is_done, done_in) = match entry.status {
                Status::Done(index) => (true, index),
                Status::Left => (false, None),
                Status::Dropped => return None,
            };
            Some(Step { number, text: entry.text, is_done, done_in })
        };
        numbered.filter_map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Writes steps as `2 done in 1: Code` and `3 left: Tests`.
    fn check(packet: Value, checkpoints: &[Value], expected: &[&str]) {
        let checkpoints: Vec<Packet> =
            checkpoints.iter().map(|value| Packet::from_value(value.clone()).unwrap()).collect();
        let written: Vec<String> = steps(&Packet::from_value(packet).unwrap(), &checkpoints)
            .into_iter()
            .map(|step| match (step.is_done, step.done_in) {
                (true, Some(index)) => format!("{} done in {index}: {}", step.number, step.text),
                (true, None) => format!("{} done: {}", step.number, step.text),
                (false, _) => format!("{} left: {}", step.number, step.text),
            })
            .collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn a_step_keeps_its_number_whatever_the_order_of_completion() {
        let packet = json!({ "completed": ["Plan"], "remaining": ["Code", "Tests", "Docs"] });
        check(
            packet.clone(),
            &[],
            &["1 done: Plan", "2 left: Code", "3 left: Tests", "4 left: Docs"],
        );
        check(
            packet,
            &[json!({ "completed": ["Docs"] }), json!({ "completed": ["  code "] })],
            &["1 done: Plan", "2 done in 1: Code", "3 left: Tests", "4 done in 0: Docs"],
        );
    }

    #[test]
    fn a_new_list_drops_steps_and_reopens_others() {
        let packet = json!({ "completed": ["Plan"], "remaining": ["Code", "Tests"] });
        check(
            packet.clone(),
            &[json!({ "completed": ["Code"], "remaining": ["Code", "Mend tests"] })],
            &["1 done: Plan", "2 done in 0: Code", "4 left: Mend tests"],
        );
        check(
            packet,
            &[json!({ "completed": ["Code"] }), json!({ "remaining": ["Code"] })],
            &["1 done: Plan", "2 left: Code"],
        );
    }

    #[test]
    fn a_pinned_step_is_left_until_it_is_completed() {
        let packet = json!({ "remaining": ["Code", { "text": "Tell ana", "pinned": true }] });
        let rest = json!({ "remaining": [] });
        check(packet.clone(), std::slice::from_ref(&rest), &["2 left: Tell ana"]);
        check(packet, &[json!({ "completed": ["Tell ana"] }), rest], &["2 done in 0: Tell ana"]);
    }

    #[test]
    fn the_goal_is_left_while_nothing_else_is_stated() {
        let packet = json!({ "goal": "Ship it" });
        check(packet.clone(), &[], &["1 left: Ship it"]);
        check(
            packet.clone(),
            &[json!({ "completed": ["Code"] })],
            &["1 done in 0: Code", "2 left: Ship it"],
        );
        check(packet.clone(), &[json!({ "completed": ["Ship it"] })], &["1 done in 0: Ship it"]);
        check(
            packet,
            &[json!({ "completed": ["Code"], "remaining": ["Tests"] })],
            &["1 done in 0: Code", "2 left: Tests"],
        );
        check(json!({ "goal": "Ship it", "remaining": [] }), &[], &[]);
    }

    #[test]
    fn an_item_that_a_packet_lists_twice_is_done() {
        check(
            json!({ "completed": ["a"], "remaining": ["a", "b"] }),
            &[],
            &["1 done: a", "2 left: b"],
        );
    }
}
