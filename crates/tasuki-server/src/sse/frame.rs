//! The text of a stream: one event is a number, a type and a line of JSON.

use std::sync::Arc;

use axum::body::Bytes;

use crate::state::event_tail::TailedEvent;

/// How soon a browser reconnects.
const RETRY: &str = "retry: 1000\n";

/// Some events, in one piece.
pub(super) fn all<'a>(tailed: impl Iterator<Item = &'a Arc<TailedEvent>>) -> Bytes {
    let mut text = Vec::new();
    for one in tailed {
        text.extend_from_slice(&one.frame);
    }
    Bytes::from(text)
}

/// A keep-alive with the last id that was read: a reader reconnects with it, also if no event up to it
/// matched its filter.
pub(super) fn ping(next: u64) -> Bytes {
    Bytes::from(format!(": ping\n{}\n", last_id_before(next)))
}

/// The first frame, so that a reader knows that the stream is open, and where it begins.
pub(super) fn opening(next: u64) -> Bytes {
    Bytes::from(format!("{RETRY}{}\n", last_id_before(next)))
}

/// The same for a reader that saw events which the log does not have.
pub(super) fn opening_after_reset(leaves: u64) -> Bytes {
    // Before the first event there is no id to reconnect with, and the one that the reader has is of no use.
    let id = if leaves == 0 { "id\n".to_owned() } else { last_id_before(leaves) };
    Bytes::from(format!("{RETRY}\n{id}event: reset\ndata: {{\"leaves\":{leaves}}}\n\n"))
}

/// The id of the last event that was read. An id without data is no event, but a browser keeps it.
fn last_id_before(next: u64) -> String {
    next.checked_sub(1).map(|last| format!("id: {last}\n")).unwrap_or_default()
}
