//! Formats events for people, one line each: `coder claimed it (fence 1)`.

use std::collections::{BTreeSet, HashMap};

use tasuki_api as api;

use super::decision::statement;
use super::escape::excerpt;
use super::handoff::short_id;
use super::printer::{BAD, FAINT, GOOD, NOTE};
use super::time::TimeFormatter;

/// The context that the text of events needs: names of parties, checkpoints and returns.
#[derive(Debug, Default)]
pub(crate) struct EventContext {
    /// The names of parties by their ids.
    names: HashMap<String, String>,
    /// The text of checkpoints and the steps after them, by the number of their event.
    checkpoints: HashMap<u64, (String, api::StepCounts)>,
    /// The summaries of return packets by their ids.
    summaries: HashMap<String, String>,
}

impl EventContext {
    /// Returns whether printing these events needs names.
    pub(crate) fn needs_names(events: &[api::Event]) -> bool {
        events.iter().any(|event| event.kind == MOVED_ON && rung(event).is_some())
    }

    /// Returns the handoffs whose checkpoints these events are about.
    pub(crate) fn needs_checkpoints_of(events: &[api::Event]) -> BTreeSet<&str> {
        handoffs_of(events, CHECKPOINTED)
    }

    /// Returns the handoffs whose returns these events are about.
    pub(crate) fn needs_returns_of(events: &[api::Event]) -> BTreeSet<&str> {
        handoffs_of(events, RETURNED)
    }

    pub(crate) fn with_names(mut self, parties: Vec<api::Party>) -> Self {
        self.names.extend(parties.into_iter().map(|party| (party.id, party.name)));
        self
    }

    pub(crate) fn add_checkpoints(&mut self, records: Vec<api::CheckpointRecord>) {
        self.checkpoints.extend(records.into_iter().map(|one| (one.n, (one.text, one.steps))));
    }

    pub(crate) fn add_returns(&mut self, returns: Vec<api::Return>) {
        let summary = |returned: api::Return| {
            let names = ["summary", "handoff_summary"];
            let mut texts = names.iter().filter_map(|name| returned.packet.get(name)?.as_str());
            let summary = texts.find(|text| !text.trim().is_empty())?.trim().to_owned();
            Some((returned.id, summary))
        };
        self.summaries.extend(returns.into_iter().filter_map(summary));
    }
}

/// Returns the handoffs that events of a kind are about.
fn handoffs_of<'e>(events: &'e [api::Event], kind: &str) -> BTreeSet<&'e str> {
    let of_kind = events.iter().filter(|event| event.kind == kind);
    of_kind.filter_map(|event| event.handoff.as_deref()).collect()
}

const RETURNED: &str = "handoff.returned";

const CHECKPOINTED: &str = "handoff.checkpointed";

const MOVED_ON: &str = "handoff.moved_on";

/// Returns the id of the receiver that the rung led to, or none if it was skipped.
fn rung(event: &api::Event) -> Option<&str> {
    event.attributes.get("receiver")?.as_str()
}

/// Formats an event with its number, which `--since` takes:
/// `    12  14:21:30  build-42  ana rejected it: "too early"`.
pub(crate) fn event_line(
    event: &api::Event,
    context: &EventContext,
    times: TimeFormatter,
) -> String {
    let task = event.task.as_deref().map(excerpt).unwrap_or_default();
    let about = match &event.handoff {
        Some(id) if task.is_empty() => format!("{FAINT}{}{FAINT:#}  ", short_id(id)),
        Some(_) => format!("{task}  "),
        None => String::new(),
    };
    let (n, at, what) =
        (event.n, times.clock_with_seconds(event.at), describe(event, context, times));
    format!("{FAINT}{n:>6}{FAINT:#}  {at}  {about}{what}\n")
}

/// Formats an event as it happens: `14:22:04  export-7    ana approved it  high risk`.
pub(crate) fn live_line(
    event: &api::Event,
    context: &EventContext,
    times: TimeFormatter,
) -> String {
    let (at, what) = (times.clock_with_seconds(event.at), describe(event, context, times));
    let about = match (&event.task, &event.handoff) {
        (Some(task), _) => excerpt(task),
        (None, Some(id)) => short_id(id),
        (None, None) => "-".to_owned(),
    };
    let risk = match event.risk.as_deref() {
        Some("high") => format!("  {BAD}high risk{BAD:#}"),
        _ => String::new(),
    };
    format!("{at}  {about:<10}  {what}{risk}\n")
}

