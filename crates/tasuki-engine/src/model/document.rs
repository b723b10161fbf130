//! Documents: the immutable texts that events bring, and the commitments to them.
//!
//! A packet revision, a checkpoint, a return, a verdict, a question, a reason: each is stored once,
//! byte for byte, with the salt of its commitment, and never changed.

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
    /// What it is.
    pub kind: DocumentKind,
    /// Its id; a packet's is the number of its revision.
    pub id: String,
    /// Its text. Shared, because it stays as it is from where it was sealed to where it is written.
    pub sealed: Arc<Sealed>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocumentKind {
    /// One revision of the packet.
    Packet,
    /// Progress.
    Checkpoint,
    /// What came back.
    Return,
    /// What was judged of it.
    Verdict,
    /// What the receiver wants to know.
    Question,
    /// What the sender said to it.
    Answer,
    /// What a person decided, with the reason.
    Decision,
    /// What a holder asks leave for.
    Action,
    /// What a claimer said: its read-back and what it found changed.
    Claim,
    /// Why somebody released, declined, parked or cancelled.
    Reason,
}

/// The text of a document with the commitment to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The JSON text, members in the order in which they were sent.
    pub body: String,
    /// What was sent, where that is not the body.
    pub source: Option<Vec<u8>>,
    /// Random bytes, without which the commitment says nothing: its salt, or what a packet's is
    /// made of.
    pub salt: [u8; 32],
    /// The commitment.
    pub commitment: Hash,
    /// The digest that people see.
    pub digest: String,
}

impl Sealed {
    /// Seals a document that is no packet of a handoff.
    pub fn document(value: &Value, salt: [u8; 32]) -> Self {
        let written = StoredForms { text: value.to_string(), canonical: canonical::bytes(value) };
        Self::written(Commitment::Document, written, None, salt)
    }

    /// Seals the packet of a handoff.
    pub fn packet(members: &Members, source: Option<&[u8]>, salt: [u8; 32]) -> Self {
        Self::written(Commitment::Packet, StoredForms::of(members), source, salt)
    }

    /// Seals what is written already.
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

    /// Exactly what was sent, as far as it was kept.
    pub fn sent(&self) -> &[u8] {
        self.source.as_deref().unwrap_or(self.body.as_bytes())
    }

    /// The commitment to the canonical bytes of the body; a packet's is to what was sent as well.
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
    pub const ALL: [Self; 10] = [
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
    ];

    /// The word under which it is stored.
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
        }
    }

    /// The kind of this name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The commitment that leaves have to it.
    pub const fn commitment(self) -> Commitment {
        if let Self::Packet = self { Commitment::Packet } else { Commitment::Document }
    }
}

/// The bytes that `sha256:` and 64 hex digits spell.
pub fn hash_of_digest(digest: &str) -> Hash {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(at * 2..at * 2 + 2).unwrap_or("00");
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    Hash::from_bytes(bytes)
}
