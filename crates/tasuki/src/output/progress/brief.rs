//! Formats the brief that a claim prints: the request, the steps by number, and what binds the holder.
//!
//! It has the lists that a holder must know before the first step. What it leaves out is named, with
//! the command that prints all of it: `tasuki resume` alone has a token budget.

use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::{Item, Packet};

use super::{done_lines, left_lines};
use crate::output::escape::escape;
use crate::output::handoff::reference;
use crate::output::printer::FAINT;
use crate::output::time::TimeFormatter;

/// LIMIT: lines of each list; `tasuki resume --as-packet` prints all.
const LINES_MAX: usize = 12;

/// The lists of a packet that bind its holder, or save it a detour.
const LISTS: [(&str, &str); 8] = [
    ("Must", "constraints"),
    ("Accepted", "acceptance"),
    ("Stop if", "failure_boundary"),
    ("Sign-off", "sign_offs_due"),
    ("Return", "return_required"),
    ("Decided", "decisions"),
    ("Failed", "failed_approaches"),
    ("Beware", "pitfalls_hit"),
];

/// Members that the lines above the lists show, or that say nothing to the holder.
const SHOWN: [&str; 11] = [
    "goal",
    "next_request",
    "expires_at",
    "completed",
    "remaining",
    "handoff_version",
    "packet_type",
    "task_id",
    "from_agent",
    "to_agent",
    "status",
];

/// Formats the brief of a handoff. Without a packet, the caller may not read it.
pub(crate) fn brief(
    handoff: &api::Handoff,
    packet: Option<&Packet>,
    progress: Option<&api::Progress>,
    times: TimeFormatter,
) -> String {
    let mut lines = Lines::default();
    let goal = packet.and_then(|packet| packet.text("goal")).unwrap_or(&handoff.goal);
    if !goal.is_empty() {
        lines.add("Goal", &[lines_of(goal)]);
    }
    if let Some(packet) = packet {
        let request =
            packet.text("next_request").map_or_else(|| "none stated".to_owned(), lines_of);
        lines.add("Request", &[request]);
        lines.add("Due", &packet.text("expires_at").map(escape).into_iter().collect::<Vec<_>>());
    }
    if let Some(progress) = progress {
        lines.add("Done", &done_lines(progress, times));
        lines.add("Left", &left_lines(progress));
    }
    if let Some(packet) = packet {
        let given = progress.map_or(&[][..], |progress| &progress.signed_off);
        for (label, name) in LISTS {
            lines.add(label, &entries(packet, name, given));
        }
        lines.add("Also", &others(packet, &reference(handoff)));
    }
    lines.into_text()
}

/// Labelled lines, aligned.
#[derive(Debug, Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, label: &str, values: &[String]) {
        for (at, value) in values.iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            // Further lines of a text are indented, so that it cannot pretend to be another field.
            let value = value.replace('\n', &format!("\n{:14}", ""));
            self.0.push_str(&format!("  {FAINT}{label:<8}{FAINT:#}  {value}\n"));
        }
    }

    fn into_text(self) -> String {
        if self.0.is_empty() { self.0 } else { format!("\n{}\n", self.0) }
    }
}

/// Returns the entries of a list, with the sign-offs that were given. Entries of another shape are
/// printed as JSON.
fn entries(packet: &Packet, name: &str, given: &[String]) -> Vec<String> {
    let values = match packet.get(name) {
        Some(Value::Array(values)) => values.as_slice(),
        Some(text @ Value::String(_)) => std::slice::from_ref(text),
        _ => &[],
    };
    let words = |value: &Value| match Item::of(value) {
        Some(item) => format!("{}{}", lines_of(item.text), details(item, given)),
        None => failed_approach(value).unwrap_or_else(|| escape(&value.to_string())),
    };
    let hidden = values.len().saturating_sub(LINES_MAX);
    let more = (hidden > 0).then(|| format!("and {hidden} more"));
    values.iter().take(LINES_MAX).map(words).chain(more).collect()
}