/// Describes an event in the active voice: `ana rejected it: "too early"`.
pub(crate) fn describe(event: &api::Event, context: &EventContext, times: TimeFormatter) -> String {
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
    let sentence = sentence(event, context, times);
    let reason = match &event.reason {
        Some(reason) => format!(": \"{}\"", excerpt(reason)),
        None => String::new(),
    };
    let stated = event.stated.as_ref().map(statement).unwrap_or_default();
    format!("{style}{sentence}{style:#}{stated}{reason}")
}

fn sentence(event: &api::Event, context: &EventContext, times: TimeFormatter) -> String {
    let actor = event.actor.as_str();
    let text = |name: &str| event.attributes.get(name).and_then(|value| value.as_str());
    let number = |name: &str| event.attributes.get(name).and_then(serde_json::Value::as_u64);
    let fence = || number("fence").map(|fence| format!(" (fence {fence})")).unwrap_or_default();
    let to = event.to.as_deref().unwrap_or("another receiver");
    let revision = || event.revision.map(|n| format!("revision {n}")).unwrap_or_default();
    let subject = if event.action.is_some() { "the action" } else { "it" };
    match event.kind.as_str() {
        "handoff.begun" => format!("{actor} began it{}", fence()),
        "handoff.submitted" => format!("{actor} submitted it to {to}"),
        "handoff.held" if text("because") == Some("escalated") => {
            "escalated: no one decided in time, so more people may".to_owned()
        }
        "handoff.held" if !event.causes.is_empty() => held_by(&event.causes),
        "handoff.held" => format!("held for a person{}", hold_reasons(event)),
        "handoff.accepted" if text("by") == Some("contract") => {
            "approved by its contract".to_owned()
        }
        "handoff.accepted" => format!("{actor} approved {subject}"),
        "handoff.signed_off" => format!("{actor} signed it off"),
        "handoff.denied" => format!("{actor} refused to sign it off"),
        "handoff.rejected" => format!("{actor} rejected {subject}"),
        "handoff.revised" => format!("{actor} sent {}", revision()),
        "handoff.edited" if event.action.is_some() => format!("{actor} edited the action"),
        "handoff.edited" => format!("{actor} edited it: {}", revision()),
        "handoff.rerouted" if text("decision").is_some() => {
            format!("{actor} rerouted it to {to}")
        }
        "handoff.rerouted" => format!("rerouted to {to}"),
        "handoff.intercepted" => format!("{actor} took it over{}", fence()),
        "handoff.asked" => format!("{actor} asked a question"),
        "handoff.answered" => format!("{actor} answered a question"),
        "handoff.declined" => format!("{actor} declined it"),
        "handoff.delivered" if text("by") == Some("read") => format!("{actor} read it"),
        "handoff.delivered" => format!("delivered to {to}"),
        "handoff.claimed" => format!("{actor} claimed it{}", fence()),
        "handoff.adopted" => format!("{actor} continued it in another session{}", fence()),
        "handoff.started" => format!("{actor} started work"),
        CHECKPOINTED => checkpoint(actor, context.checkpoints.get(&event.n)),
        "handoff.parked" => match text("not_before").and_then(|text| text.parse().ok()) {
            Some(until) => format!("{actor} parked it until {}", times.clock(until)),
            None => format!("{actor} parked it"),
        },
        "handoff.released" => format!("{actor} released it"),
        "handoff.withdrawn" => format!("{actor} withdrew its request for approval"),
        "handoff.lapsed" => "lease expired".to_owned(),
        "handoff.notification_failed" => match text("because") {
            Some("no_channel") => "notification failed: no recipient has a channel".to_owned(),
            _ => "notification failed: every channel failed".to_owned(),
        },
        // The receiver of the handoff differs from the rung if it was skipped, or judges the return.
        MOVED_ON => match rung(event).map(|id| context.names.get(id).map_or(id, String::as_str)) {
            Some(next) => format!("moved on to {next} ({})", cause(event)),
            None => format!("skipped a fallback ({})", cause(event)),
        },
        "handoff.passed_on" => format!("passed on to {actor}"),
        RETURNED => {
            let summary = text("return_packet").and_then(|id| context.summaries.get(id));
            let quoted = summary.map(|text| format!(": \"{}\"", excerpt(text)));
            format!("{actor} returned it{}", quoted.unwrap_or_default())
        }
        "handoff.verified" => format!("{actor} verified it"),
        "handoff.failed_verification" => format!("{actor} sent it back: verification failed"),
        "handoff.done" => "done".to_owned(),
        "handoff.died" => format!("dead letter: {}", cause(event)),
        "handoff.redriven" => format!("{actor} redrove it"),
        "handoff.discarded" => format!("{actor} discarded it"),
        "handoff.cancelled" => format!("{actor} cancelled it"),
        "handoff.superseded" => "superseded by a newer handoff".to_owned(),
        kind => administrative(kind, actor),
    }
}

