//! Selects events for a reader or a subscription.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use tasuki_packet::api;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::contract::Risk;
use tasuki_packet::policy::trigger::TriggerKind;

use crate::model::StateWord;
use crate::model::handoff::is_default;
use crate::refusal::{Refusal, RefusalCode};

/// A filter over events. An event must match every criterion that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// The task.
    #[serde(skip_serializing_if = "is_default")]
    pub task: Option<String>,
    /// The party, by name, as actor, sender or receiver.
    #[serde(skip_serializing_if = "is_default")]
    pub party: Option<String>,
    /// The types; empty matches any.
    #[serde(
        rename = "type",
        skip_serializing_if = "is_default",
        serialize_with = "names",
        deserialize_with = "kinds"
    )]
    pub kinds: Vec<EventType>,
    /// The handoff, by id.
    #[serde(skip_serializing_if = "is_default")]
    pub handoff: Option<String>,
    /// The sender.
    #[serde(skip_serializing_if = "is_default")]
    pub sender: Option<String>,
    /// The receiver.
    #[serde(skip_serializing_if = "is_default")]
    pub receiver: Option<String>,
    /// The contract, by name or by `name@version`.
    #[serde(skip_serializing_if = "is_default")]
    pub contract: Option<String>,
    /// The state of the handoff after the event.
    #[serde(skip_serializing_if = "is_default")]
    pub state: Option<String>,
    /// The state of the handoff before the event.
    #[serde(skip_serializing_if = "is_default")]
    pub before: Option<String>,
    /// The actor: a party, `clock` or `system`.
    #[serde(skip_serializing_if = "is_default")]
    pub actor: Option<String>,
    /// The trigger.
    #[serde(skip_serializing_if = "is_default")]
    pub trigger: Option<String>,
    /// The risk.
    #[serde(skip_serializing_if = "is_default")]
    pub risk: Option<String>,
    /// A text that the reason contains, ignoring case.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: Option<String>,
    /// The earliest time.
    #[serde(skip_serializing_if = "is_default")]
    pub earliest: Option<Timestamp>,
    /// The latest time.
    #[serde(skip_serializing_if = "is_default")]
    pub latest: Option<Timestamp>,
}

impl Filter {
    /// Returns `true` if the event matches the filter.
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
            && self
                .reason
                .as_ref()
                .is_none_or(|wanted| contains_ignoring_case(event.reason.as_deref(), wanted))
            && self.earliest.is_none_or(|earliest| earliest <= event.at)
            && self.latest.is_none_or(|latest| event.at <= latest)
    }

    /// Checks that the filter can match any event.
    ///
    /// # Errors
    ///
    /// Refuses an unknown value and lists the known ones.
    pub fn must_be_possible(&self) -> Result<(), Refusal> {
        must_be_one_of("state", self.state.as_deref(), states)?;
        must_be_one_of("previous state", self.before.as_deref(), states)?;
        must_be_one_of("risk", self.risk.as_deref(), risks)?;
        must_be_one_of("trigger", self.trigger.as_deref(), triggers)
    }

    /// Returns the criteria that are set, as they are stored and shown.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

/// Returns the names of all states.
pub fn states() -> Vec<&'static str> {
    StateWord::ALL.iter().map(|state| state.as_str()).collect()
}

/// Returns the names of all triggers.
pub fn triggers() -> Vec<&'static str> {
    TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// Returns the names of all risks.
pub fn risks() -> Vec<&'static str> {
    Risk::ALL.iter().map(|risk| risk.as_str()).collect()
}

pub(crate) fn contains_ignoring_case(reason: Option<&str>, wanted: &str) -> bool {
    reason.is_some_and(|reason| reason.to_lowercase().contains(&wanted.to_lowercase()))
}

pub(crate) fn must_be_one_of(
    name: &str,
    value: Option<&str>,
    words: fn() -> Vec<&'static str>,
) -> Result<(), Refusal> {
    let Some(value) = value.filter(|value| !words().contains(value)) else { return Ok(()) };
    let message = format!("unknown {name} `{value}`");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint(format!("use one of `{}`", words().join("`, `"))))
}

/// Returns the type with this name. Types of handoffs may omit the `handoff.` prefix.
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
        kind_named(name).ok_or_else(|| de::Error::custom(format!("unknown event type `{name}`")))
    };
    names.iter().map(kind).collect()
}
