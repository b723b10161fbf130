//! Streams of events: `text/event-stream` over a cursor.
//!
//! A stream is a cursor and a filter. It sends the events after the cursor and waits for more. A
//! slow reader therefore costs only its cursor, and a reader that reconnects with its last id
//! misses nothing and sees nothing twice.

mod body;
mod frame;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use body::StreamBody;
use tasuki_api as api;
use tasuki_engine::model::EventFilter;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::auth::authenticate;
use crate::extract::request_context::RequestContext;
use crate::operation::Operation;
use crate::respond::problem::Problem;
use crate::state::event_tail::{EventTail, TailedEvent};

pub(crate) const MEDIA: &str = "text/event-stream";

/// The interval between authorization checks of a listener. Together with the TTL of the policy
/// cache it is one second.
const REAUTHORIZE_AFTER: Duration = Duration::from_millis(500);

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Returns `true` if the caller accepts a stream.
pub(crate) fn is_requested(headers: &HeaderMap) -> bool {
    let sent = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|text| text.split(','))
        .any(|one| one.split(';').next().is_some_and(|media| media.trim() == MEDIA))
}

/// Returns the number of the last event that a reconnecting caller saw.
pub(crate) fn last_seen(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(sent) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let number = sent.to_str().ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| {
        Problem::argument("`Last-Event-ID` must be an event number")
            .hint("send the `id` of the last event you received")
    })
}

/// Streams the matching events from an event number on; without a number, only new ones.
pub(crate) async fn respond(
    context: RequestContext,
    operation: &'static Operation,
    headers: HeaderMap,
    filter: EventFilter,
    from: Option<u64>,
) -> Result<Response, Problem> {
    let end = context.engine().head(context.project()).await?.leaves;
    let from = from.unwrap_or(end);
    // The caller saw more events than the log has, so the log was restored since.
    let opening = if from > end { frame::opening_after_reset(end) } else { frame::opening(from) };
    let now = Instant::now();
    let stream = Stream {
        changes: context.app.change_watch.listen(context.project()),
        stopping: context.app.stopping.subscribe(),
        tail: context.app.event_tails.of(context.project()),
        filter,
        from: from.min(end),
        opening: Some(opening),
        ping_at: now + context.app.settings.ping,
        trusted_until: now + REAUTHORIZE_AFTER,
        context,
        operation,
        headers,
    };
    let mut response = Body::new(StreamBody::new(stream)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    Ok(response)
}

struct Stream {
    context: RequestContext,
    /// The operation that the listener must still be authorized for.
    operation: &'static Operation,
    /// The headers of the request, with its credential.
    headers: HeaderMap,
    changes: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    tail: Arc<EventTail>,
    filter: EventFilter,
    /// The first unread event.
    from: u64,
    opening: Option<Bytes>,
    ping_at: Instant,
    trusted_until: Instant,
}

impl Stream {
    /// Returns the next bytes once there are any; `None` at the end.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        if let Some(opening) = self.opening.take() {
            return Some((opening, self));
        }
        loop {
            self.changes.mark_unchanged();
            if !self.is_authorized().await {
                return None;
            }
            let tailed = self.read().await?;
            if let Some(last) = tailed.last() {
                self.from = last.event.n + 1;
                let bytes = frame::all(tailed.iter().filter(|one| self.wants(&one.event)));
                if !bytes.is_empty() {
                    self.ping_later();
                    return Some((bytes, self));
                }
            } else {
                tokio::select! {
                    changed = timeout_at(self.ping_at, self.changes.changed()) => {
                        if let Ok(changed) = changed {
                            changed.ok()?;
                            continue;
                        }
                    }
                    _ = self.stopping.wait_for(|is_stopping| *is_stopping) => return None,
                }
            }
            if Instant::now() >= self.ping_at {
                self.ping_later();
                return Some((frame::ping(self.from), self));
            }
        }
    }

    fn ping_later(&mut self) {
        self.ping_at = Instant::now() + self.context.app.settings.ping;
    }

    fn wants(&self, event: &api::Event) -> bool {
        self.filter.wants(event)
    }

    /// Reads the next events. A listener that has read too many rows waits until it may read on.
    async fn read(&self) -> Option<Vec<Arc<TailedEvent>>> {
        let RequestContext { app, caller, .. } = &self.context;
        let (credential, project, from) = (caller.rate_key(), caller.project, self.from);
        if let Some(kept) = self.tail.kept(from).await {
            return Some(kept);
        }
        if let Some(wait) = app.limits.rows_wait(&credential, project) {
            let mut stopping = self.stopping.clone();
            tokio::select! {
                () = sleep(wait) => {}
                _ = stopping.wait_for(|is_stopping| *is_stopping) => return None,
            }
        }
        let (tail, engine) = (Arc::clone(&self.tail), app.engine.clone());
        let read = app
            .readers
            .run(project, async move { tail.read(engine.store().as_ref(), project, from).await });
        let read = match read.await {
            Ok((read, rows)) => {
                app.limits.charge_rows(&credential, project, rows);
                read
            }
            Err(fault) => Err(fault),
        };
        read.inspect_err(|fault| tracing::warn!(%fault, "event stream failed")).ok()
    }

    /// Returns `true` if the listener is still authorized. A token can be revoked and a session can
    /// expire.
    async fn is_authorized(&mut self) -> bool {
        let now = Instant::now();
        if now < self.trusted_until {
            return true;
        }
        self.trusted_until = now + REAUTHORIZE_AFTER;
        let RequestContext { app, client, .. } = &self.context;
        authenticate::reauthorize(app, *client, self.operation, &self.headers).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_returned_if_the_caller_accepts_one() {
        let asks = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            is_requested(&headers)
        };
        assert!(asks("text/event-stream"));
        assert!(asks("application/json;q=0.5, text/event-stream;q=1"));
        assert!(!asks("*/*"));
        assert!(!is_requested(&HeaderMap::new()));
    }

    #[test]
    fn the_last_id_is_a_number_or_nothing() {
        let seen = |id: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(LAST_EVENT_ID, HeaderValue::from_static(id));
            last_seen(&headers).ok()
        };
        assert_eq!(seen("12"), Some(Some(12)));
        assert_eq!(seen(""), Some(None));
        assert_eq!(seen("twelve"), None);
        assert_eq!(last_seen(&HeaderMap::new()).ok(), Some(None));
    }
}
