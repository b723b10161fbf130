//! Reads the first request of a person from the transcript of a session.
//!
//! Hosts write one JSON object per line, or one object with a list of messages. Their formats are
//! not documented, so only what looks like a message of the user is taken.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

/// LIMIT: bytes of a transcript that are read; the first request is at its beginning.
const BYTES_MAX: u64 = 512 * 1_024;

/// Returns the first request of the user.
pub(super) fn first_request(path: &Path) -> Option<String> {
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let whole = serde_json::from_str::<Value>(&text).ok();
    let listed = whole.as_ref().and_then(|whole| whole.get("messages")?.as_array());
    let listed = listed.into_iter().flatten().cloned();
    lines.chain(listed).find_map(|message| request(&message))
}

/// Returns the text of a message of the user. What a host adds by itself is in angle brackets.
fn request(message: &Value) -> Option<String> {
    let inner = message.get("message").or(message.get("payload")).unwrap_or(message);
    let word = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let author = word(inner, "role").or_else(|| word(message, "type"))?;
    let text = text_of(inner.get("content")?)?;
    let is_typed = author == "user" && !text.trim().is_empty() && !text.trim().starts_with('<');
    is_typed.then_some(text)
}

fn text_of(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?.iter();
    let texts: Vec<&str> = parts.filter_map(|part| part.get("text")?.as_str()).collect();
    Some(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    #[test]
    fn the_first_request_of_a_person_is_found_in_the_transcript_of_every_host() {
        let check = |text: &str| {
            let temp_dir = TempDir::new().with("t.jsonl", text);
            assert_eq!(first_request(&temp_dir.path("t.jsonl")).as_deref(), Some("Port it"));
        };
        check(
            "{\"type\":\"summary\"}\nnot json\n\
             {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"<command-name>x\"}}\n\
             {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Port it\"}}\n",
        );
        check(
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\
             \"content\":[{\"type\":\"input_text\",\"text\":\"<environment_context>\"}]}}\n\
             {\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\
             \"content\":[{\"type\":\"input_text\",\"text\":\"Port it\"}]}}\n",
        );
        check(
            "{\n \"sessionId\": \"s\",\n \"messages\": [\n  {\"type\": \"gemini\", \
             \"content\": \"Hi\"},\n  {\"type\": \"user\",\n \"content\": \"Port it\"}\n ]\n}",
        );
        assert_eq!(first_request(Path::new("/none")), None);
    }
}
