//! Messages for an incoming webhook of Slack.

use serde_json::json;

use crate::delivery::notice::Notice;
use crate::delivery::webhook::HttpMessage;

/// Returns a notice as a message of Slack. Text of other parties is plain text there: it can be no
/// link and mention no one.
pub(super) fn message(notice: &Notice) -> HttpMessage {
    let mut links = format!("<{}|Open in Tasuki>", notice.link);
    if let Some(command) = &notice.command {
        links.push_str(&format!("\nor run `{command}`"));
    }
    let text = |kind: &str, text: &str| json!({ "type": "section", "text": { "type": kind, "text": text } });
    let body = json!({
        "text": escaped(&notice.title),
        "mrkdwn": false,
        "blocks": [text("plain_text", &escaped(&notice.text())), text("mrkdwn", &links)],
    });
    HttpMessage { headers: Vec::new(), body: body.to_string() }
}

/// Returns `true` for the answer of Slack to a posted message.
pub(super) fn confirms(response: &str) -> bool {
    response.trim() == "ok"
}

/// Escapes the characters that begin links and mentions.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
