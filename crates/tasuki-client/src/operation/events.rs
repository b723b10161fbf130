//! What waits for the caller, what happened, what can be found.

use std::time::Duration;

use serde_json::Value;
use tasuki_packet::api;

use crate::ask::Events;
use crate::client::Client;
use crate::error::Error;
use crate::gives::{Found, Page};

impl Client {
    /// What waits for the caller. With a wait, it answers as soon as something does, or after it.
    pub fn inbox(&self, limit: Option<u32>, wait: Duration) -> Result<api::Inbox, Error> {
        self.get("/v1/inbox").with("limit", limit).wait(wait).document()
    }

    /// What happened, oldest first. The next page begins after the event that this one names.
    pub fn events(&self, asked: &Events) -> Result<Page<api::Event>, Error> {
        let kinds = (!asked.kinds.is_empty()).then(|| asked.kinds.join(","));
        self.get("/v1/events")
            .with("since", asked.since)
            .with("task", asked.task.as_ref())
            .with("party", asked.party.as_ref())
            .with("type", kinds)
            .with("limit", asked.limit)
            .document()
    }

    /// Finds packets and events by words, newest first.
    pub fn search(&self, words: &str, limit: Option<u32>) -> Result<Vec<Found>, Error> {
        let page: Page<Found> =
            self.get("/v1/search").with("q", Some(words)).with("limit", limit).document()?;
        Ok(page.items)
    }

    /// Where work waits, edge by edge.
    pub fn stats(&self) -> Result<Vec<Value>, Error> {
        let page: Page<Value> = self.get("/v1/stats").document()?;
        Ok(page.items)
    }

    /// What people decided, with the packet that was shown.
    pub fn decisions(&self, cursor: Option<&str>) -> Result<Page<Value>, Error> {
        self.get("/v1/decisions").with("cursor", cursor).document()
    }
}
