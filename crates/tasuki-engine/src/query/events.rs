//! Events as streams show them: the leaf with its attributes, and what was noted beside it.
//!
//! A stream is nothing but a cursor over the numbers of leaves: whoever has seen event `n` asks for
//! what came after it and misses nothing. Names are those of the moment at which it happened.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;
use tasuki_packet::risk::Risk;
use tasuki_packet::trigger::TriggerKind;

use crate::error::{Fault, FaultKind};
use crate::model::handoff::{StateWord, is_default};
use crate::ports::store::{LeafRow, Store};
use crate::refusal::{Refusal, RefusalCode};

/// Leaves that are read at once.
const PAGE: u32 = 1_000;

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

/// Some events, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The events, oldest first.
    pub events: Vec<api::Event>,
    /// The number of the first event that was not looked at.
    pub next: u64,
}

/// What a leaf says that its row does not.
#[derive(Deserialize)]
struct Said {
    attr: Map<String, Value>,
    subj: Option<Subject>,
}

#[derive(Deserialize)]
struct Subject {
    rev: u64,
}

/// The event that a leaf is.
///
/// # Errors
///
/// If the leaf, or what was noted beside it, cannot be read.
pub fn event(row: &LeafRow) -> Result<api::Event, Fault> {
    let corrupt = |part: &str, what: &str| {
        let message = format!("leaf {}: its `{part}` {what}", row.n);
        Fault::new(FaultKind::Corrupt, message).hint("`tasuki log check` says more")
    };
    let unread = |part: &'static str| {
        move |error: serde_json::Error| corrupt(part, &format!("cannot be read: {error}"))
    };
    let said: Said = serde_json::from_str(&row.leaf).map_err(unread("leaf"))?;
    let detail: Map<String, Value> = serde_json::from_str(&row.detail).map_err(unread("detail"))?;
    let text = |name: &str| detail.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(api::Event {
        n: row.n,
        at: row.at,
        kind: row.kind.name().to_owned(),
        actor: text("actor").ok_or_else(|| corrupt("detail", "names no actor"))?,
        handoff: row.handoff.map(|id| id.to_string()),
        task: text("task"),
        from: text("from"),
        to: text("to"),
        revision: said.subj.map(|subject| subject.rev),
        contract: text("contract"),
        before: text("before"),
        after: text("after"),
        reason: text("reason"),
        action: text("action"),
        trigger: text("trigger"),
        risk: text("risk"),
        attributes: said.attr,
    })
}

/// Events from a number on, at most `limit` of those that are wanted.
pub async fn since(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    filter: &Filter,
    limit: usize,
) -> Result<Page, Fault> {
    between(store, project, from..u64::MAX, filter, limit).await
}

/// Events from a number on and before another, at most `limit` of those that are wanted.
pub async fn between(
    store: &dyn Store,
    project: ProjectId,
    range: Range<u64>,
    filter: &Filter,
    limit: usize,
) -> Result<Page, Fault> {
    let mut page = Page { events: Vec::new(), next: range.start };
    // Most are wanted by most, so that it begins with as many as are asked for.
    let mut count = u32::try_from(limit).unwrap_or(PAGE).clamp(1, PAGE);
    while page.events.len() < limit {
        let rows = store.leaves(project, page.next, count).await?;
        count = (count * 4).min(PAGE);
        if rows.is_empty() {
            break;
        }
        for row in rows {
            if row.n >= range.end {
                return Ok(page);
            }
            if page.events.len() >= limit {
                break;
            }
            page.next = row.n + 1;
            let event = event(&row)?;
            if filter.wants(&event) {
                page.events.push(event);
            }
        }
    }
    Ok(page)
}

