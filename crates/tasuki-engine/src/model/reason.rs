//! The reason of a decision, a release or a decline.
//!
//! A reason is scanned for secrets in `prepare` and sealed. A leaf only commits to it.

use serde_json::Value;
use tasuki_packet::leaf::Hash;

use crate::hmac::hmac_sha256;
use crate::model::{Context, Head, Sealed};
use crate::refusal::{Refusal, RefusalCode};

/// A reason that has been validated and scanned for secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// The text, if any.
    pub text: Option<String>,
    /// The number of redacted secrets.
    pub redacted_count: usize,
}

impl Reason {
    /// Returns the text, or a refusal that names the command.
    pub fn required(&self, verb: &str) -> Result<&str, Refusal> {
        self.text.as_deref().ok_or_else(|| {
            Refusal::new(RefusalCode::ReasonMissing, format!("a reason is required to {verb}"))
                .hint("add one with `-m \"…\"`")
        })
    }

    /// Seals a document with this reason in it, using the seed of the command.
    pub fn sealed(&self, context: &Context<'_>, mut document: Value) -> Sealed {
        // A command may seal several documents, for example when a chain is cancelled. Each gets
        // its own salt, so that disclosing one does not help to guess another.
        let salt = context.seed.salt(&format!("reason {document}"));
        if let Some(text) = &self.text {
            document["reason"] = Value::from(text.as_str());
        }
        Sealed::document(&document, salt)
    }
}

/// Returns the commitment to the reason of a halt or its end. No document holds that reason.
pub fn commitment_to_halt(head: &Head, epoch: u64, reason: &str) -> Hash {
    let parts: [&[u8]; 3] = [b"tasuki halt", &epoch.to_be_bytes(), reason.as_bytes()];
    Hash::from_bytes(hmac_sha256(&head.fingerprint_key, &parts))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::CommandSeed;
    use crate::steps::decision::testing::people;

    #[test]
    fn no_two_documents_of_a_command_share_a_salt() {
        let world = people();
        let (principal, seed) = (world.principal("pia"), CommandSeed::new([1; 32]));
        let context =
            Context { state: &world.state, principal: &principal, now: world.now, seed: &seed };
        let reason = Reason { text: Some("not needed".to_owned()), redacted_count: 0 };
        let [one, other] = [1, 2].map(|n| reason.sealed(&context, json!({ "revision": n })));
        assert_ne!(one.salt, other.salt);
        assert_eq!(one.body, r#"{"revision":1,"reason":"not needed"}"#);
        assert_eq!(one, reason.sealed(&context, json!({ "revision": 1 })));
    }
}
