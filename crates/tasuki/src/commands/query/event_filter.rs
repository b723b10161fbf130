//! The flags that filter events, shared by streams and subscriptions.

use jiff::Timestamp;
use tasuki_api::event::event_type;
use tasuki_engine::model::{EventFilter, StateWord, event_filter};
use tasuki_packet::leaf::EventType;

use crate::backend::Backend;
use crate::exit::Failure;
use crate::input::value_parsers::state;

/// The filter flags; all of them must match.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EventFilterFlags {
    /// Only of this type, such as handoff.claimed or claimed; may be given more than once.
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    kinds: Vec<EventType>,
    /// Only of this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only of this handoff.
    #[arg(long, value_name = "ID")]
    handoff: Option<String>,
    /// Only by, from or to this party.
    #[arg(long = "party", value_name = "PARTY")]
    about: Option<String>,
    /// Only from this party.
    #[arg(long, value_name = "PARTY")]
    sender: Option<String>,
    /// Only to this party.
    #[arg(long, value_name = "PARTY")]
    receiver: Option<String>,
    /// Only done by this party, `clock` or `system`.
    #[arg(long, value_name = "PARTY")]
    actor: Option<String>,
    /// Only under this contract, or this version of it.
    #[arg(long, value_name = "CONTRACT")]
    contract: Option<String>,
    /// Only what leaves the handoff in this state.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<StateWord>,
    /// Only what found the handoff in this state.
    #[arg(long, value_name = "STATE", value_parser = state)]
    before: Option<StateWord>,
    /// Only with this trigger.
    #[arg(long, value_name = "TRIGGER")]
    trigger: Option<String>,
    /// Only with this risk.
    #[arg(long, value_name = "RISK", value_parser = ["low", "medium", "high"])]
    risk: Option<String>,
    /// Only with a reason that has this text in it, in any case.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Only from this instant on, such as 2026-11-16T09:00:00Z.
    #[arg(long, value_name = "TIME")]
    earliest: Option<Timestamp>,
    /// Only up to this instant.
    #[arg(long, value_name = "TIME")]
    latest: Option<Timestamp>,
}

impl EventFilterFlags {
    /// The filter; a handoff is named by its whole id in it.
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

fn kind(word: &str) -> Result<EventType, String> {
    event_type(word).ok_or_else(|| {
        let names = EventType::ALL.iter().map(|kind| kind.name());
        let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
        match tasuki_packet::violation::suggest(word, names.chain(short)) {
            Some(near) => format!("no event has this type; did you mean `{near}`?"),
            None => "no event has this type; one is `handoff.claimed`".to_owned(),
        }
    })
}
