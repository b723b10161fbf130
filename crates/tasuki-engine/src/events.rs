//! Events as streams show them: the leaf with its attributes, and what was noted beside it.
//!
//! A stream is nothing but a cursor over the numbers of leaves: whoever has seen event `n` asks for
//! what came after it and misses nothing. Names are those of the moment at which it happened.

use serde::Deserialize;
use serde_json::{Map, Value};
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;

use crate::error::{Fault, FaultKind};
use crate::store::{LeafRow, Store};

/// Leaves that are read at once.
const PAGE: u32 = 1_000;

/// Which events somebody wants to see.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only of this task.
    pub task: Option<String>,
    /// Only by, from or to this party, by its name.
    pub party: Option<String>,
    /// Only of these types; none means any.
    pub kinds: Vec<EventType>,
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
    let corrupt = |column: &str, what: &str| {
        let message = format!("table `leaf`, row `{}`: column `{column}` {what}", row.n);
        Fault::new(FaultKind::Corrupt, message).hint("`tasuki log check` says more")
    };
    let unread = |column: &'static str| {
        move |error: serde_json::Error| corrupt(column, &format!("cannot be read: {error}"))
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
    let mut page = Page { events: Vec::new(), next: from };
    loop {
        let rows = store.leaves(project, page.next, PAGE).await?;
        if rows.is_empty() {
            return Ok(page);
        }
        for row in rows {
            if page.events.len() >= limit {
                return Ok(page);
            }
            page.next = row.n + 1;
            let event = event(&row)?;
            if filter.wants(&row, &event) {
                page.events.push(event);
            }
        }
    }
}

/// The last events that are wanted, at most `limit`, oldest first.
pub async fn last(
    store: &dyn Store,
    project: ProjectId,
    filter: &Filter,
    limit: usize,
) -> Result<Page, Fault> {
    let end = store.head(project).await?.map_or(0, |head| head.leaves);
    let mut events = Vec::new();
    let mut before = end;
    while before > 0 && events.len() < limit {
        let from = before.saturating_sub(u64::from(PAGE));
        let count = u32::try_from(before - from).unwrap_or(PAGE);
        let rows = store.leaves(project, from, count).await?;
        for row in rows.iter().rev().filter(|row| row.n < before) {
            let event = event(row)?;
            if events.len() < limit && filter.wants(row, &event) {
                events.push(event);
            }
        }
        before = from;
    }
    events.reverse();
    Ok(Page { events, next: end })
}

impl Filter {
    fn wants(&self, row: &LeafRow, event: &api::Event) -> bool {
        let is_task = |task: &String| event.task.as_ref() == Some(task);
        let is_party = |party: &String| {
            event.actor == *party || [&event.from, &event.to].contains(&&Some(party.clone()))
        };
        (self.kinds.is_empty() || self.kinds.contains(&row.kind))
            && self.task.as_ref().is_none_or(is_task)
            && self.party.as_ref().is_none_or(is_party)
    }
}
