//! Texts other than packets: reasons, questions and actions, bounded and scanned for secrets.

use serde_json::Value;
use tasuki_packet::check::secrets;
use tasuki_packet::document::limits::NAME_CHARS_MAX;
use tasuki_packet::open::OpenedPacket;
use tasuki_packet::read::Source;
use tasuki_packet::write::StoredForms;
use tasuki_packet::{Code, Packet, Violation};

use crate::limits::REASON_CHARACTERS_MAX;
use crate::model::{Reason, Settings};
use crate::refusal::{Refusal, RefusalCode};

/// Validates a reason.
pub(crate) fn reason(text: Option<&str>, settings: &Settings) -> Result<Reason, Refusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(Reason::default());
    };
    let characters = text.chars().count();
    if characters > REASON_CHARACTERS_MAX {
        let message =
            format!("the text has {characters} characters, the limit is {REASON_CHARACTERS_MAX}");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("put long texts into a checkpoint or an artifact"));
    }
    let mut value = Value::from(text);
    let redacted_count = without_secrets(&mut value, settings)?;
    Ok(Reason { text: value.as_str().map(str::to_owned), redacted_count })
}

/// Parses a JSON document other than a packet, within the limits of a packet.
pub(crate) fn document(what: &str, source: &[u8]) -> Result<Value, Refusal> {
    let read = Source::json(source).and_then(|source| Ok(source.read_plain()?.to_value()));
    read.map_err(|violation| {
        Refusal::new(RefusalCode::DocumentInvalid, format!("the {what} cannot be parsed"))
            .hint("use JSON within the limits of a packet, and put large content into an artifact")
            .with(vec![violation])
    })
}

/// Refuses a value that exceeds the limits of a packet.
pub(crate) fn within_limits(what: &str, value: &Value) -> Result<(), Refusal> {
    document(what, value.to_string().as_bytes()).map(drop)
}

/// Refuses or redacts secrets, as the project is configured. Returns the number of redactions.
pub(crate) fn without_secrets(value: &mut Value, settings: &Settings) -> Result<usize, Refusal> {
    if settings.redacts_secrets {
        return Ok(secrets::redact(value).len());
    }
    must_have_no_secrets(value).map(|()| 0)
}

/// Refuses a document that contains a secret, even if the project redacts secrets.
pub(crate) fn must_have_no_secrets(value: &Value) -> Result<(), Refusal> {
    let found = secrets::scan(value);
    if found.is_empty() {
        return Ok(());
    }
    Err(secret(found.iter().map(Violation::from).collect()))
}

/// Returns the note about redacted secrets.
pub fn redaction_note(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 secret was redacted; rotate it".to_owned()),
        _ => Some(format!("{count} secrets were redacted; rotate them")),
    }
}

/// Returns the refusal of a document that was to be published.
pub(crate) fn unpublishable(what: &str, violations: Vec<Violation>) -> Refusal {
    Refusal { code: RefusalCode::DocumentInvalid, ..invalid(what, violations) }
        .hint("each violation gives its position in the document")
}

/// Returns the refusal of a secret, of which nothing is stored.
pub(crate) fn secret(violations: Vec<Violation>) -> Refusal {
    Refusal::new(RefusalCode::SecretFound, "the text contains what looks like a secret")
        .hint("pass a reference (`secret_ref`) instead of the value, and rotate the secret")
        .with(violations)
}

/// Refuses a packet that contains a secret, or redacts the secret, as the project is configured.
///
/// Returns `true` if there was one. A refusal lists every other violation as well.
pub(crate) fn packet_without_secrets(
    settings: &Settings,
    opened: &mut OpenedPacket,
    written: &mut StoredForms,
    notes: &mut Vec<String>,
) -> Result<bool, Refusal> {
    if !opened.has_secrets {
        return Ok(false);
    }
    if !settings.redacts_secrets {
        return Err(secret(std::mem::take(&mut opened.violations)));
    }
    let mut value = opened.packet.to_value();
    let found = secrets::redact(&mut value);
    opened.violations.retain(|violation| violation.code != Code::SecretFound);
    if let Value::Object(members) = value {
        *written = StoredForms::of(&members);
        opened.packet = Packet::new(members);
    }
    notes.extend(redaction_note(found.len()));
    Ok(true)
}

/// Returns the refusal of a document with violations.
pub(crate) fn invalid(what: &str, violations: Vec<Violation>) -> Refusal {
    let count = violations.len();
    let word = if count == 1 { "violation" } else { "violations" };
    Refusal::new(RefusalCode::PacketInvalid, format!("the {what} has {count} {word}"))
        .with(violations)
}

/// Validates the name of a packet field.
pub(crate) fn name(name: Option<&str>, settings: &Settings) -> Result<Option<String>, Refusal> {
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    let characters = name.chars().count();
    if characters > NAME_CHARS_MAX {
        let message =
            format!("the name has {characters} characters, the limit is {NAME_CHARS_MAX}");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("use the name of one packet field, such as `acceptance`"));
    }
    Ok(reason(Some(name), settings)?.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(refusal: &Refusal) -> String {
        format!("{}\nhint: {}", refusal.message, refusal.hint.as_deref().unwrap_or("-"))
    }

    #[test]
    fn a_reason_is_trimmed_and_bounded() {
        let settings = Settings::default();
        let text = |text: &str| reason(Some(text), &settings).map(|reason| reason.text);
        assert_eq!(reason(None, &settings).unwrap().text, None);
        assert_eq!(text(" \n ").unwrap(), None);
        assert_eq!(text(" because \n").unwrap().as_deref(), Some("because"));
        assert!(text(&"é".repeat(REASON_CHARACTERS_MAX)).is_ok());
        let long = text(&"é".repeat(REASON_CHARACTERS_MAX + 1)).unwrap_err();
        insta::assert_snapshot!(describe(&long), @"
        the text has 4001 characters, the limit is 4000
        hint: put long texts into a checkpoint or an artifact
        ");
    }

    #[test]
    fn documents_with_secrets_are_refused_or_redacted() {
        let secret = format!("{}{}", "ghp_", "R7xQ2mZ9bLw4Kc8Vt1Ny6Ps3Hd5Gf0JaWkXo");
        let document = serde_json::json!({"run": format!("curl -H {secret}")});
        let mut refused = document.clone();
        let settings = Settings::default();
        let refusal = without_secrets(&mut refused, &settings).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::SecretFound);
        assert!(!format!("{refusal:?}").contains(&secret));
        let settings = Settings { redacts_secrets: true, ..Settings::default() };
        let mut cleaned = document;
        assert_eq!(without_secrets(&mut cleaned, &settings).unwrap(), 1);
        assert_eq!(cleaned["run"], "curl -H [redacted: GitHub token]");
        assert_eq!(without_secrets(&mut cleaned, &settings).unwrap(), 0);
    }
}
