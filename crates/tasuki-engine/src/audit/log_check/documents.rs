//! A document against the leaf that commits to it.

use serde_json::Value;
use tasuki_packet::canonical;
use tasuki_packet::leaf::{Attribute, Hash, Leaf};

use crate::model::{Document, DocumentKind};
use crate::ports::Stored;

/// A document without its text.
#[derive(Debug)]
pub(super) struct PreparedPacket {
    pub(super) n: u64,
    pub(super) kind: DocumentKind,
    pub(super) id: String,
    pub(super) commitment: Hash,
    /// Why it is not what its own commitment says.
    pub(super) wrong: Option<&'static str>,
    /// The decision that names its digest, where no leaf commits to it directly.
    pub(super) named_by: Option<String>,
    /// The digest of what it says that its event says too.
    reason: Option<String>,
    pub(super) is_committed: bool,
    pub(super) is_dated: bool,
}

impl PreparedPacket {
    pub(super) fn of(stored: &Stored, named_by: Option<String>) -> Self {
        let document = &stored.document;
        Self {
            n: stored.n,
            kind: document.kind,
            id: document.id.clone(),
            commitment: document.sealed.commitment,
            wrong: wrong(document),
            named_by,
            reason: reason(document),
            is_committed: false,
            is_dated: false,
        }
    }

    /// Whether a leaf that names a document of this kind names another one.
    pub(super) fn is_called_otherwise(&self, leaf: &Leaf) -> bool {
        let attribute = match self.kind {
            DocumentKind::Checkpoint => "checkpoint",
            DocumentKind::Return => "return_packet",
            DocumentKind::Verdict => "verdict",
            DocumentKind::Question | DocumentKind::Answer => "question",
            DocumentKind::Decision => "decision",
            DocumentKind::Claim => "claim",
            DocumentKind::Packet | DocumentKind::Action | DocumentKind::Reason => return false,
        };
        let named = leaf.attributes.get(attribute);
        matches!(named, Some(Attribute::Id(id)) if id.to_string() != self.id)
    }

    /// Whether this is the reason that it holds.
    pub(super) fn says(&self, reason: Option<&str>) -> bool {
        self.reason == reason.map(|reason| canonical::digest_of_bytes(reason.as_bytes()))
    }
}

/// The digest of the reason that a document holds.
fn reason(document: &Document) -> Option<String> {
    let member = match document.kind {
        DocumentKind::Question => "question",
        DocumentKind::Answer => "answer",
        DocumentKind::Decision | DocumentKind::Reason | DocumentKind::Verdict => "reason",
        DocumentKind::Packet
        | DocumentKind::Checkpoint
        | DocumentKind::Return
        | DocumentKind::Action
        | DocumentKind::Claim => return None,
    };
    let value: Value = serde_json::from_str(&document.sealed.body).ok()?;
    Some(canonical::digest_of_bytes(value.get(member)?.as_str()?.as_bytes()))
}

/// Whether a document is what its salt, commitment and digest say.
fn wrong(document: &Document) -> Option<&'static str> {
    let sealed = &document.sealed;
    let Ok(value) = serde_json::from_str::<Value>(&sealed.body) else {
        return Some("cannot be read");
    };
    let bytes = canonical::bytes(&value);
    let written = value.to_string();
    let is_same = canonical::digest_of_bytes(&bytes) == sealed.digest;
    if sealed.commitment_to(document.kind.commitment(), &bytes) != sealed.commitment {
        // What it says is right, as far as its digest knows; then it was said in other words.
        let is_packet = document.kind == DocumentKind::Packet;
        return Some(if is_same && is_packet && written == sealed.body {
            "is kept with another text than was sent"
        } else {
            "is not what was committed to"
        });
    }
    if document.kind != DocumentKind::Packet && sealed.source.is_some() {
        return Some("is kept with a text that nobody sent");
    }
    // The commitment is to the value; the text is the one that was written.
    if written != sealed.body {
        return Some("is spelt in another way than it was written");
    }
    (!is_same).then_some("has another digest")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tasuki_packet::id::HandoffId;

    use super::*;
    use crate::model::Sealed;

    #[test]
    fn what_was_sent_can_be_neither_changed_nor_taken_away_nor_added() {
        let check = |kept: Option<&str>, now: Option<&str>| {
            let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
            let value = json!({"goal": "g"});
            let sealed =
                Sealed::packet(value.as_object().unwrap(), bytes(kept).as_deref(), [3; 32]);
            let (kind, id) = (DocumentKind::Packet, "1".to_owned());
            let (handoff, sealed) = (HandoffId::new(1, [1; 10]), Arc::new(sealed));
            let mut document = Document { handoff, kind, id, sealed };
            assert_eq!(wrong(&document), None);
            Arc::make_mut(&mut document.sealed).source = bytes(now);
            let said = Some("is kept with another text than was sent");
            assert_eq!(wrong(&document), said, "{kept:?} {now:?}");
        };
        check(Some("goal: g # so"), Some("goal: g # no"));
        check(Some("goal: g"), None);
        check(None, Some("goal: g"));
        check(None, Some(""));
    }
}
