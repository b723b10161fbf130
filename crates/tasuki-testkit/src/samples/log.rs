//! Documents, responses, and a growing log: the writes beside a handoff.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::model::{
    Document, DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, SYSTEM, Sealed,
};
use tasuki_engine::ports::{HandoffRow, LeafRow, WriteSet};
use tasuki_packet::id::{AnyId, HandoffId, ProjectId};
use tasuki_packet::leaf::{Attribute, AttributeKind, Attributes, EventType, Hash, Leaf, Subject};

use super::names::{at, bytes, head, party};

/// Builds write sets with real, chained leaves.
#[derive(Debug, Clone)]
pub struct Log {
    /// The head after all write sets so far.
    pub head: Head,
    last_of_handoff: HashMap<HandoffId, u64>,
}

impl Log {
    /// Creates the log of an empty project.
    pub fn new(project: ProjectId) -> Self {
        Self { head: head(project), last_of_handoff: HashMap::new() }
    }

    /// Returns the next leaf, a second after the last one.
    pub fn leaf(&mut self, kind: EventType, of: Option<&Handoff>, reason: Option<&str>) -> LeafRow {
        let n = self.head.leaves;
        let time = at(i64::try_from(n).expect("a sample log is short"));
        let subject = of.map(|handoff| self.subject(handoff));
        let previous = subject.and_then(|subject| subject.previous);
        let leaf = Leaf {
            project: self.head.project,
            epoch: 1,
            index: n,
            number: n,
            time,
            previous: self.head.last_hash,
            event: kind,
            subject,
            document: None,
            attributes: attributes(kind),
            actor: SYSTEM,
            class: None,
            taint: None,
            regulations: Vec::new(),
            policy: None,
        };
        let bytes = leaf.bytes().expect("a sample leaf has the attributes of its type");
        self.last_of_handoff.extend(of.map(|handoff| (handoff.id, n)));
        self.head.leaves += 1;
        self.head.last_hash = Hash::of_leaf(&bytes);
        self.head.last_at = time;
        let leaf = String::from_utf8(bytes).expect("JSON is UTF-8");
        let detail = reason.map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
        let handoff = of.map(|handoff| handoff.id);
        LeafRow { n, at: time, kind, handoff, previous, leaf, detail: detail.to_string() }
    }

    /// Returns the write set of a new handoff, with the leaf of its submission.
    pub fn submitted(&mut self, mut handoff: Handoff) -> WriteSet {
        handoff.progress.last_n = self.head.leaves;
        let leaf = self.leaf(EventType::Submitted, Some(&handoff), None);
        let handoff = Arc::new(handoff);
        let row = HandoffRow { handoff, due_at: None, is_new: true, has_new_facts: true };
        WriteSet { handoffs: vec![row], leaves: vec![leaf], ..WriteSet::default() }
    }

    /// Returns the write set of a changed handoff, with a leaf.
    pub fn changed(&mut self, handoff: Handoff, kind: EventType) -> WriteSet {
        self.changed_because(handoff, kind, None)
    }

    /// Returns the write set of a changed handoff, with a leaf and a reason.
    pub fn changed_because(
        &mut self,
        mut handoff: Handoff,
        kind: EventType,
        reason: Option<&str>,
    ) -> WriteSet {
        handoff.progress.last_n = self.head.leaves;
        let leaf = self.leaf(kind, Some(&handoff), reason);
        let handoff = Arc::new(handoff);
        let row = HandoffRow { handoff, due_at: None, is_new: false, has_new_facts: true };
        WriteSet { handoffs: vec![row], leaves: vec![leaf], ..WriteSet::default() }
    }

    fn subject(&self, handoff: &Handoff) -> Subject {
        Subject {
            handoff: handoff.id,
            revision: u64::from(handoff.facts.revision),
            packet: handoff.facts.summary.commitment,
            previous: self.last_of_handoff.get(&handoff.id).copied(),
        }
    }
}

/// Returns a value for every attribute that a leaf of this type requires.
fn attributes(kind: EventType) -> Attributes {
    let sample = |kind: &AttributeKind| match kind {
        AttributeKind::Integer => Attribute::Integer(1),
        AttributeKind::Id(prefix) => {
            let id = AnyId::read(&format!("{prefix}_{:032x}", 1), prefix);
            Attribute::Id(id.expect("a prefix and digits"))
        }
        AttributeKind::Instant => Attribute::Instant(at(60)),
        AttributeKind::Word(words) => Attribute::Word(words[0]),
        AttributeKind::Words(words) => Attribute::Words(vec![words[0]]),
        AttributeKind::Hash => Attribute::Hash(Hash::ZERO),
    };
    kind.required().iter().map(|(name, kind)| (*name, sample(kind))).collect()
}

/// Returns a packet with this goal.
pub fn packet(goal: &str) -> Value {
    json!({
        "handoff_version": "1.0",
        "packet_type": "handoff",
        "to_agent": "receiver",
        "goal": goal,
        "zeta": { "kept": [1, 2.5, null, true, "Übergabe 引き継ぎ"] },
        "alpha": "unknown members stay, in their order",
    })
}

/// Returns a document with this value; a packet also keeps its source bytes.
pub fn document(of: HandoffId, kind: DocumentKind, id: &str, value: &Value) -> Document {
    let salt = bytes(id);
    let sealed = match kind {
        DocumentKind::Packet => {
            let source = format!("# as it was sent, and not in UTF-8: \n{value}");
            let source = [source.as_bytes(), &[0x00, 0xff, 0xfe]].concat();
            let members = value.as_object().expect("a packet is an object");
            Sealed::packet(members, Some(&source), salt)
        }
        _ => Sealed::document(value, salt),
    };
    Document { handoff: of, kind, id: id.to_owned(), sealed: sealed.into() }
}

/// Returns an idempotency key of `sender` for a command.
pub fn key(command: &'static str, key: &str) -> IdempotencyKey {
    IdempotencyKey { party: party("sender"), command, key: key.to_owned() }
}

/// Returns a response with a note.
pub fn answer(note: &str) -> api::CommandResponse {
    api::CommandResponse {
        n: Some(3),
        document: Some("chk_00000000000000000000000000000001".to_owned()),
        notes: vec![note.to_owned()],
        ..api::CommandResponse::default()
    }
}

/// Returns the record of a response that never expires.
pub fn remembered(note: &str) -> IdempotencyRecord {
    let digest = tasuki_packet::canonical::digest_of_bytes(note.as_bytes());
    IdempotencyRecord { digest, answer: answer(note), until: None }
}
