//! Pages of events from a server.

use tasuki_client::EventQuery;
use tasuki_engine::model::EventFilter;
use tasuki_engine::query::events::Page;

use super::server::RemoteBackend;
use crate::backend::problem::client_failure;
use crate::exit::Failure;

/// The bounds of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventRange {
    /// The event before the first; without it, the page has the last events.
    pub(super) since: Option<u64>,
    /// The event after the last.
    pub(super) to: Option<u64>,
}

impl RemoteBackend {
    /// Fetches one page of events.
    pub(super) fn page(
        &self,
        range: EventRange,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Page, Failure> {
        let EventRange { since, to } = range;
        let asked = EventQuery { since, to, filter: filter.clone(), limit: Some(limit) };
        let page = self.client.events(&asked).map_err(client_failure)?;
        // The server names the last event of the page; `Page` names the next one.
        let seen: Option<u64> = page.next.and_then(|seen| seen.parse().ok());
        let next = seen.map_or(0, |seen| seen + 1);
        Ok(Page { events: page.items, next, is_cut: page.more, earlier: page.earlier })
    }
}
