//! Reasons: the words that go with a decision, a release, a decline.
//!
//! They pass the secret scan in `prepare` and are sealed like every document; a leaf only commits
//! to them.

use serde_json::Value;
use tasuki_packet::leaf::Hash;

use crate::hmac::hmac_sha256;
use crate::model::{Context, Head, Sealed};
use crate::refusal::{Refusal, RefusalCode};

/// A reason that was read and scanned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// The text, if there is one.
    pub text: Option<String>,
    /// How many secrets were cut out of it.
    pub redacted_count: usize,
}

impl Reason {
    /// The text, or a refusal that says what it is needed for.
    pub fn required(&self, verb: &str) -> Result<&str, Refusal> {
        self.text.as_deref().ok_or_else(|| {
            Refusal::new(RefusalCode::ReasonMissing, format!("to {verb}, say why"))
                .hint("add a reason: `-m \"…\"`")
        })
    }

    /// A document with this reason in it, sealed with the randomness of the command.
    pub fn sealed(&self, context: &Context<'_>, mut document: Value) -> Sealed {
        // A command may seal several (a chain that is cancelled), and no two share a salt: to show
        // one of them to somebody must not let them guess another.
        let salt = context.seed.salt(&format!("reason {document}"));
        if let Some(text) = &self.text {
            document["reason"] = Value::from(text.as_str());
        }
        Sealed::document(&document, salt)
    }
}

/// What the leaf of a halt or of its end says of the reason, which is in no document.
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
