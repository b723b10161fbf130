//! Pages of lists of handoffs, with a bound on the rows that are looked at.
//!
//! A list by states has indexes, and costs as much as there are handoffs in those states. If these are
//! few, all of them are looked at. If they are many, the list goes through the ids in their order, one
//! window per request, and a page ends with its window.

use crate::error::Fault;
use crate::limits::ROWS_PER_READ;
use crate::model::{Handoff, StateWord};
use crate::ports::{Counts, Extent, Order, Query, Store};
use tasuki_packet::id::{HandoffId, ProjectId};

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The handoffs.
    pub found: Vec<Handoff>,
    /// The handoff to continue after, if there may be more.
    pub next: Option<HandoffId>,
}

/// Returns at most `query.limit` handoffs, in the order of ids.
pub async fn page(store: &dyn Store, project: ProjectId, query: Query) -> Result<Page, Fault> {
    page_within(store, project, query, ROWS_PER_READ).await
}

/// Returns a page that looks at so many rows at most.
pub async fn page_within(
    store: &dyn Store,
    project: ProjectId,
    mut query: Query,
    rows: u32,
) -> Result<Page, Fault> {
    let is_newest_first = query.order != Order::Oldest;
    let is_long = query.task.is_none()
        && candidates(&store.counts(project).await?, &query.states) > u64::from(rows);
    let until = if is_long {
        store.handoff_at(project, query.after, is_newest_first, rows).await?
    } else {
        None
    };
    if is_long {
        query.extent = Extent::Until(until);
    }
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    query.limit = query.limit.saturating_add(1);
    let mut found = store.handoffs(project, query).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = if has_more { found.last().map(|last| last.id) } else { until };
    Ok(Page { found, next })
}

/// Returns the number of handoffs in these states; no state is all.
fn candidates(counts: &Counts, states: &[StateWord]) -> u64 {
    let is_asked = |state: &StateWord| states.is_empty() || states.contains(state);
    counts.states.iter().filter(|(state, _)| is_asked(state)).map(|(_, count)| count).sum()
}
