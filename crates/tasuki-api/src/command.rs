//! The response to a command.

use serde::{Deserialize, Serialize};

use crate::{Claim, Handoff, Party, Subscription, Token};

/// The response to a command. It has the members that the command changed.
// The large members are boxed, because responses are moved often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandResponse {
    /// The number of the last event that the command appended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The handoff after the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Box<Handoff>>,
    /// The claim that the caller now holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The id of the document that the command stored: a checkpoint, a decision or a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The party that was added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub party: Option<Box<Party>>,
    /// The contract or gate that was published, or the version that was pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The token that was created or revoked. Only the response that creates it has its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<Token>>,
    /// The subscription that was added or changed. Only the first response has a new secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Box<Subscription>>,
    /// The brief of the whole chain, as plain text, for a person who took the work over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
    /// The names of parties that were added because the request names them for the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registered: Vec<String>,
    /// `true` if the command had already run and changed nothing this time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// Notes for the caller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The trace context of the packet that the command is about, for the request log. It is not part
    /// of the body.
    #[serde(skip)]
    pub trace: Option<String>,
}

impl CommandResponse {
    /// Returns the response as it may be stored: without secrets that are shown once, and with a note
    /// for each of them.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let mut kept = self.clone();
        let text = kept.token.as_mut().and_then(|token| token.text.take());
        let secret = kept.subscription.as_mut().and_then(|one| one.secret.take());
        for (shown, what) in [(text, "the text of a token"), (secret, "the secret of a webhook")] {
            if shown.is_some() {
                kept.notes.push(format!("{what} is shown once, in the first response"));
            }
        }
        kept
    }
}
