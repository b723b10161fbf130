//! The inbox, events, search, statistics and decisions.

use std::time::Duration;

use tasuki_api::{
    AcknowledgeRequest, Acknowledged, DecisionRecord, EdgeStats, Event, EventFilter,
    FailureReference, Inbox, Overview, Page, SearchHit,
};

use crate::client::Client;
use crate::error::Error;
use crate::stream::EventStream;

/// The range and the filter of a list of events.
#[derive(Debug, Clone, Default)]
pub struct EventQuery {
    /// The event after which the page begins. Without it, the page has the last events.
    pub since: Option<u64>,
    /// The event before which the page ends.
    pub to: Option<u64>,
    /// The filter.
    pub filter: EventFilter,
    /// The most events on the page.
    pub limit: Option<u32>,
}

impl Client {
    /// Returns the handoffs that wait for the caller, most urgent first.
    ///
    /// With a wait, the server responds as soon as there is something new, or when the wait is over.
    pub fn inbox(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        wait: Duration,
    ) -> Result<Inbox, Error> {
        self.get("/v1/inbox").with("limit", limit).with("cursor", cursor).wait(wait).document()
    }

    /// Acknowledges failures in the caller's inbox. A failure that is over is not counted.
    pub fn acknowledge(&self, failures: Vec<FailureReference>) -> Result<Acknowledged, Error> {
        let request = self.post("/v1/inbox/ack").without_retry();
        request.json(&AcknowledgeRequest { failures }).document()
    }

    /// Lists events, oldest first. `next` of the page is the number of the last event it covers. With
    /// `more`, further events may match behind it, or before `earlier`.
    pub fn events(&self, query: &EventQuery) -> Result<Page<Event>, Error> {
        self.get("/v1/events")
            .with("since", query.since)
            .with("to", query.to)
            .filter(&query.filter)
            .with("limit", query.limit)
            .document()
    }

    /// Follows events from a number on, or from now on.
    ///
    /// The stream is connected when this returns. It reconnects after a lost connection.
    pub fn follow(&self, filter: &EventFilter, from: Option<u64>) -> Result<EventStream, Error> {
        let from = match from {
            Some(from) => from,
            None => self.next_event()?,
        };
        EventStream::open(self.clone(), filter.clone(), from)
    }

    /// Returns the number of the next event.
    fn next_event(&self) -> Result<u64, Error> {
        let last = self.events(&EventQuery { limit: Some(1), ..EventQuery::default() })?;
        let seen: Option<u64> = last.next.and_then(|seen| seen.parse().ok());
        Ok(seen.map_or(0, |seen| seen + 1))
    }

    /// Searches packets and events, newest first.
    pub fn search(
        &self,
        words: &str,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<SearchHit>, Error> {
        let request = self.get("/v1/search").with("q", Some(words));
        request.with("cursor", cursor).with("limit", limit).document()
    }

    /// Returns the statistics of every edge.
    pub fn stats(&self) -> Result<Vec<EdgeStats>, Error> {
        // One request looks at a part of the log; the server goes on with the next one.
        let mut cursor: Option<String> = None;
        loop {
            let asked = self.get("/v1/stats").with("cursor", cursor.as_deref());
            let page: Page<EdgeStats> = asked.document()?;
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(page.items),
            }
        }
    }

    /// Returns the last hours of the project: the events of each hour, and how long work waited.
    pub fn overview(&self, hours: u32) -> Result<Overview, Error> {
        self.get("/v1/overview").with("hours", Some(hours)).document()
    }

    /// Lists the decisions of people, with the packets that they saw.
    pub fn decisions(&self, cursor: Option<&str>) -> Result<Page<DecisionRecord>, Error> {
        self.get("/v1/decisions").with("cursor", cursor).document()
    }
}