/// The last events that are wanted before this number, at most `limit`, oldest first.
pub async fn last(
    store: &dyn Store,
    project: ProjectId,
    end: Option<u64>,
    filter: &Filter,
    limit: usize,
) -> Result<Page, Fault> {
    let leaves = store.head(project).await?.map_or(0, |head| head.leaves);
    let end = end.map_or(leaves, |end| end.min(leaves));
    let mut events = Vec::new();
    let mut before = end;
    while before > 0 && events.len() < limit {
        let from = before.saturating_sub(u64::from(PAGE));
        let count = u32::try_from(before - from).unwrap_or(PAGE);
        let rows = store.leaves(project, from, count).await?;
        for row in rows.iter().rev().filter(|row| row.n < before) {
            let event = event(row)?;
            if events.len() < limit && filter.wants(&event) {
                events.push(event);
            }
        }
        before = from;
    }
    events.reverse();
    Ok(Page { events, next: end })
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

fn says(reason: Option<&str>, wanted: &str) -> bool {
    reason.is_some_and(|reason| reason.to_lowercase().contains(&wanted.to_lowercase()))
}

fn must_be_one_of(
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

fn names<S: Serializer>(kinds: &[EventType], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(kinds.iter().map(|kind| kind.name()))
}

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EventType>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let kind = |name: &String| {
        kind_named(name).ok_or_else(|| de::Error::custom(format!("`{name}` is no type of event")))
    };
    names.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{World, claim, submit};

    /// What `ben` has claimed of `ana` under a contract, as the stream shows it.
    fn claimed() -> api::Event {
        let mut world = World::new();
        world.contract(&json!({}));
        world.done("ana", submit(&json!({ "trigger": { "kind": "completion" } })));
        world.done("ben", claim(world.newest()));
        event(world.leaves.last().unwrap()).unwrap()
    }

    #[test]
    fn a_type_may_be_named_by_its_last_word_and_is_kept_whole() {
        let filter: Filter =
            serde_json::from_value(json!({ "type": ["held", "party.added"] })).unwrap();
        assert_eq!(filter.members()["type"], json!(["handoff.held", "party.added"]));
        assert!(serde_json::from_value::<Filter>(json!({ "type": ["added"] })).is_err());
    }

    #[test]
    fn each_part_of_a_filter_narrows_by_what_it_names() {
        let event = claimed();
        let handoff = event.handoff.clone().unwrap();
        let trigger = event.trigger.clone().unwrap();
        let check = |name: &str, wanted: &[&str]| {
            let filter = |value: &str| {
                let value = if name == "type" { json!([value]) } else { json!(value) };
                serde_json::from_value::<Filter>(json!({ name: value })).unwrap()
            };
            for value in wanted {
                assert!(filter(value).wants(&event), "{name} {value}");
            }
            let other = if name == "type" { "handoff.returned" } else { "another" };
            assert!(!filter(other).wants(&event), "{name}");
        };
        check("task", &["task-1"]);
        check("party", &["ana", "ben"]);
        check("type", &["handoff.claimed"]);
        check("handoff", &[&handoff]);
        check("sender", &["ana"]);
        check("receiver", &["ben"]);
        check("contract", &["work", "work@1.0"]);
        check("state", &["claimed"]);
        check("before", &["offered"]);
        check("actor", &["ben"]);
        check("trigger", &[&trigger]);
        check("risk", &["low"]);
        assert!(Filter::default().wants(&event));
        let reasoned = api::Event { reason: Some("The quota resets".to_owned()), ..event.clone() };
        let by_reason = |text: &str| Filter { reason: Some(text.to_owned()), ..Filter::default() };
        assert!(by_reason("QUOTA").wants(&reasoned) && !by_reason("alarm").wants(&reasoned));
        assert!(!by_reason("quota").wants(&event));
        let (now, later) = (event.at, event.at + jiff::SignedDuration::from_secs(1));
        let from = |instant| Filter { earliest: Some(instant), ..Filter::default() };
        let until = |instant| Filter { latest: Some(instant), ..Filter::default() };
        assert!(from(now).wants(&event) && !from(later).wants(&event));
        let behind = api::Event { at: later, ..event.clone() };
        assert!(until(now).wants(&event) && !until(now).wants(&behind));
        let both = json!({ "sender": "ana", "receiver": "cem" });
        assert!(!serde_json::from_value::<Filter>(both).unwrap().wants(&event));
    }

    #[test]
    fn a_word_that_no_event_has_is_refused() {
        let check = |filter: Value, expected: &str| {
            let filter: Filter = serde_json::from_value(filter).unwrap();
            let told = filter.must_be_possible().map_err(|refusal| refusal.message);
            assert_eq!(told.err().unwrap_or_default(), expected);
        };
        check(json!({ "risk": "high", "state": "held", "before": "offered" }), "");
        check(json!({ "trigger": "critical_action", "task": "anything" }), "");
        check(json!({ "risk": "huge" }), "no event has the risk `huge`");
        check(json!({ "state": "hled" }), "no event has the state `hled`");
        check(json!({ "before": "hled" }), "no event has the state before `hled`");
        check(json!({ "trigger": "nonsense" }), "no event has the trigger `nonsense`");
    }

    #[test]
    fn a_filter_is_kept_as_it_is_written() {
        let written = json!({ "task": "t", "type": ["handoff.held", "handoff.done"] });
        let filter: Filter = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(Value::Object(filter.members()), written);
        assert_eq!(Filter::default().members(), Map::new());
        for wrong in [json!({ "type": ["handoff.lost"] }), json!({ "taks": "t" })] {
            assert!(serde_json::from_value::<Filter>(wrong).is_err());
        }
    }
}
