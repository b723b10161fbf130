//! Selects the events that a reader or a subscription wants.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use tasuki_api as api;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::contract::Risk;
use tasuki_packet::policy::trigger::TriggerKind;

use crate::model::StateWord;
use crate::model::handoff::is_default;
use crate::refusal::{Refusal, RefusalCode};

/// Which events somebody wants to see. Everything that is said must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// Only of this task.
    #[serde(skip_serializing_if = "is_default")]
    pub task: Option<String>,
    /// Only by, from or to this party, by its name.
    #[serde(skip_serializing_if = "is_default")]
    pub party: Option<String>,
    /// Only of these types; none means any.
    #[serde(
        rename = "type",
        skip_serializing_if = "is_default",
        serialize_with = "names",
        deserialize_with = "kinds"
    )]
    pub kinds: Vec<EventType>,
    /// Only of this handoff, by its id.
    #[serde(skip_serializing_if = "is_default")]
    pub handoff: Option<String>,
    /// Only from this party.
    #[serde(skip_serializing_if = "is_default")]
    pub sender: Option<String>,
    /// Only to this party.
    #[serde(skip_serializing_if = "is_default")]
    pub receiver: Option<String>,
    /// Only under this contract: its name, or a version of it.
    #[serde(skip_serializing_if = "is_default")]
    pub contract: Option<String>,
    /// Only what leaves the handoff in this state.
    #[serde(skip_serializing_if = "is_default")]
    pub state: Option<String>,
    /// Only what found the handoff in this state.
    #[serde(skip_serializing_if = "is_default")]
    pub before: Option<String>,
    /// Only done by this party, `clock` or `system`.
    #[serde(skip_serializing_if = "is_default")]
    pub actor: Option<String>,
    /// Only with this trigger.
    #[serde(skip_serializing_if = "is_default")]
    pub trigger: Option<String>,
    /// Only with this risk.
    #[serde(skip_serializing_if = "is_default")]
    pub risk: Option<String>,
    /// Only with a reason that has this text in it, in any case.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: Option<String>,
    /// Only from this instant on.
    #[serde(skip_serializing_if = "is_default")]
    pub earliest: Option<Timestamp>,
    /// Only up to this instant.
    #[serde(skip_serializing_if = "is_default")]
    pub latest: Option<Timestamp>,
}

impl Filter {
    /// Whether somebody with this filter wants to see the event.
    pub fn wants(&self, event: &api::Event) -> bool {
        let is_party = |party: &String| {
            [Some(&event.actor), event.from.as_ref(), event.to.as_ref()].contains(&Some(party))
        };
        let is_contract = |contract: &String| {
            let name = |version: &String| version.split('@').next().map(str::to_owned);
            let own = event.contract.as_ref();
            own == Some(contract) || own.and_then(name).as_ref() == Some(contract)
        };
        let plain = [
            (&self.task, event.task.as_ref()),
            (&self.handoff, event.handoff.as_ref()),
            (&self.sender, event.from.as_ref()),
            (&self.receiver, event.to.as_ref()),
            (&self.state, event.after.as_ref()),
            (&self.before, event.before.as_ref()),
            (&self.actor, Some(&event.actor)),
            (&self.trigger, event.trigger.as_ref()),
            (&self.risk, event.risk.as_ref()),
        ];
        (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.name() == event.kind))
            && plain.into_iter().all(|(wanted, is)| wanted.is_none() || wanted.as_ref() == is)
            && self.party.as_ref().is_none_or(is_party)
            && self.contract.as_ref().is_none_or(is_contract)
            && self.reason.as_ref().is_none_or(|wanted| says(event.reason.as_deref(), wanted))
            && self.earliest.is_none_or(|earliest| earliest <= event.at)
            && self.latest.is_none_or(|latest| event.at <= latest)
    }

    /// Whether there can be an event that it lets through: a word that no event has lets none.
    ///
    /// # Errors
    ///
    /// The word, and those that there are.
    pub fn must_be_possible(&self) -> Result<(), Refusal> {
        must_be_one_of("state", self.state.as_deref(), states)?;
        must_be_one_of("state before", self.before.as_deref(), states)?;
        must_be_one_of("risk", self.risk.as_deref(), risks)?;
        must_be_one_of("trigger", self.trigger.as_deref(), triggers)
    }

    /// What it says, as it is kept and shown.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

/// The words that a state can be.
pub fn states() -> Vec<&'static str> {
    StateWord::ALL.iter().map(|state| state.as_str()).collect()
}

/// The words that a trigger can be.
pub fn triggers() -> Vec<&'static str> {
    TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// The words that a risk can be.
pub fn risks() -> Vec<&'static str> {
    Risk::ALL.iter().map(|risk| risk.as_str()).collect()
}

pub(crate) fn says(reason: Option<&str>, wanted: &str) -> bool {
    reason.is_some_and(|reason| reason.to_lowercase().contains(&wanted.to_lowercase()))
}

pub(crate) fn must_be_one_of(
    name: &str,
    said: Option<&str>,
    words: fn() -> Vec<&'static str>,
) -> Result<(), Refusal> {
    let Some(said) = said.filter(|said| !words().contains(said)) else { return Ok(()) };
    let message = format!("no event has the {name} `{said}`");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint(format!("it is one of {}", words().join(", "))))
}

/// The type of this name; those of handoffs have their last word for a name as well.
pub fn kind_named(word: &str) -> Option<EventType> {
    EventType::named(word).or_else(|| EventType::named(&format!("handoff.{word}")))
}

pub(crate) fn names<S: Serializer>(kinds: &[EventType], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(kinds.iter().map(|kind| kind.name()))
}

pub(crate) fn kinds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<EventType>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let kind = |name: &String| {
        kind_named(name).ok_or_else(|| de::Error::custom(format!("`{name}` is no type of event")))
    };
    names.iter().map(kind).collect()
}