/// Returns the command that checks a criterion, and the step and signer of a sign-off:
/// ` (run: make test)`, ` (before return, by ana, given)`.
fn details(item: Item<'_>, given: &[String]) -> String {
    let Some(members) = item.members else { return String::new() };
    let text = |name: &str| members.get(name).and_then(Value::as_str).map(lines_of);
    let run = text("run").map(|command| format!("run: {command}"));
    let before = text("before").map(|step| format!("before {step}"));
    let by = before.as_ref().and(text("by")).map(|by| format!("by {by}"));
    let is_given = before.is_some() && given.iter().any(|text| text == item.text);
    let given = is_given.then(|| "given".to_owned());
    let details: Vec<String> = [run, before, by, given].into_iter().flatten().collect();
    if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) }
}

/// Returns a failed approach in words: `A longer timeout: the server hangs`.
fn failed_approach(value: &Value) -> Option<String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(lines_of);
    let result = text("result").map_or(String::new(), |result| format!(": {result}"));
    Some(format!("{}{result}", text("tried")?))
}

/// Returns a text with its lines, which a holder may copy. Other control characters are escaped.
fn lines_of(text: &str) -> String {
    text.trim().lines().map(escape).collect::<Vec<_>>().join("\n")
}

/// Returns a line that names the other members, and the command that prints them without a budget:
/// `context, payload (tasuki resume build-42 --as-packet prints them)`.
fn others(packet: &Packet, reference: &str) -> Vec<String> {
    let is_shown =
        |name: &str| SHOWN.contains(&name) || LISTS.iter().any(|(_, list)| *list == name);
    let names: Vec<String> =
        packet.members().keys().filter(|name| !is_shown(name)).map(|name| escape(name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!("{} (`tasuki resume {reference} --as-packet` prints them)", names.join(", "))]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn handoff(goal: &str) -> api::Handoff {
        serde_json::from_value(json!({
            "id": "hof_01a1ed50cd737feab28ce905a374c42a", "task": "export-7", "state": "claimed",
            "from": "planner", "to": "coder", "goal": goal, "revision": 1, "digest": "sha256:00",
            "risk": "low", "attempt": 1, "submitted_at": "2026-11-15T11:00:00Z",
            "since": "2026-11-15T11:00:00Z",
        }))
        .unwrap()
    }

    #[test]
    fn a_brief_has_the_request_the_steps_and_what_binds_the_holder() {
        let packet = json!({
            "handoff_version": "1.0", "goal": "Port it", "completed": ["Plan"],
            "remaining": ["Code", "Tests"], "constraints": ["No new\ndependency"],
            "acceptance": [{ "id": "a", "text": "Tests pass", "run": "make test" }],
            "sign_offs_due": [
                { "text": "Legal agrees", "before": "return", "by": "ana" },
                { "text": "The owner agrees", "before": "return" },
            ],
            "failed_approaches": [{ "tried": "A regex", "result": "too slow", "pinned": true }],
            "return_required": "summary", "context": { "branch": "main" },
        });
        let progress = json!({
            "done": [{ "number": 1, "text": "Plan" }],
            "left": [{ "number": 2, "text": "Code" }, { "number": 3, "text": "Tests" }],
            "signed_off": ["Legal agrees"],
        });
        let packet = Packet::from_value(packet).unwrap();
        let progress = serde_json::from_value(progress).unwrap();
        let times = TimeFormatter::new("2026-11-15T12:00:00Z".parse().unwrap(), true);
        let text = brief(&handoff(""), Some(&packet), Some(&progress), times);
        let text = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(text, @"

          Goal      Port it
          Request   none stated
          Done      1. Plan
          Left      2. Code
                    3. Tests
          Must      No new
                      dependency
          Accepted  Tests pass (run: make test)
          Sign-off  Legal agrees (before return, by ana, given)
                    The owner agrees (before return)
          Return    summary
          Failed    A regex: too slow
          Also      context (`tasuki resume export-7 --as-packet` prints them)
        ");
    }

    #[test]
    fn without_a_packet_only_the_goal_is_known() {
        let times = TimeFormatter::new("2026-11-15T12:00:00Z".parse().unwrap(), true);
        let text = brief(&handoff("Port it"), None, None, times);
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "\n  Goal      Port it\n\n");
        assert_eq!(brief(&handoff(""), None, None, times), "");
    }
}
