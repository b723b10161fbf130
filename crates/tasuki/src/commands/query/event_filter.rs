//! The options that filter events, for `events` and `subscription add`.

use jiff::Timestamp;
use tasuki_api::event::event_type;
use tasuki_engine::model::{EventFilter, StateWord, event_filter};
use tasuki_packet::leaf::EventType;

use crate::backend::Backend;
use crate::exit::Failure;
use crate::input::value_parsers::state;
use crate::output::escape::excerpt;

/// The filter options. An event must match all of them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EventFilterFlags {
    /// Only events of this type, such as handoff.claimed or claimed; may be repeated.
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    kinds: Vec<EventType>,
    /// Only events of this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only events of this handoff.
    #[arg(long, value_name = "ID")]
    handoff: Option<String>,
    /// Only events whose actor, sender or receiver is this party.
    #[arg(long = "party", value_name = "PARTY")]
    about: Option<String>,
    /// Only handoffs from this party.
    #[arg(long, value_name = "PARTY")]
    sender: Option<String>,
    /// Only handoffs to this party.
    #[arg(long, value_name = "PARTY")]
    receiver: Option<String>,
    /// Only events by this party, `clock` or `system`.
    #[arg(long, value_name = "PARTY")]
    actor: Option<String>,
    /// Only handoffs under this contract, or this version of it.
    #[arg(long, value_name = "CONTRACT")]
    contract: Option<String>,
    /// Only events that leave the handoff in this state.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<StateWord>,
    /// Only events that found the handoff in this state.
    #[arg(long, value_name = "STATE", value_parser = state)]
    before: Option<StateWord>,
    /// Only handoffs with this trigger.
    #[arg(long, value_name = "TRIGGER")]
    trigger: Option<String>,
    /// Only handoffs with this risk.
    #[arg(long, value_name = "RISK", value_parser = ["low", "medium", "high"])]
    risk: Option<String>,
    /// Only events whose reason contains this text, in any case.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Only events since this time, such as 2026-11-16T09:00:00Z.
    #[arg(long, value_name = "TIME")]
    earliest: Option<Timestamp>,
    /// Only events until this time.
    #[arg(long, value_name = "TIME")]
    latest: Option<Timestamp>,
}

impl EventFilterFlags {
    /// Returns the filter, with the full id of the handoff.
    pub(crate) fn filter(&self, exchange: &dyn Backend) -> Result<EventFilter, Failure> {
        let handoff =
            self.handoff.as_deref().map(|written| exchange.resolve_id(written)).transpose()?;
        let filter = EventFilter {
            task: self.task.clone(),
            party: self.about.clone(),
            kinds: self.kinds.clone(),
            handoff: handoff.map(|id| id.to_string()),
            sender: self.sender.clone(),
            receiver: self.receiver.clone(),
            contract: self.contract.clone(),
            state: self.state.map(|state| state.as_str().to_owned()),
            before: self.before.map(|state| state.as_str().to_owned()),
            actor: self.actor.clone(),
            trigger: self.trigger.clone(),
            risk: self.risk.clone(),
            reason: self.reason.clone(),
            earliest: self.earliest,
            latest: self.latest,
        };
        event_filter::check_words(&filter).map_err(|refusal| {
            let failure = Failure::usage(refusal.message);
            match refusal.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        })?;
        Ok(filter)
    }
}

/// Names the events that a filter lets pass: `events of task build-42, from planner`.
pub(crate) fn described(filter: &EventFilter) -> String {
    let mut parts = Vec::new();
    if !filter.kinds.is_empty() {
        let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.name()).collect();
        parts.push(format!("of type {}", kinds.join(" or ")));
    }
    let words = [
        ("of task", &filter.task),
        ("of handoff", &filter.handoff),
        ("of party", &filter.party),
        ("from", &filter.sender),
        ("to", &filter.receiver),
        ("by", &filter.actor),
        ("under contract", &filter.contract),
        ("into state", &filter.state),
        ("out of state", &filter.before),
        ("with trigger", &filter.trigger),
        ("with risk", &filter.risk),
        ("whose reason contains", &filter.reason),
    ];
    let stated = words
        .iter()
        .filter_map(|(label, value)| Some(format!("{label} {}", excerpt(value.as_deref()?))));
    parts.extend(stated);
    parts.extend(filter.earliest.map(|at| format!("since {at:.0}")));
    parts.extend(filter.latest.map(|at| format!("until {at:.0}")));
    if parts.is_empty() { "all events".to_owned() } else { format!("events {}", parts.join(", ")) }
}

fn kind(word: &str) -> Result<EventType, String> {
    event_type(word).ok_or_else(|| {
        let names = EventType::ALL.iter().map(|kind| kind.name());
        let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
        match tasuki_packet::violation::suggest(word, names.chain(short)) {
            Some(near) => format!("unknown event type; did you mean `{near}`?"),
            None => "unknown event type; for example `handoff.claimed`".to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_named_by_its_criteria() {
        assert_eq!(described(&EventFilter::default()), "all events");
        let filter = EventFilter {
            task: Some("build-42".to_owned()),
            sender: Some("planner".to_owned()),
            kinds: vec![EventType::Claimed, EventType::Held],
            ..EventFilter::default()
        };
        assert_eq!(
            described(&filter),
            "events of type handoff.claimed or handoff.held, of task build-42, from planner"
        );
    }
}
