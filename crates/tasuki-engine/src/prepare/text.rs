//! Texts that are no packets: reasons, questions, actions. Bounded and scanned for secrets.

use serde_json::Value;
use tasuki_packet::{Violation, secrets};

use crate::directory::Settings;
use crate::limits::{KEY_CHARACTERS_MAX, REASON_CHARACTERS_MAX};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};

/// A reason that may be stored and logged.
pub(super) fn reason(text: Option<&str>, settings: &Settings) -> Result<Reason, Refusal> {
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
    without_secrets(&mut value, settings)?;
    Ok(Reason { text: value.as_str().map(str::to_owned) })
}

/// Refuses a document with a secret in it, or cuts the secret out, as the project wants.
pub(super) fn without_secrets(value: &mut Value, settings: &Settings) -> Result<bool, Refusal> {
    if settings.redacts_secrets {
        return Ok(!secrets::redact(value).is_empty());
    }
    let found = secrets::scan(value);
    if found.is_empty() {
        return Ok(false);
    }
    Err(secret(found.iter().map(Violation::from).collect()))
}

/// The refusal of a secret: nothing of it is stored.
pub(super) fn secret(violations: Vec<Violation>) -> Refusal {
    Refusal::new(RefusalCode::SecretFound, "the text holds what looks like a secret")
        .hint("pass a reference (`secret_ref`) instead of the value, and rotate the secret")
        .with(violations)
}

/// A key of the caller's own.
pub(super) fn key(key: Option<&str>) -> Result<(), Refusal> {
    let Some(key) = key else { return Ok(()) };
    let is_key = !key.is_empty()
        && key.chars().count() <= KEY_CHARACTERS_MAX
        && key.chars().all(|c| c.is_ascii_graphic());
    if is_key {
        return Ok(());
    }
    let message = format!("a key is 1 to {KEY_CHARACTERS_MAX} visible ASCII characters");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message))
}
