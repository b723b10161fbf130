//! What a webhook says: what happened to which handoff, and never what is in a packet.

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_packet::id::ProjectId;

/// What is sent, with the id that stays the same however often it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: String,
}

/// The message of an event. The words that somebody gave as a reason go along, unless the work is
/// confidential: then whoever may read them asks for them.
pub(crate) fn of_event(project: ProjectId, event: &api::Event, is_confidential: bool) -> Message {
    let mut data = serde_json::to_value(event).unwrap_or_default();
    if let Value::Object(members) = &mut data {
        if is_confidential {
            members.shift_remove("reason");
        }
        members.insert("project".to_owned(), json!(project));
    }
    let body = json!({ "type": event.kind, "timestamp": data["at"], "data": data });
    Message { id: format!("{project}:{}", event.n), body: body.to_string() }
}

/// A message that says nothing but that messages arrive.
pub(crate) fn ping(project: ProjectId, subscription: &str, now: Timestamp, nonce: &str) -> Message {
    let body = json!({
        "type": "ping",
        "timestamp": format!("{now:.6}"),
        "data": { "project": project, "subscription": subscription },
    });
    Message { id: format!("{project}:ping:{nonce}"), body: body.to_string() }
}
