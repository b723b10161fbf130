//! Idempotency: the same key and the same request give the same response.
//!
//! A key is scoped by caller and command, and bound to one digest: that of the request as the caller
//! sent it. Using the key for another request is refused. The records are written in the same
//! transaction as the command, so that two identical requests cannot both run.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use tasuki_api as api;
use tasuki_packet::canonical;
use tasuki_packet::id::PartyId;

use crate::limits::KEY_CHARACTERS_MAX;
use crate::refusal::{Refusal, RefusalCode};

/// The idempotency key of a request, and the digest that it is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The key.
    pub key: String,
    /// The digest of the original request, if the command is built from lookups that may give
    /// another result the next time. Without it, the key is bound to the digest of the command.
    pub digest: Option<String>,
}

/// An idempotency key with its scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey {
    /// The caller.
    pub party: PartyId,
    /// The command.
    pub command: &'static str,
    /// The key.
    pub key: String,
}

/// The recorded response to a command with a key.
#[derive(Debug, Clone, PartialEq)]
pub struct IdempotencyRecord {
    /// The digest of the request.
    pub digest: String,
    /// The response.
    pub answer: api::CommandResponse,
    /// When the record expires; never for a submit.
    pub until: Option<Timestamp>,
}

impl From<String> for RequestKey {
    fn from(key: String) -> Self {
        Self { key, digest: None }
    }
}

impl IdempotencyRecord {
    /// Returns `true` if the record has not expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Returns the recorded response, marked as repeated, to a request with this digest.
    ///
    /// # Errors
    ///
    /// If the key was used for another request.
    pub fn replay(&self, digest: &str) -> Result<api::CommandResponse, Refusal> {
        if self.digest == digest {
            return Ok(api::CommandResponse { repeated: true, ..self.answer.clone() });
        }
        let message = "this idempotency key was used for another request";
        Err(Refusal::new(RefusalCode::KeyReused, message)
            .hint("use a new key; reuse a key only to repeat the same request"))
    }
}

/// Returns the digest of everything that the caller of a command stated.
///
/// Packets are compared by the bytes as sent, because their canonical form would require parsing
/// them first.
pub fn digest(command: &str, request: &impl Serialize) -> String {
    let request = serde_json::to_value(request).unwrap_or_default();
    canonical::digest(&json!({ "command": command, "request": request }))
}

/// Validates an idempotency key or a claim key.
///
/// # Errors
///
/// If it is blank, too long, or has characters other than visible ASCII.
pub fn check_key(key: &str) -> Result<(), Refusal> {
    let count = key.chars().count();
    if (1..=KEY_CHARACTERS_MAX).contains(&count) && key.chars().all(|c| c.is_ascii_graphic()) {
        return Ok(());
    }
    let message = format!(
        "a key must be 1 to {KEY_CHARACTERS_MAX} visible ASCII characters, this one has {count}"
    );
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("generate a random key, such as 128 bits in hex"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_length_and_an_alphabet() {
        let long = "k".repeat(KEY_CHARACTERS_MAX);
        assert!(check_key("k-1").is_ok() && check_key(&long).is_ok());
        for (key, count) in [("", 0), ("a b", 3), ("é", 1), (&*format!("{long}k"), 201)] {
            let refusal = check_key(key).unwrap_err();
            assert!(refusal.message.ends_with(&format!("has {count}")), "{refusal:?}");
        }
    }

    #[test]
    fn a_record_replays_its_own_request_until_it_expires() {
        let until = Some(Timestamp::UNIX_EPOCH);
        let answer = api::CommandResponse { n: Some(7), ..api::CommandResponse::default() };
        let record = IdempotencyRecord { digest: digest("a", &1), answer, until };
        let replayed = record.replay(&digest("a", &1)).unwrap();
        assert_eq!((replayed.n, replayed.repeated), (Some(7), true));
        for other in [digest("a", &2), digest("b", &1)] {
            assert_eq!(record.replay(&other).unwrap_err().code, RefusalCode::KeyReused);
        }
        assert!(!record.is_valid(Timestamp::UNIX_EPOCH) && record.is_valid(Timestamp::MIN));
        assert!(IdempotencyRecord { until: None, ..record }.is_valid(Timestamp::MAX));
    }
}
