//! Checks a document against the leaf that commits to it.

use serde_json::Value;
use tasuki_packet::canonical;
use tasuki_packet::leaf::{Attribute, Hash, Leaf};

use crate::model::{Document, DocumentKind};
use crate::ports::Stored;

/// The id of the work tree of a first revision, which no attribute names.
const FIRST_REVISION: &str = "1";

/// A document, reduced to what the check needs.
#[derive(Debug)]
pub(super) struct CheckedDocument {
    pub(super) n: u64,
    pub(super) kind: DocumentKind,
    pub(super) id: String,
    pub(super) commitment: Hash,
    /// The mismatch between the document and its own commitment, if any.
    pub(super) wrong: Option<&'static str>,
    /// The decision that names its digest, if no leaf commits to it directly.
    pub(super) named_by: Option<String>,
    /// The digest of its reason, which its event repeats.
    reason: Option<String>,
    pub(super) is_committed: bool,
    pub(super) is_dated: bool,
}

impl CheckedDocument {
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

    /// Returns `true` if a leaf names another document of this kind.
    pub(super) fn has_other_id(&self, leaf: &Leaf) -> bool {
        let attribute = match self.kind {
            DocumentKind::Checkpoint => "checkpoint",
            DocumentKind::Return => "return_packet",
            DocumentKind::Verdict => "verdict",
            DocumentKind::Question | DocumentKind::Answer => "question",
            DocumentKind::Decision => "decision",
            DocumentKind::Claim => "claim",
            DocumentKind::WorkTree if leaf.attributes.get("checkpoint").is_some() => "checkpoint",
            DocumentKind::WorkTree if leaf.attributes.get("return_packet").is_some() => {
                "return_packet"
            }
            DocumentKind::WorkTree => return self.id != FIRST_REVISION,
            DocumentKind::Packet | DocumentKind::Action | DocumentKind::Reason => return false,
        };
        let named = leaf.attributes.get(attribute);
        matches!(named, Some(Attribute::Id(id)) if id.to_string() != self.id)
    }

    /// Returns `true` if the document has this reason.
    pub(super) fn has_reason(&self, reason: Option<&str>) -> bool {
        self.reason == reason.map(|reason| canonical::digest_of_bytes(reason.as_bytes()))
    }
}

/// Returns the digest of the reason in a document.
fn reason(document: &Document) -> Option<String> {
    let member = match document.kind {
        DocumentKind::Question => "question",
        DocumentKind::Answer => "answer",
        DocumentKind::Decision | DocumentKind::Reason | DocumentKind::Verdict => "reason",
        DocumentKind::Packet
        | DocumentKind::Checkpoint
        | DocumentKind::Return
        | DocumentKind::Action
        | DocumentKind::Claim
        | DocumentKind::WorkTree => return None,
    };
    let value: Value = serde_json::from_str(&document.sealed.body).ok()?;
    Some(canonical::digest_of_bytes(value.get(member)?.as_str()?.as_bytes()))
}

/// Describes the mismatch between a document and its salt, commitment and digest.
fn wrong(document: &Document) -> Option<&'static str> {
    let sealed = &document.sealed;
    let Ok(value) = serde_json::from_str::<Value>(&sealed.body) else {
        return Some("is not valid JSON");
    };
    let bytes = canonical::bytes(&value);
    let written = value.to_string();
    let is_same = canonical::digest_of_bytes(&bytes) == sealed.digest;
    if sealed.commitment_to(document.kind.commitment(), &bytes) != sealed.commitment {
        // If the digest matches, only the source can differ.
        let is_packet = document.kind == DocumentKind::Packet;
        return Some(if is_same && is_packet && written == sealed.body {
            "has a source that differs from the bytes sent"
        } else {
            "does not match its commitment"
        });
    }
    if document.kind != DocumentKind::Packet && sealed.source.is_some() {
        return Some("has a source although only packets have one");
    }
    // The commitment covers the value, so the text must be its only serialization.
    if written != sealed.body {
        return Some("is serialized differently than it was written");
    }
    (!is_same).then_some("does not match its digest")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tasuki_packet::id::HandoffId;

    use super::*;
    use crate::model::Sealed;

    #[test]
    fn a_source_can_be_neither_changed_nor_removed_nor_added() {
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
            let mismatch = Some("has a source that differs from the bytes sent");
            assert_eq!(wrong(&document), mismatch, "{kept:?} {now:?}");
        };
        check(Some("goal: g # so"), Some("goal: g # no"));
        check(Some("goal: g"), None);
        check(None, Some("goal: g"));
        check(None, Some(""));
    }
}
