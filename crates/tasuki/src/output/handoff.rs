//! Formats handoffs for people: names, states and tables.
//!
//! People know a handoff by its task. Ids are printed where the task cannot name it.

use std::collections::BTreeMap;

use tasuki_api as api;
pub(crate) use tasuki_engine::query::reference::handoff as reference;
use tasuki_engine::query::reference::is_generated;
pub(crate) use tasuki_engine::query::resolve::short;

use super::escape::{argument, escape, excerpt};
use super::printer::{BAD, GOOD, NOTE};
use super::progress::done_short;
use super::table::columns;
use super::time::TimeFormatter;
use super::width::truncate;

/// LIMIT: columns of a goal in a table.
const GOAL_COLUMNS_MAX: usize = 44;

/// Returns the name that people know a handoff by: its task, or its short id if the exchange generated the
/// task.
pub(crate) fn name(handoff: &api::Handoff) -> String {
    if is_generated(&handoff.task) { short_id(&handoff.id) } else { excerpt(&handoff.task) }
}

/// Returns the goal, truncated. It is absent while a gate hides the packet from the caller.
pub(crate) fn goal(handoff: &api::Handoff) -> String {
    if handoff.goal.is_empty() && !handoff.gates.is_empty() {
        return "(hidden until signed off)".to_owned();
    }
    truncate(&excerpt(&handoff.goal), GOAL_COLUMNS_MAX)
}

/// Returns the state as people read it: `claimed by coder`, `waits for approval`.
pub(crate) fn state(handoff: &api::Handoff) -> String {
    let word = &handoff.state;
    match (word.as_str(), &handoff.holder, &handoff.returned_by) {
        ("held", ..) => hold(handoff),
        ("offered", ..) if handoff.blocked => "offered, waits for an answer".to_owned(),
        ("claimed", Some(holder), _) => format!("claimed by {holder}"),
        ("returned", _, Some(party)) => format!("returned by {party}"),
        ("dead", ..) => "dead letter".to_owned(),
        _ => word.replace('_', " "),
    }
}

/// Returns the state with its colour, and a mark if a notification failed.
pub(crate) fn styled_state(handoff: &api::Handoff) -> String {
    let text = state(handoff);
    let text = match handoff.state.as_str() {
        "held" => format!("{NOTE}{text}{NOTE:#}"),
        "done" => format!("{GOOD}{text}{GOOD:#}"),
        "dead" | "rejected" => format!("{BAD}{text}{BAD:#}"),
        _ => text,
    };
    match handoff.notification_failure {
        Some(_) => format!("{text}, {BAD}notification failed{BAD:#}"),
        None => text,
    }
}

/// Returns why a handoff is held.
pub(crate) fn hold(handoff: &api::Handoff) -> String {
    let gates: Vec<&str> =
        handoff.held_for.iter().filter_map(|reason| reason.strip_prefix("gate:")).collect();
    match handoff.held_for.as_slice() {
        [] => "held".to_owned(),
        reasons if reasons.len() == gates.len() => {
            format!("waits for sign-off at {}", gates.join(", "))
        }
        [one] => match one.as_str() {
            "action" => "waits for approval".to_owned(),
            "asked" => "held for review".to_owned(),
            "confidence" => "held for low confidence".to_owned(),
            "changed" => "held: the packet changed after a decision".to_owned(),
            "label" => match rule(handoff) {
                Some(rule) => format!("held by rule {}", excerpt(rule)),
                None => "held by a project rule".to_owned(),
            },
            "trigger" => format!("held by {}", hold_reason(one, handoff)),
            other => format!("held: {other}"),
        },
        several => {
            let reasons: Vec<String> =
                several.iter().map(|reason| hold_reason(reason, handoff)).collect();
            format!("held: {}", reasons.join(", "))
        }
    }
}

fn hold_reason(reason: &str, handoff: &api::Handoff) -> String {
    match (reason, reason.strip_prefix("gate:"), &handoff.trigger) {
        (_, Some(gate), _) => format!("sign-off at {gate}"),
        ("asked", ..) => "review".to_owned(),
        ("confidence", ..) => "low confidence".to_owned(),
        ("changed", ..) => "packet changed".to_owned(),
        ("label", ..) => match rule(handoff) {
            Some(rule) => format!("rule {}", excerpt(rule)),
            None => "project rule".to_owned(),
        },
        ("trigger", _, Some(trigger)) => format!("trigger `{}`", excerpt(trigger)),
        (other, ..) => other.to_owned(),
    }
}

/// Returns the name of the first rule that holds a handoff.
fn rule(handoff: &api::Handoff) -> Option<&str> {
    handoff.causes.iter().find_map(|cause| cause.by.strip_prefix("rule:"))
}

