//! Events of a server: pages of them.

use tasuki_client::{Events, Filter as Wanted};
use tasuki_engine::events::{Filter, Page};

use super::failure::failed;
use super::server::There;
use crate::exit::Failure;

impl There {
    /// One page after an event, or the last one.
    pub(super) fn page(
        &self,
        since: Option<u64>,
        filter: &Filter,
        limit: u32,
    ) -> Result<Page, Failure> {
        let asked = Events { since, filter: wanted(filter), limit: Some(limit) };
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
        trigger,
        risk,
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
        trigger,
        risk,
    }
}
