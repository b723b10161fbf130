//! What waits for the caller, what happened, what can be found.

use std::time::Duration;

use serde_json::Value;
use tasuki_api as api;

use crate::ask::{Events, Filter};
use crate::client::Client;
use crate::error::Error;
use crate::gives::{Found, Page};
use crate::stream::Stream;

impl Client {
    /// What waits for the caller, most urgent first; the next page begins at `next` of this one. With a
    /// wait, it answers as soon as something does, or after it.
    pub fn inbox(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        wait: Duration,
    ) -> Result<api::Inbox, Error> {
        self.get("/v1/inbox").with("limit", limit).with("cursor", cursor).wait(wait).document()
    }

    /// What happened, oldest first. The next page begins after the event that this one names.
    pub fn events(&self, asked: &Events) -> Result<Page<api::Event>, Error> {
        self.get("/v1/events")
            .with("since", asked.since)
            .with("to", asked.to)
            .filter(&asked.filter)
            .with("limit", asked.limit)
            .document()
    }

    /// Events as they happen, from a number on; without one, from now on. The connection is there when
    /// this answers, and is made again by itself whenever it is lost.
    pub fn follow(&self, filter: &Filter, from: Option<u64>) -> Result<Stream, Error> {
        let from = match from {
            Some(from) => from,
            None => self.next_event()?,
        };
        Stream::open(self.clone(), filter.clone(), from)
    }

    /// The number that the next event will have.
    fn next_event(&self) -> Result<u64, Error> {
        let last = self.events(&Events { limit: Some(1), ..Events::default() })?;
        let seen: Option<u64> = last.next.and_then(|seen| seen.parse().ok());
        Ok(seen.map_or(0, |seen| seen + 1))
    }

    /// Finds packets and events by words, newest first.
    pub fn search(
        &self,
        words: &str,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<Found>, Error> {
        let asked = self.get("/v1/search").with("q", Some(words));
        asked.with("cursor", cursor).with("limit", limit).document()
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
