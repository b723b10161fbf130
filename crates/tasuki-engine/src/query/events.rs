//! Events as streams show them: the leaf with its attributes, and the details stored beside it.
//!
//! A stream is a cursor over leaf numbers: a reader that has seen event `n` asks for the events
//! after it and misses none. Names are those at the time of the event.

use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tasuki_api as api;
use tasuki_packet::id::ProjectId;

use crate::error::{Fault, FaultKind};
use crate::limits::ROWS_PER_READ;
use crate::model::EventFilter;
use crate::ports::{LeafRow, Store};

/// Leaves read at once.
const PAGE: u32 = 1_000;

/// A page of events.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The events, oldest first.
    pub events: Vec<api::Event>,
    /// The number of the first event that was not examined.
    pub next: u64,
    /// `true` if the page ended at its limit of rows, so that more events may match behind it.
    pub is_cut: bool,
    /// The number of the first event that was examined, if the search for the last events ended at
    /// its limit of rows.
    pub earlier: Option<u64>,
}

/// The size of a page.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The maximum number of events.
    pub events: usize,
    /// LIMIT: the leaves that are examined.
    pub rows: u64,
}

impl Bounds {
    /// Returns the bounds of a page of a request.
    pub const fn of_request(events: usize) -> Self {
        Self { events, rows: ROWS_PER_READ as u64 }
    }

    /// Returns bounds that only the number of events ends.
    pub const fn of_events(events: usize) -> Self {
        Self { events, rows: u64::MAX }
    }
}

/// The members of a leaf that its row lacks.
#[derive(Deserialize)]
struct LeafBody {
    attr: Map<String, Value>,
    subj: Option<Subject>,
}

#[derive(Deserialize)]
struct Subject {
    rev: u64,
}

/// Converts a leaf into its event.
///
/// # Errors
///
/// Fails if the leaf or its details cannot be parsed.
pub fn event(row: &LeafRow) -> Result<api::Event, Fault> {
    let corrupt = |part: &str, what: &str| {
        let message = format!("leaf {}: `{part}` {what}", row.n);
        Fault::new(FaultKind::Corrupt, message).hint("run `tasuki log check` for details")
    };
    let unparsable = |part: &'static str| {
        move |error: serde_json::Error| corrupt(part, &format!("cannot be parsed: {error}"))
    };
    let leaf: LeafBody = serde_json::from_str(&row.leaf).map_err(unparsable("leaf"))?;
    let detail: Map<String, Value> =
        serde_json::from_str(&row.detail).map_err(unparsable("detail"))?;
    let text = |name: &str| detail.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(api::Event {
        n: row.n,
        at: row.at,
        kind: row.kind.name().to_owned(),
        actor: text("actor").ok_or_else(|| corrupt("detail", "has no actor"))?,
        on_behalf_of: text("on_behalf_of"),
        handoff: row.handoff.map(|id| id.to_string()),
        task: text("task"),
        from: text("from"),
        to: text("to"),
        revision: leaf.subj.map(|subject| subject.rev),
        contract: text("contract"),
        before: text("before"),
        after: text("after"),
        reason: text("reason"),
        action: text("action"),
        causes: part("causes", &detail).map_err(unparsable("detail"))?,
        stated: part("stated", &detail).map_err(unparsable("detail"))?,
        trigger: text("trigger"),
        risk: text("risk"),
        attributes: leaf.attr,
    })
}

/// Returns matching events, starting at a number.
pub async fn since(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    filter: &EventFilter,
    bounds: Bounds,
) -> Result<Page, Fault> {
    between(store, project, from..u64::MAX, filter, bounds).await
}

