//! Events for people, one line each.

use std::collections::HashMap;

use tasuki_api as api;

use super::escape::excerpt;
use super::handoff::short_id;
use super::printer::{BAD, FAINT, GOOD, NOTE};
use super::time::TimeFormatter;

/// The names of parties by their ids.
#[derive(Debug, Default)]
pub(crate) struct PartyNames(HashMap<String, String>);

impl PartyNames {
    /// Returns whether printing these events needs names.
    pub(crate) fn are_needed(events: &[api::Event]) -> bool {
        events.iter().any(|event| event.kind == MOVED_ON && rung(event).is_some())
    }

    pub(crate) fn of(parties: Vec<api::Party>) -> Self {
        Self(parties.into_iter().map(|party| (party.id, party.name)).collect())
    }
}

const MOVED_ON: &str = "handoff.moved_on";

/// Returns the id of the receiver that the rung led to, or none if it was skipped.
fn rung(event: &api::Event) -> Option<&str> {
    event.attributes.get("receiver")?.as_str()
}

/// `   12  2 min ago  build-42  hof_1a2b3c  rejected by ana: "too early"`.
pub(crate) fn event_line(event: &api::Event, names: &PartyNames, times: TimeFormatter) -> String {
    let handoff = event.handoff.as_deref().map(short_id).unwrap_or_default();
    let task = event.task.as_deref().map(excerpt).unwrap_or_default();
    let about = match event.handoff {
        Some(_) => format!("{task}  {FAINT}{handoff}{FAINT:#}  "),
        None => String::new(),
    };
    let (n, at, what) = (event.n, times.past(event.at), describe(event, names));
    format!("{n:>6}  {at:<11}  {about}{what}\n")
}

/// Describes an event: `rejected by ana: "too early"`.
pub(crate) fn describe(event: &api::Event, names: &PartyNames) -> String {
    let word = event.kind.strip_prefix("handoff.").unwrap_or(&event.kind).replace('_', " ");
    let style = match event.kind.as_str() {
        "handoff.done" | "handoff.accepted" | "handoff.verified" | "handoff.signed_off" => GOOD,
        "handoff.rejected"
        | "handoff.died"
        | "handoff.failed_verification"
        | "handoff.notification_failed"
        | "handoff.discarded" => BAD,
        "handoff.held" | "handoff.lapsed" | MOVED_ON | "project.halted" => NOTE,
        _ => anstyle::Style::new(),
    };
    let to = match event.kind.as_str() {
        "handoff.submitted" | "handoff.rerouted" => event.to.as_ref(),
        // Whom the handoff is for is somebody else, where a rung was skipped or is to judge.
        MOVED_ON => rung(event).and_then(|id| names.0.get(id)),
        _ => None,
    };
    let to = to.map(|to| format!(" to {to}")).unwrap_or_default();
    let reason = match &event.reason {
        Some(reason) => format!(": \"{}\"", excerpt(reason)),
        None => String::new(),
    };
    format!("{style}{word}{style:#} by {}{to}{}{reason}", event.actor, cause(event))
}

/// Returns the cause that a leaf records.
fn cause(event: &api::Event) -> String {
    let word = |name: &str| event.attributes.get(name).and_then(|value| value.as_str());
    let reasons = event.attributes.get("reasons").and_then(|value| value.as_array());
    let words: Vec<&str> = reasons.into_iter().flatten().filter_map(|one| one.as_str()).collect();
    match word("because") {
        Some(cause) => format!(" ({})", cause.replace('_', " ")),
        None if !words.is_empty() => format!(" ({})", words.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rung_is_called_by_whom_it_led_to() {
        let party = |id: &str, name: &str| {
            let party = json!({ "id": id, "name": name, "kind": "agent" });
            serde_json::from_value::<api::Party>(party).unwrap()
        };
        let names = PartyNames::of(vec![party("pty_1", "ben"), party("pty_2", "cem")]);
        let check = |attributes: serde_json::Value, expected: &str| {
            let event = json!({
                "n": 7, "at": "2026-01-01T00:00:00Z", "type": "handoff.moved_on",
                "actor": "clock", "to": "cem", "attributes": attributes,
            });
            let event: api::Event = serde_json::from_value(event).unwrap();
            let said = anstream::adapter::strip_str(&describe(&event, &names)).to_string();
            assert_eq!(said, expected);
            assert_eq!(PartyNames::are_needed(&[event]), said.contains(" to "));
        };
        // It comes to judge what `cem` returned.
        check(
            json!({ "receiver": "pty_1", "because": "verify" }),
            "moved on by clock to ben (verify)",
        );
        check(json!({ "because": "declined" }), "moved on by clock (declined)");
    }
}
