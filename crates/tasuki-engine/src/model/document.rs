//! Immutable documents and the commitments to them.
//!
//! A packet revision, a checkpoint, a return packet, a verdict, a question or a reason is stored
//! once, byte for byte, with the salt of its commitment. It never changes.

use std::sync::Arc;

use serde_json::Value;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Commitment, Hash, packet_salt};
use tasuki_packet::write::StoredForms;
use tasuki_packet::{Members, canonical};

/// A document of a handoff.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The handoff it belongs to.
    pub handoff: HandoffId,
    /// The kind of document.
    pub kind: DocumentKind,
    /// The id; for a packet, the number of its revision.
    pub id: String,
    /// The sealed text, shared between preparing and writing.
    pub sealed: Arc<Sealed>,
}

/// The kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocumentKind {
    /// One revision of the packet.
    Packet,
    /// Progress of a holder.
    Checkpoint,
    /// A return packet.
    Return,
    /// The verdict on a return packet.
    Verdict,
    /// A question of the receiver.
    Question,
    /// The sender's answer.
    Answer,
    /// A person's decision, with its reason.
    Decision,
    /// An action that a holder asks to have approved.
    Action,
    /// A claimer's read-back, with the drift it found.
    Claim,
    /// The reason of a release, decline, park or cancel.
    Reason,
    /// The git work tree that a packet, a checkpoint or a return was sent from.
    WorkTree,
}

/// The text of a document with the commitment to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The JSON text, members in the order in which they were sent.
    pub body: String,
    /// The bytes as sent, if they differ from `body`.
    pub source: Option<Vec<u8>>,
    /// The random salt of the commitment. The salt of a packet's commitment is derived from it.
    pub salt: [u8; 32],
    /// The commitment.
    pub commitment: Hash,
    /// The digest shown to people.
    pub digest: String,
}

impl Sealed {
    /// Seals a document that is not a packet of a handoff.
    pub fn document(value: &Value, salt: [u8; 32]) -> Self {
        let written = StoredForms { text: value.to_string(), canonical: canonical::bytes(value) };
        Self::written(Commitment::Document, written, None, salt)
    }

    /// Seals the packet of a handoff.
    pub fn packet(members: &Members, source: Option<&[u8]>, salt: [u8; 32]) -> Self {
        Self::written(Commitment::Packet, StoredForms::of(members), source, salt)
    }

    /// Seals a document that is already serialized.
    pub fn written(
        kind: Commitment,
        written: StoredForms,
        source: Option<&[u8]>,
        salt: [u8; 32],
    ) -> Self {
        let StoredForms { text: body, canonical } = written;
        let source = source.filter(|source| *source != body.as_bytes()).map(<[u8]>::to_vec);
        let digest = canonical::digest_of_bytes(&canonical);
        let mut sealed = Self { body, source, salt, commitment: Hash::ZERO, digest };
        sealed.commitment = sealed.commitment_to(kind, &canonical);
        sealed
    }

    /// Returns the bytes as sent.
    pub fn sent(&self) -> &[u8] {
        self.source.as_deref().unwrap_or(self.body.as_bytes())
    }

    /// Returns the commitment to the canonical body and, for a packet, to the bytes as sent.
    pub fn commitment_to(&self, kind: Commitment, canonical_bytes: &[u8]) -> Hash {
        let salt = match kind {
            Commitment::Packet => packet_salt(&self.salt, self.sent()),
            Commitment::Document => self.salt,
        };
        kind.to_bytes(&salt, canonical_bytes)
    }
}

impl DocumentKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Packet,
        Self::Checkpoint,
        Self::Return,
        Self::Verdict,
        Self::Question,
        Self::Answer,
        Self::Decision,
        Self::Action,
        Self::Claim,
        Self::Reason,
        Self::WorkTree,
    ];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Checkpoint => "checkpoint",
            Self::Return => "return",
            Self::Verdict => "verdict",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Decision => "decision",
            Self::Action => "action",
            Self::Claim => "claim",
            Self::Reason => "reason",
            Self::WorkTree => "work_tree",
        }
    }

    /// Returns the kind with this name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Returns the commitment scheme that leaves use for it.
    pub const fn commitment(self) -> Commitment {
        if let Self::Packet = self { Commitment::Packet } else { Commitment::Document }
    }
}

/// Parses `sha256:` followed by 64 hex digits.
pub fn hash_of_digest(digest: &str) -> Hash {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(at * 2..at * 2 + 2).unwrap_or("00");
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    Hash::from_bytes(bytes)
}
