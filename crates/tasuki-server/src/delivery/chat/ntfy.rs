//! Messages for a topic of ntfy.

use serde_json::json;
use tasuki_api::Secret;

use crate::delivery::notice::Notice;
use crate::delivery::webhook::HttpMessage;

/// LIMIT: bytes of a message. Longer ones become attachments.
const MESSAGE_BYTES_MAX: usize = 4_000;

/// The priority of ntfy for high risk.
const HIGH: u8 = 4;

/// The usual priority of ntfy.
const USUAL: u8 = 3;

/// Splits the URL of a topic. Messages as JSON are posted to the server, not to the topic.
pub(super) fn server_and_topic(url: &str) -> (&str, &str) {
    url.rsplit_once('/').unwrap_or((url, ""))
}

/// Returns a notice as a message of ntfy.
pub(super) fn message(notice: &Notice, topic: &str, token: Option<&Secret>) -> HttpMessage {
    let mut text = notice.text();
    if let Some(command) = &notice.command {
        text.push_str(&format!("\n{command}"));
    }
    text.truncate(text.floor_char_boundary(MESSAGE_BYTES_MAX));
    let body = json!({
        "topic": topic,
        "title": notice.title,
        "message": text,
        "priority": if notice.is_urgent { HIGH } else { USUAL },
        "click": notice.link,
        "actions": [{ "action": "view", "label": "Open", "url": notice.link }],
    });
    let bearer = token.map(|token| ("authorization", format!("Bearer {}", token.0)));
    HttpMessage { headers: bearer.into_iter().collect(), body: body.to_string() }
}

/// Returns `true` for the answer of ntfy to a posted message, which is the message with its id.
pub(super) fn confirms(response: &str) -> bool {
    response.starts_with('{') && response.contains("\"id\"")
}
