//! The pinned items of an agent brief: verbatim, once each, grouped by the lists they are in.
//!
//! Each hop may have pinned the same words again, in the same list or in another. They are shown
//! once, under the names of all their lists, and no other section repeats them.

use std::borrow::Cow;

use serde_json::Value;

use super::sections::{expected_output, numbered_item, one_line, sentence};
use crate::document::Members;
use crate::packet::{Packet, is_pinned};
use crate::render::describe::Show;
use crate::render::facts;
use crate::render::step_numbers::StepNumbers;

/// A pinned item, and the names of the lists that have it.
#[derive(Debug)]
struct Pin {
    words: String,
    /// The number of a step.
    number: Option<u32>,
    lists: Vec<String>,
}

/// Returns the lines of all pinned items.
pub(super) fn lines(packet: &Packet, numbers: &StepNumbers) -> Vec<String> {
    let pins = Pins::of(packet, numbers).found;
    let mut headings: Vec<&[String]> = Vec::new();
    for pin in &pins {
        if !headings.contains(&pin.lists.as_slice()) {
            headings.push(&pin.lists);
        }
    }
    let mut lines = Vec::new();
    for lists in headings {
        lines.push(format!("Pinned {}, verbatim:\n", lists.join(" and ")));
        let own = pins.iter().filter(|pin| pin.lists == lists);
        lines.extend(own.map(|pin| numbered_item(pin.number, &pin.words)));
    }
    lines
}

/// Returns a field without its pinned items, or `None` if it has nothing else.
///
/// As in `chain::pinned`, a list of pinned items is a field, or a member of one.
pub(super) fn open_field(field: &Value) -> Option<Cow<'_, Value>> {
    match field {
        Value::Object(members) if members.values().any(has_pins) => {
            let open = |(name, list)| Some((String::clone(name), open_list(list)?.into_owned()));
            let members: Members = members.iter().filter_map(open).collect();
            (!members.is_empty()).then_some(Cow::Owned(Value::Object(members)))
        }
        _ => open_list(field),
    }
}

/// Returns a list without its pinned items, or `None` if it has no others. Any other value stays as
/// it is.
pub(super) fn open_list(list: &Value) -> Option<Cow<'_, Value>> {
    match list {
        Value::Array(entries) if has_pins(list) => {
            let open = entries.iter().filter(|entry| !is_pinned(entry)).cloned();
            let open: Vec<Value> = open.collect();
            (!open.is_empty()).then_some(Cow::Owned(Value::Array(open)))
        }
        _ => Some(Cow::Borrowed(list)),
    }
}

fn has_pins(list: &Value) -> bool {
    entries_of(list).iter().any(is_pinned)
}

fn entries_of(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

#[derive(Debug)]
struct Pins<'n> {
    numbers: &'n StepNumbers,
    found: Vec<Pin>,
}

impl<'n> Pins<'n> {
    /// Collects the pinned items of every list. A pinned step that is done is among the completed
    /// ones.
    fn of(packet: &Packet, numbers: &'n StepNumbers) -> Self {
        let mut pins = Self { numbers, found: Vec::new() };
        for (name, value) in packet.members() {
            let is_done = |entry: &Value| numbers.is_done_step(name, entry);
            pins.add(name, entries_of(value).iter().filter(|entry| !is_done(entry)));
            for (inner, list) in value.as_object().into_iter().flatten() {
                pins.add(&format!("{name}.{inner}"), entries_of(list));
            }
        }
        let is_done = |entry: &&Value| numbers.is_done_step("remaining", entry);
        pins.add("completed", packet.list("remaining").iter().filter(is_done));
        pins
    }

    fn add<'e>(&mut self, list: &str, entries: impl IntoIterator<Item = &'e Value>) {
        let show: Show = match list {
            "failed_approaches" => facts::failed_approach,
            "expected_outputs" => expected_output,
            _ => sentence,
        };
        for entry in entries.into_iter().filter(|entry| is_pinned(entry)) {
            self.merge(one_line(list), show(entry), self.numbers.of(list, entry));
        }
    }

    fn merge(&mut self, list: String, words: String, number: Option<u32>) {
        let Some(known) = self.found.iter_mut().find(|pin| pin.words == words) else {
            return self.found.push(Pin { words, number, lists: vec![list] });
        };
        known.number = known.number.or(number);
        if !known.lists.contains(&list) {
            known.lists.push(list);
        }
    }
}