/// Returns a sentence that says what happens with a handoff next.
pub(crate) fn next_sentence(handoff: &api::Handoff) -> String {
    match handoff.state.as_str() {
        "held" => match hold(handoff) {
            hold if hold.starts_with("waits") => format!("It {hold}."),
            hold => format!("It is {hold}."),
        },
        "offered" => format!("It is offered to {}.", handoff.to),
        "claimed" => match &handoff.holder {
            Some(holder) => format!("{holder} works on it."),
            None => "It is claimed.".to_owned(),
        },
        "returned" => "It waits for verification.".to_owned(),
        "dead" => "No receiver is left, so it is a dead letter.".to_owned(),
        "done" => "The task is done.".to_owned(),
        other => format!("It is {}.", other.replace('_', " ")),
    }
}

/// A handoff as a line of a table: with the parties that the work went through before.
#[derive(Debug)]
pub(crate) struct Line<'h> {
    pub(crate) handoff: &'h api::Handoff,
    /// The senders of the handoffs that passed the work on, oldest first.
    pub(crate) before: Vec<String>,
}

impl Line<'_> {
    /// Formats the chain: `planner → coder → agent-3`.
    fn route(&self) -> String {
        let parties = self.before.iter().chain([&self.handoff.from, &self.handoff.to]);
        parties.map(String::as_str).collect::<Vec<_>>().join(" → ")
    }
}

/// Formats a table of handoffs. Rows that share a task also show their short id.
pub(crate) fn table(lines: &[Line<'_>], times: TimeFormatter) -> String {
    let mut rows = vec![["TASK", "FROM → TO", "STATE", "RISK", "DUE", "GOAL"].map(str::to_owned)];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        *counts.entry(&line.handoff.task).or_default() += 1;
    }
    for line in lines {
        let handoff = line.handoff;
        let is_shared = counts.get(handoff.task.as_str()).is_some_and(|count| *count > 1);
        rows.push([
            if is_shared {
                format!("{} {}", name(handoff), short_id(&handoff.id))
            } else {
                name(handoff)
            },
            line.route(),
            state_at(handoff, times),
            handoff.risk.clone(),
            due(handoff, times),
            goal(handoff),
        ]);
    }
    columns(&rows)
}

/// Returns when the clock moves a handoff on, or `-`.
pub(crate) fn due(handoff: &api::Handoff, times: TimeFormatter) -> String {
    handoff.due_at.map_or_else(|| "-".to_owned(), |due_at| times.relative(due_at))
}

/// Returns the state for a table: `offered, claimable in 2 h` while it is parked.
pub(crate) fn state_at(handoff: &api::Handoff, times: TimeFormatter) -> String {
    let mut state = anstream::adapter::strip_str(&styled_state(handoff)).to_string();
    if let Some(done) = done_short(handoff).filter(|_| handoff.state == "claimed") {
        state.push_str(&format!(", {done}"));
    }
    match claimable_from(handoff, times) {
        Some(when) => format!("{state}, claimable {when}"),
        None => state,
    }
}

/// Returns when parked work can be claimed.
pub(crate) fn claimable_from(handoff: &api::Handoff, times: TimeFormatter) -> Option<String> {
    let parked = handoff.not_before.filter(|not_before| *not_before > times.now)?;
    Some(times.starting(parked))
}

/// Returns the last digits of an id, which commands accept in its place.
pub(crate) fn short_ref(id: &str) -> String {
    argument(short_id(id).trim_start_matches("hof_"))
}

/// Returns the shortened id.
pub(crate) fn short_id(id: &str) -> String {
    id.parse().map_or_else(|_| escape(id), short)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn handoff(more: &Value) -> api::Handoff {
        let mut handoff = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "held",
            "from": "ana", "to": "ben", "goal": "Ship it", "revision": 1, "digest": "sha256:00",
            "risk": "low", "attempt": 1, "submitted_at": "2026-11-15T10:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            handoff[name] = value.clone();
        }
        serde_json::from_value(handoff).unwrap()
    }

    #[test]
    fn a_hold_is_named_by_its_reasons() {
        let check = |reasons: &[&str], expected: &str| {
            let held = handoff(&json!({ "held_for": reasons, "trigger": "escalation" }));
            assert_eq!(hold(&held), expected);
        };
        check(&["asked"], "held for review");
        check(&["confidence"], "held for low confidence");
        check(&["label"], "held by a project rule");
        check(&["changed"], "held: the packet changed after a decision");
        check(&["trigger"], "held by trigger `escalation`");
        check(&["action"], "waits for approval");
        check(&["gate:a", "gate:b"], "waits for sign-off at a, b");
        check(&["asked", "label", "gate:a"], "held: review, project rule, sign-off at a");
        let cause =
            json!({ "reason": "label", "by": "rule:money", "text": "rule `money` matched" });
        let held = handoff(&json!({ "held_for": ["label"], "causes": [cause] }));
        assert_eq!(hold(&held), "held by rule money");
    }

    #[test]
    fn a_state_marks_a_failed_notification() {
        let failure = json!({
            "event": 2, "wait": "hold", "because": "no_channel", "at": "2026-11-15T10:01:00Z",
        });
        let held = handoff(&json!({ "held_for": ["asked"], "notification_failure": failure }));
        let shown = anstream::adapter::strip_str(&styled_state(&held)).to_string();
        assert_eq!(shown, "held for review, notification failed");
    }
}
