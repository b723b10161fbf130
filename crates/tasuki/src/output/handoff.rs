//! Handoffs as lines and tables for people.

use tasuki_api as api;
pub(crate) use tasuki_engine::query::resolve::short;

use super::escape::excerpt;
use super::printer::{BAD, FAINT, GOOD, NOTE, STRONG};
use super::table::columns;
use super::time::TimeFormatter;
use super::width::truncate;

/// LIMIT: what a table shows of a goal.
const GOAL_COLUMNS_MAX: usize = 44;

/// One handoff on one line: `hof_1a2b3c  planner → coder  r1  held: confidence  Ship it`.
pub(crate) fn headline(handoff: &api::Handoff) -> String {
    let id = short_id(&handoff.id);
    let state = state(handoff);
    let goal = goal(handoff);
    format!(
        "{STRONG}{id}{STRONG:#}  {} → {}  r{}  {state}  {FAINT}{goal}{FAINT:#}",
        handoff.from, handoff.to, handoff.revision
    )
}

/// The goal, cut to a line. A gate keeps it from whoever may not read the packet.
fn goal(handoff: &api::Handoff) -> String {
    if handoff.goal.is_empty() && !handoff.gates.is_empty() {
        return "(kept back by a gate)".to_owned();
    }
    truncate(&excerpt(&handoff.goal), GOAL_COLUMNS_MAX)
}

/// Returns the state with what it waits for, and whether a notification failed.
fn state(handoff: &api::Handoff) -> String {
    let untold =
        handoff.notification_failure.as_ref().map(|_| format!(", {BAD}nobody told{BAD:#}"));
    format!("{}{}", state_detail(handoff), untold.unwrap_or_default())
}

fn state_detail(handoff: &api::Handoff) -> String {
    let word = &handoff.state;
    match word.as_str() {
        "held" => format!("{NOTE}held: {}{NOTE:#}", handoff.held_for.join(", ")),
        "claimed" => match &handoff.holder {
            Some(holder) => format!("claimed by {holder}"),
            None => word.clone(),
        },
        "done" => format!("{GOOD}done{GOOD:#}"),
        "dead" | "rejected" => format!("{BAD}{word}{BAD:#}"),
        other => other.to_owned(),
    }
}

/// A table of handoffs with a heading.
pub(crate) fn table(handoffs: &[api::Handoff], times: TimeFormatter) -> String {
    let mut rows = vec![["ID", "RISK", "FROM → TO", "GOAL", "STATE", "DUE"].map(str::to_owned)];
    for handoff in handoffs {
        rows.push([
            short_id(&handoff.id),
            handoff.risk.clone(),
            format!("{} → {}", handoff.from, handoff.to),
            goal(handoff),
            state_at(handoff, times),
            handoff.due_at.map(|due_at| times.relative(due_at)).unwrap_or_default(),
        ]);
    }
    columns(&rows)
}

/// The state as a table shows it: `offered, claimable in 2 h` while it is parked.
fn state_at(handoff: &api::Handoff, times: TimeFormatter) -> String {
    let state = anstream::adapter::strip_str(&state(handoff)).to_string();
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

/// Returns a reference for hints: the last digits of the id.
pub(crate) fn short_ref(id: &str) -> String {
    short_id(id).trim_start_matches("hof_").to_owned()
}

/// Returns the shortened id.
pub(crate) fn short_id(id: &str) -> String {
    id.parse().map_or_else(|_| id.to_owned(), short)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_says_that_nobody_was_told() {
        let mut handoff = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "held",
            "from": "ana", "to": "ben", "goal": "Ship it", "revision": 1, "digest": "sha256:00",
            "risk": "low", "held_for": ["asked"], "attempt": 1,
            "submitted_at": "2026-11-15T10:00:00Z",
        });
        let line = |handoff: &serde_json::Value| {
            let handoff: api::Handoff = serde_json::from_value(handoff.clone()).unwrap();
            anstream::adapter::strip_str(&headline(&handoff)).to_string()
        };
        assert!(line(&handoff).contains("  held: asked  "));
        handoff["notification_failure"] = json!({
            "event": 2, "wait": "hold", "because": "no_channel", "at": "2026-11-15T10:01:00Z",
        });
        assert!(line(&handoff).contains("  held: asked, nobody told  "));
    }
}
