//! Events of a server: pages of them.

use tasuki_client::{Events, Filter as Wanted};
use tasuki_engine::events::{Filter, Page};

use super::server::There;
use crate::backend::problem::failed;
use crate::exit::Failure;

/// Between which events.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Range {
    /// After this one; without it, the last ones.
    pub(super) since: Option<u64>,
    /// Before this one.
    pub(super) to: Option<u64>,
}

impl There {
    /// One page of events.
    pub(super) fn page(&self, range: Range, filter: &Filter, limit: u32) -> Result<Page, Failure> {
        let Range { since, to } = range;
        let asked = Events { since, to, filter: wanted(filter), limit: Some(limit) };
        let page = self.client.events(&asked).map_err(failed)?;
        // The page names the last event that was looked at; ours, the first that was not.
        let seen: Option<u64> = page.next.and_then(|seen| seen.parse().ok());
        Ok(Page { events: page.items, next: seen.map_or(0, |seen| seen + 1) })
    }
}

/// A filter as a server is told it.
pub(super) fn wanted(filter: &Filter) -> Wanted {
    let Filter {
        kinds,
        task,
        party,
        handoff,
        sender,
        receiver,
        contract,
        state,
        actor,
        before,
        trigger,
        risk,
        reason,
        earliest,
        latest,
    } = filter.clone();
    Wanted {
        kinds: kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        task,
        handoff,
        party,
        sender,
        receiver,
        actor,
        contract,
        state,
        before,
        trigger,
        risk,
        reason,
        earliest,
        latest,
    }
}
