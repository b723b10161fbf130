//! The filter that selects events for a reader or a subscription.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use tasuki_packet::leaf::EventType;

use crate::Event;
#[cfg(feature = "schema")]
use crate::StateWord;
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::is_default;

/// A filter for events. An event matches if it meets every condition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct EventFilter {
    /// The task.
    #[serde(skip_serializing_if = "is_default")]
    pub task: Option<String>,
    /// The party that acted, sent or received.
    #[serde(skip_serializing_if = "is_default")]
    pub party: Option<String>,
    /// The types. An event of any of them matches; without types, every event does.
    #[serde(
        rename = "type",
        skip_serializing_if = "is_default",
        serialize_with = "type_names",
        deserialize_with = "types"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub kinds: Vec<EventType>,
    /// The id of the handoff.
    #[serde(skip_serializing_if = "is_default")]
    pub handoff: Option<String>,
    /// The sender.
    #[serde(skip_serializing_if = "is_default")]
    pub sender: Option<String>,
    /// The receiver.
    #[serde(skip_serializing_if = "is_default")]
    pub receiver: Option<String>,
    /// The contract, by name or by name and version.
    #[serde(skip_serializing_if = "is_default")]
    pub contract: Option<String>,
    /// The state after the event.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<StateWord>"))]
    pub state: Option<String>,
    /// The state before the event.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<StateWord>"))]
    pub before: Option<String>,
    /// The acting party, or `clock` or `system`.
    #[serde(skip_serializing_if = "is_default")]
    pub actor: Option<String>,
    /// The trigger of the packet.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Trigger>"))]
    pub trigger: Option<String>,
    /// The risk.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Risk>"))]
    pub risk: Option<String>,
    /// A text that the reason contains, in upper or lower case.
    #[serde(skip_serializing_if = "is_default")]
    pub reason: Option<String>,
    /// The earliest time.
    #[serde(skip_serializing_if = "is_default")]
    pub earliest: Option<Timestamp>,
    /// The latest time.
    #[serde(skip_serializing_if = "is_default")]
    pub latest: Option<Timestamp>,
}

impl EventFilter {
    /// Returns `true` if the event meets every condition.
    pub fn wants(&self, event: &Event) -> bool {
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
            && self.reason.as_ref().is_none_or(|text| contains(event.reason.as_deref(), text))
            && self.earliest.is_none_or(|earliest| earliest <= event.at)
            && self.latest.is_none_or(|latest| event.at <= latest)
    }

    /// Returns the conditions as JSON members.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

fn contains(reason: Option<&str>, text: &str) -> bool {
    reason.is_some_and(|reason| reason.to_lowercase().contains(&text.to_lowercase()))
}

/// Returns the event type with this name. The prefix `handoff.` may be left out.
pub fn event_type(name: &str) -> Option<EventType> {
    EventType::named(name).or_else(|| EventType::named(&format!("handoff.{name}")))
}

fn type_names<S: Serializer>(kinds: &[EventType], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(kinds.iter().map(|kind| kind.name()))
}

fn types<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EventType>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let kind = |name: &String| {
        event_type(name).ok_or_else(|| de::Error::custom(format!("unknown event type `{name}`")))
    };
    names.iter().map(kind).collect()
}
