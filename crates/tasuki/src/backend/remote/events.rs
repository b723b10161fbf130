//! Pages of events from a server.

use tasuki_client::{Events, Filter as Wanted};
use tasuki_engine::model::Filter;
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
        filter: &Filter,
        limit: u32,
    ) -> Result<Page, Failure> {
        let EventRange { since, to } = range;
        let asked = Events { since, to, filter: to_client_filter(filter), limit: Some(limit) };
        let page = self.client.events(&asked).map_err(client_failure)?;
        // The server names the last event of the page; `Page` names the next one.
        let seen: Option<u64> = page.next.and_then(|seen| seen.parse().ok());
        Ok(Page { events: page.items, next: seen.map_or(0, |seen| seen + 1) })
    }
}

/// Converts a filter to that of the client.
pub(super) fn to_client_filter(filter: &Filter) -> Wanted {
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
