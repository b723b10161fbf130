//! The frames of a stream: an event is a number, a type and a line of JSON.

use std::sync::Arc;

use axum::body::Bytes;

use crate::state::event_tail::TailedEvent;

/// The reconnection delay of browsers.
const RETRY: &str = "retry: 1000\n";

/// Joins the frames of several events.
pub(super) fn all<'a>(tailed: impl Iterator<Item = &'a Arc<TailedEvent>>) -> Bytes {
    let mut text = Vec::new();
    for one in tailed {
        text.extend_from_slice(&one.frame);
    }
    Bytes::from(text)
}

/// Returns a keep-alive with the last id that was read. A reader reconnects with it even if no
/// event up to it matched its filter.
pub(super) fn ping(next: u64) -> Bytes {
    Bytes::from(format!(": ping\n{}\n", last_id_before(next)))
}

/// Returns the first frame, which confirms that the stream is open and where it starts.
pub(super) fn opening(next: u64) -> Bytes {
    Bytes::from(format!("{RETRY}{}\n", last_id_before(next)))
}

/// Returns the first frame for a reader whose last event is not in the log.
pub(super) fn opening_after_reset(leaves: u64) -> Bytes {
    // An empty log has no id to reconnect with, and the id of the reader is invalid.
    let id = if leaves == 0 { "id\n".to_owned() } else { last_id_before(leaves) };
    Bytes::from(format!("{RETRY}\n{id}event: reset\ndata: {{\"leaves\":{leaves}}}\n\n"))
}

/// Returns the id of the last event that was read. An id without data is no event, but browsers
/// keep it.
fn last_id_before(next: u64) -> String {
    next.checked_sub(1).map(|last| format!("id: {last}\n")).unwrap_or_default()
}
