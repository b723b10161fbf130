//! The text of a stream: one event is a number, a type and a line of JSON.

use std::sync::Arc;

use axum::body::Bytes;
use tasuki_packet::api;

use super::tail::Told;

/// How soon a browser comes back that was cut off.
const RETRY: &str = "retry: 1000\n\n";

/// One event.
pub(super) fn event(event: &api::Event) -> Bytes {
    // JSON has no line break of its own, so it is one line of data.
    let data = serde_json::to_string(event).unwrap_or_default();
    Bytes::from(format!("id: {}\nevent: {}\ndata: {data}\n\n", event.n, event.kind))
}

/// Some events, in one piece.
pub(super) fn all<'a>(told: impl Iterator<Item = &'a Arc<Told>>) -> Bytes {
    let mut text = Vec::new();
    for one in told {
        text.extend_from_slice(&one.frame);
    }
    Bytes::from(text)
}

/// A line that every reader passes over.
pub(super) fn ping() -> Bytes {
    Bytes::from_static(b": ping\n\n")
}

/// What comes first, so that a reader knows that somebody is there.
pub(super) fn opening() -> Bytes {
    Bytes::from_static(RETRY.as_bytes())
}

/// The same for a reader that saw events which the log does not have.
pub(super) fn opening_after_reset(leaves: u64) -> Bytes {
    // Before the first event there is no id to come back with.
    let id = leaves.checked_sub(1).map_or_else(|| "id".to_owned(), |last| format!("id: {last}"));
    Bytes::from(format!("{RETRY}{id}\nevent: reset\ndata: {{\"leaves\":{leaves}}}\n\n"))
}
