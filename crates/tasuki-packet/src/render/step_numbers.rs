//! The numbers of steps in briefs, and which list a step belongs to.
//!
//! A brief shows each step once. A step that is done is among the completed ones, even if the packet
//! also lists it as remaining, which a pinned item requires.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::chain::continuation::steps::keys;
use crate::chain::continuation::{Step, step_key};
use crate::packet::{Item, Packet};

/// The numbers of the steps of a packet.
#[derive(Debug)]
pub(crate) struct StepNumbers {
    numbers: HashMap<String, u32>,
    done: HashSet<String>,
    /// Done steps that `remaining` pins.
    pinned_done: HashSet<String>,
}

impl StepNumbers {
    pub(crate) fn new(packet: &Packet, steps: &[Step]) -> Self {
        let done = keys(packet, "completed");
        let pinned = packet.items("remaining").filter(Item::is_pinned);
        let pinned = pinned.map(|item| step_key(item.text));
        Self {
            numbers: steps.iter().map(|step| (step_key(&step.text), step.number)).collect(),
            pinned_done: pinned.filter(|key| done.contains(key)).collect(),
            done,
        }
    }

    /// Returns the number of an entry of a list of steps.
    pub(crate) fn of(&self, list: &str, entry: &Value) -> Option<u32> {
        self.numbers.get(&step(list, entry)?).copied()
    }

    /// Returns `true` for an entry of `remaining` that is done.
    pub(crate) fn is_done_step(&self, list: &str, entry: &Value) -> bool {
        list == "remaining" && step(list, entry).is_some_and(|key| self.done.contains(&key))
    }

    /// Returns `true` if an unpinned entry is shown in another list, or as a pinned item.
    pub(crate) fn is_shown_elsewhere(&self, list: &str, entry: &Value) -> bool {
        let is_pinned_too = || step(list, entry).is_some_and(|key| self.pinned_done.contains(&key));
        self.is_done_step(list, entry) || list == "completed" && is_pinned_too()
    }
}

fn step(list: &str, entry: &Value) -> Option<String> {
    let is_step = matches!(list, "completed" | "remaining");
    Item::of(entry).filter(|_| is_step).map(|item| step_key(item.text))
}