/// Describes a checkpoint: `coder checkpointed: "Wrote the writer" (1 done, 1 left)`.
fn checkpoint(actor: &str, known: Option<&(String, api::StepCounts)>) -> String {
    let Some((text, steps)) = known else { return format!("{actor} saved a checkpoint") };
    let steps = format!("({} done, {} left)", steps.done, steps.left);
    match text.as_str() {
        "" => format!("{actor} saved a checkpoint {steps}"),
        text => format!("{actor} checkpointed: \"{}\" {steps}", excerpt(text)),
    }
}

/// Describes an event of the project: `ana published a contract`.
fn administrative(kind: &str, actor: &str) -> String {
    match kind {
        "contract.published" => format!("{actor} published a contract"),
        "gate.published" => format!("{actor} published a gate"),
        "rules.published" => format!("{actor} set the project rules"),
        "project.halted" => format!("{actor} halted the project"),
        other => match other.split_once('.') {
            Some((subject, verb)) => {
                format!("{actor}: {} {}", subject.replace('_', " "), verb.replace('_', " "))
            }
            None => format!("{actor}: {other}"),
        },
    }
}

/// Names the causes of a hold: `held by rule money-movement, gate release`.
fn held_by(causes: &[api::HoldCause]) -> String {
    let prefix = "held by ";
    let names: Vec<String> = causes
        .iter()
        .map(|one| excerpt(one.text.strip_prefix(prefix).unwrap_or(&one.text)))
        .collect();
    let is_named = causes.iter().all(|cause| cause.text.starts_with(prefix));
    format!("{}{}", if is_named { prefix } else { "held for a person: " }, names.join(", "))
}