/// Returns matching events of a range of numbers.
pub async fn between(
    store: &dyn Store,
    project: ProjectId,
    range: Range<u64>,
    filter: &EventFilter,
    bounds: Bounds,
) -> Result<Page, Fault> {
    let mut page = Page { events: Vec::new(), next: range.start, is_cut: false, earlier: None };
    let end = range.end.min(range.start.saturating_add(bounds.rows));
    // Most events match most filters, so the first read takes as many as are needed.
    let mut count = u32::try_from(bounds.events).unwrap_or(PAGE).clamp(1, PAGE);
    while page.events.len() < bounds.events {
        let rows = store.leaves(project, page.next, count).await?;
        count = (count * 4).min(PAGE);
        if rows.is_empty() {
            break;
        }
        for row in rows {
            if row.n >= end {
                page.is_cut = end < range.end;
                return Ok(page);
            }
            if page.events.len() >= bounds.events {
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

/// Returns the last matching events before a number, oldest first.
pub async fn last(
    store: &dyn Store,
    project: ProjectId,
    end: Option<u64>,
    filter: &EventFilter,
    bounds: Bounds,
) -> Result<Page, Fault> {
    let leaves = store.head(project).await?.map_or(0, |head| head.leaves);
    let end = end.map_or(leaves, |end| end.min(leaves));
    let first = end.saturating_sub(bounds.rows);
    let mut events = Vec::new();
    let mut before = end;
    while before > first && events.len() < bounds.events {
        let from = before.saturating_sub(u64::from(PAGE)).max(first);
        let count = u32::try_from(before - from).unwrap_or(PAGE);
        let rows = store.leaves(project, from, count).await?;
        for row in rows.iter().rev().filter(|row| row.n < before) {
            let event = event(row)?;
            if events.len() < bounds.events && filter.wants(&event) {
                events.push(event);
            }
        }
        before = from;
    }
    events.reverse();
    let is_cut = events.len() < bounds.events && before > 0;
    Ok(Page { events, next: end, is_cut, earlier: is_cut.then_some(before) })
}

/// Reads an optional member of the details.
fn part<T: Default + DeserializeOwned>(
    name: &str,
    detail: &Map<String, Value>,
) -> Result<T, serde_json::Error> {
    detail.get(name).map_or_else(|| Ok(T::default()), |value| T::deserialize(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::event_filter;
    use crate::testing::{World, claim, submit};

    /// Returns the event of a claim by `ben` on a handoff of `ana` under a contract.
    fn claimed() -> api::Event {
        let mut world = World::new();
        world.contract(&json!({}));
        world.done("ana", submit(&json!({ "trigger": { "kind": "completion" } })));
        world.done("ben", claim(world.newest()));
        event(world.leaves.last().unwrap()).unwrap()
    }

    #[test]
    fn a_type_may_be_named_by_its_last_word_and_is_stored_in_full() {
        let filter: EventFilter =
            serde_json::from_value(json!({ "type": ["held", "party.added"] })).unwrap();
        assert_eq!(filter.members()["type"], json!(["handoff.held", "party.added"]));
        assert!(serde_json::from_value::<EventFilter>(json!({ "type": ["added"] })).is_err());
    }

    #[test]
    fn each_criterion_of_a_filter_narrows_the_events() {
        let event = claimed();
        let handoff = event.handoff.clone().unwrap();
        let trigger = event.trigger.clone().unwrap();
        let check = |name: &str, wanted: &[&str]| {
            let filter = |value: &str| {
                let value = if name == "type" { json!([value]) } else { json!(value) };
                serde_json::from_value::<EventFilter>(json!({ name: value })).unwrap()
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
        assert!(EventFilter::default().wants(&event));
        let reasoned = api::Event { reason: Some("The quota resets".to_owned()), ..event.clone() };
        let by_reason =
            |text: &str| EventFilter { reason: Some(text.to_owned()), ..EventFilter::default() };
        assert!(by_reason("QUOTA").wants(&reasoned) && !by_reason("alarm").wants(&reasoned));
        assert!(!by_reason("quota").wants(&event));
        let (now, later) = (event.at, event.at + jiff::SignedDuration::from_secs(1));
        let from = |instant| EventFilter { earliest: Some(instant), ..EventFilter::default() };
        let until = |instant| EventFilter { latest: Some(instant), ..EventFilter::default() };
        assert!(from(now).wants(&event) && !from(later).wants(&event));
        let behind = api::Event { at: later, ..event.clone() };
        assert!(until(now).wants(&event) && !until(now).wants(&behind));
        let both = json!({ "sender": "ana", "receiver": "cem" });
        assert!(!serde_json::from_value::<EventFilter>(both).unwrap().wants(&event));
    }

    #[test]
    fn an_unknown_value_is_refused() {
        let check = |filter: Value, expected: &str| {
            let filter: EventFilter = serde_json::from_value(filter).unwrap();
            let result = event_filter::check_words(&filter).map_err(|refusal| refusal.message);
            assert_eq!(result.err().unwrap_or_default(), expected);
        };
        check(json!({ "risk": "high", "state": "held", "before": "offered" }), "");
        check(json!({ "trigger": "critical_action", "task": "anything" }), "");
        check(json!({ "risk": "huge" }), "unknown risk `huge`");
        check(json!({ "state": "hled" }), "unknown state `hled`");
        check(json!({ "before": "hled" }), "unknown previous state `hled`");
        check(json!({ "trigger": "nonsense" }), "unknown trigger `nonsense`");
    }

    #[test]
    fn a_filter_is_stored_as_it_is_written() {
        let written = json!({ "task": "t", "type": ["handoff.held", "handoff.done"] });
        let filter: EventFilter = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(Value::Object(filter.members()), written);
        assert_eq!(EventFilter::default().members(), Map::new());
        for wrong in [json!({ "type": ["handoff.lost"] }), json!({ "taks": "t" })] {
            assert!(serde_json::from_value::<EventFilter>(wrong).is_err());
        }
    }
}
