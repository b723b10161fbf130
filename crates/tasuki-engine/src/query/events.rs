//! Events as streams show them: the leaf with its attributes, and what was noted beside it.
//!
//! A stream is nothing but a cursor over the numbers of leaves: whoever has seen event `n` asks for
//! what came after it and misses nothing. Names are those of the moment at which it happened.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};
use tasuki_api as api;
use tasuki_packet::id::ProjectId;

use crate::error::{Fault, FaultKind};
use crate::model::EventFilter;
use crate::ports::{LeafRow, Store};

/// Leaves that are read at once.
const PAGE: u32 = 1_000;

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
    filter: &EventFilter,
    limit: usize,
) -> Result<Page, Fault> {
    between(store, project, from..u64::MAX, filter, limit).await
}

/// Events from a number on and before another, at most `limit` of those that are wanted.
pub async fn between(
    store: &dyn Store,
    project: ProjectId,
    range: Range<u64>,
    filter: &EventFilter,
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
    filter: &EventFilter,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::event_filter;
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
        let filter: EventFilter =
            serde_json::from_value(json!({ "type": ["held", "party.added"] })).unwrap();
        assert_eq!(filter.members()["type"], json!(["handoff.held", "party.added"]));
        assert!(serde_json::from_value::<EventFilter>(json!({ "type": ["added"] })).is_err());
    }

    #[test]
    fn each_part_of_a_filter_narrows_by_what_it_names() {
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
    fn a_word_that_no_event_has_is_refused() {
        let check = |filter: Value, expected: &str| {
            let filter: EventFilter = serde_json::from_value(filter).unwrap();
            let told = event_filter::check_words(&filter).map_err(|refusal| refusal.message);
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
        let filter: EventFilter = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(Value::Object(filter.members()), written);
        assert_eq!(EventFilter::default().members(), Map::new());
        for wrong in [json!({ "type": ["handoff.lost"] }), json!({ "taks": "t" })] {
            assert!(serde_json::from_value::<EventFilter>(wrong).is_err());
        }
    }
}
