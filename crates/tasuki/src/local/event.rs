//! Events as people read them: one line each.

use tasuki_packet::api;

use super::line::short_of;
use super::time::Moment;
use crate::printer::{BAD, FAINT, GOOD, NOTE};
use crate::settings::shown;

/// `   12  2 min ago  build-42  hof_1a2b3c  rejected by ana: "too early"`.
pub(crate) fn event_line(event: &api::Event, moment: Moment) -> String {
    let handoff = event.handoff.as_deref().map(short_of).unwrap_or_default();
    let task = event.task.as_deref().map(shown).unwrap_or_default();
    let about = match event.handoff {
        Some(_) => format!("{task}  {FAINT}{handoff}{FAINT:#}  "),
        None => String::new(),
    };
    format!("{:>6}  {:<11}  {about}{}\n", event.n, moment.past(event.at), happened(event))
}

/// What happened, in words: `rejected by ana: "too early"`.
pub(crate) fn happened(event: &api::Event) -> String {
    let word = event.kind.strip_prefix("handoff.").unwrap_or(&event.kind).replace('_', " ");
    let style = match event.kind.as_str() {
        "handoff.done" | "handoff.accepted" | "handoff.verified" | "handoff.signed_off" => GOOD,
        "handoff.rejected"
        | "handoff.died"
        | "handoff.failed_verification"
        | "handoff.untold"
        | "handoff.discarded" => BAD,
        "handoff.held" | "handoff.lapsed" | "handoff.moved_on" | "project.halted" => NOTE,
        _ => anstyle::Style::new(),
    };
    let to = match event.kind.as_str() {
        "handoff.submitted" | "handoff.rerouted" | "handoff.moved_on" => {
            event.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default()
        }
        _ => String::new(),
    };
    let reason = match &event.reason {
        Some(reason) => format!(": \"{}\"", shown(reason)),
        None => String::new(),
    };
    format!("{style}{word}{style:#} by {}{to}{}{reason}", event.actor, because(event))
}

/// The words of a leaf that say why.
fn because(event: &api::Event) -> String {
    let word = |name: &str| event.attributes.get(name).and_then(|value| value.as_str());
    let reasons = event.attributes.get("reasons").and_then(|value| value.as_array());
    let words: Vec<&str> = reasons.into_iter().flatten().filter_map(|one| one.as_str()).collect();
    match word("because") {
        Some(cause) => format!(" ({})", cause.replace('_', " ")),
        None if !words.is_empty() => format!(" ({})", words.join(", ")),
        None => String::new(),
    }
}