/// Formats the reasons of a hold: ` (low confidence, project rule)`.
fn hold_reasons(event: &api::Event) -> String {
    let reasons = event.attributes.get("reasons").and_then(|value| value.as_array());
    let words =
        reasons.into_iter().flatten().filter_map(|one| one.as_str()).map(|word| match word {
            "asked" => "review requested",
            "changed" => "the packet changed after a decision",
            "confidence" => "low confidence",
            "label" => "project rule",
            "action" => "approval of an action",
            "gate" => "sign-off",
            other => other,
        });
    let words: Vec<&str> = words.collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Returns why a handoff left its receiver.
fn cause(event: &api::Event) -> String {
    let cause = event.attributes.get("because").and_then(|value| value.as_str());
    match cause.unwrap_or_default() {
        "declined" => format!("{} declined", event.actor),
        "no_progress" => "no progress in time".to_owned(),
        "rejected" => "verification failed too often".to_owned(),
        "expired" => "the deadline passed".to_owned(),
        "lapsed" => "the lease expired".to_owned(),
        other => other.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str, attributes: &serde_json::Value) -> api::Event {
        serde_json::from_value(json!({
            "n": 7, "at": "2026-01-01T00:00:00Z", "type": kind,
            "actor": "ana", "to": "cem", "attributes": attributes,
        }))
        .unwrap()
    }

    fn plain(event: &api::Event, context: &EventContext) -> String {
        let times = TimeFormatter::new(event.at, true);
        anstream::adapter::strip_str(&describe(event, context, times)).to_string()
    }

    #[test]
    fn a_rung_is_named_by_the_receiver_it_led_to() {
        let party = |id: &str, name: &str| {
            let party = json!({ "id": id, "name": name, "kind": "agent" });
            serde_json::from_value::<api::Party>(party).unwrap()
        };
        let names =
            EventContext::default().with_names(vec![party("pty_1", "ben"), party("pty_2", "cem")]);
        let check = |attributes: &serde_json::Value, expected: &str| {
            let event = event(MOVED_ON, attributes);
            let shown = plain(&event, &names);
            assert_eq!(shown, expected);
            assert_eq!(EventContext::needs_names(&[event]), shown.contains(" to "));
        };
        // It comes to judge what `cem` returned.
        check(
            &json!({ "receiver": "pty_1", "because": "no_progress" }),
            "moved on to ben (no progress in time)",
        );
        check(&json!({ "because": "declined" }), "skipped a fallback (ana declined)");
    }

    #[test]
    fn a_hold_names_its_causes_and_a_decision_what_was_stated() {
        let cause = |by: &str, text: &str| json!({ "reason": "label", "by": by, "text": text });
        let mut held = json!({
            "n": 7, "at": "2026-01-01T00:00:00Z", "type": "handoff.held", "actor": "ana",
            "causes": [cause("rule:money-movement", "held by rule money-movement")],
        });
        let shown = |event: &serde_json::Value| {
            plain(&serde_json::from_value(event.clone()).unwrap(), &EventContext::default())
        };
        assert_eq!(shown(&held), "held by rule money-movement");
        let mut escalated = held.clone();
        escalated["attributes"] = json!({ "because": "escalated" });
        let expected = "escalated: no one decided in time, so more people may";
        assert_eq!(shown(&escalated), expected);
        held["causes"] =
            json!([held["causes"][0], cause("packet", "the packet asks for a person")]);
        assert_eq!(
            shown(&held),
            "held for a person: rule money-movement, the packet asks for a person"
        );
        let signed = json!({
            "n": 8, "at": "2026-01-01T00:00:00Z", "type": "handoff.signed_off", "actor": "ana",
            "reason": "as tested",
            "stated": {
                "gate": "release@1.0", "meaning": "approved", "opened": ["packet"], "seconds": 41,
            },
        });
        assert_eq!(
            shown(&signed),
            "ana signed it off at release@1.0 as approved, after 41 s, opened packet: \"as tested\""
        );
    }

    #[test]
    fn a_checkpoint_is_quoted_with_the_steps_after_it() {
        let mut context = EventContext::default();
        let record = json!({
            "n": 7, "by": "ana", "at": "2026-01-01T00:00:00Z", "text": "Wrote the writer",
            "steps": { "done": 1, "left": 2 }, "packet": {},
        });
        context.add_checkpoints(vec![serde_json::from_value(record).unwrap()]);
        let shown = plain(&event(CHECKPOINTED, &json!({})), &context);
        assert_eq!(shown, "ana checkpointed: \"Wrote the writer\" (1 done, 2 left)");
        let hidden = plain(&event(CHECKPOINTED, &json!({})), &EventContext::default());
        assert_eq!(hidden, "ana saved a checkpoint");
    }

    #[test]
    fn a_return_is_quoted_by_its_summary() {
        let returned = |id: &str, packet: serde_json::Value| {
            serde_json::from_value::<api::Return>(json!({
                "id": id, "handoff": "hof_1", "by": "ana", "at": "2026-01-01T00:00:00Z",
                "digest": "sha256:00", "packet": packet,
            }))
            .unwrap()
        };
        let mut context = EventContext::default();
        context.add_returns(vec![
            returned("ret_1", json!({ "summary": "All tests pass\n" })),
            returned("ret_2", json!({ "summary": " ", "handoff_summary": "It works" })),
            returned("ret_3", json!({})),
        ]);
        for (id, expected) in [
            ("ret_1", "ana returned it: \"All tests pass\""),
            ("ret_2", "ana returned it: \"It works\""),
            ("ret_3", "ana returned it"),
            ("ret_4", "ana returned it"),
        ] {
            let event = event(RETURNED, &json!({ "return_packet": id }));
            assert_eq!(plain(&event, &context), expected);
        }
    }

    #[test]
    fn every_event_of_a_handoff_has_a_sentence() {
        for kind in tasuki_packet::leaf::EventType::ALL {
            let shown = plain(&event(kind.name(), &json!({})), &EventContext::default());
            let is_fallback = shown.contains(": handoff ");
            assert!(!is_fallback, "{}: {shown}", kind.name());
        }
        let died = event("handoff.died", &json!({ "because": "declined" }));
        assert_eq!(plain(&died, &EventContext::default()), "dead letter: ana declined");
    }
}
