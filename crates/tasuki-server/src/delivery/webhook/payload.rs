//! The body of a webhook: the event and its handoff, never the content of a packet.

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::model::SigningSecret;
use tasuki_packet::id::ProjectId;

use super::send::HttpMessage;
use super::signature;

/// A webhook message. Its id is the same for every attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: String,
}

/// Returns a message as a signed request.
pub(crate) fn signed(message: &Message, secrets: &[&SigningSecret], now: Timestamp) -> HttpMessage {
    let seconds = now.as_second();
    let signature = signature::header(secrets, &message.id, seconds, message.body.as_bytes());
    let headers = vec![
        ("webhook-id", message.id.clone()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signature),
    ];
    HttpMessage { headers, body: message.body.clone() }
}

/// Returns the message of an event. It contains the reason of the event, unless the work is
/// confidential; an authorized receiver can then fetch it.
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

/// Returns a message that tests delivery.
pub(crate) fn ping(project: ProjectId, subscription: &str, now: Timestamp, nonce: &str) -> Message {
    let body = json!({
        "type": "ping",
        "timestamp": format!("{now:.6}"),
        "data": { "project": project, "subscription": subscription },
    });
    Message { id: format!("{project}:ping:{nonce}"), body: body.to_string() }
}
