//! A change: everything that one decision asks for, committed together or not at all.

use std::sync::Arc;

use tasuki_api as api;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Actor, Attribute, Attributes, EventType, Hash};

use crate::model::{Document, DocumentKind, Handoff, Record, Sealed};

/// Everything that one decision asks for.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Handoffs as they are afterwards.
    pub handoffs: Vec<Arc<Handoff>>,
    /// Documents that it brings.
    pub documents: Vec<Document>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Entries of the directory as they are afterwards.
    pub records: Vec<Record>,
    /// What becomes of the project's halt.
    pub halt: Option<HaltChange>,
    /// What the tokens of later claims must exceed.
    pub fence_floor: u64,
    /// The handoff that the caller is shown.
    pub card: Option<ReplyScope>,
    /// What the caller hears besides. Boxed, because a change is handed on a few times, and it is large.
    pub answer: Box<api::CommandResponse>,
}

/// What becomes of the project's halt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HaltChange {
    /// All claims end, and nobody claims.
    Begin,
    /// Claims are taken again.
    Lift,
}

/// What happened; the worker makes a leaf of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What.
    pub kind: EventType,
    /// To which handoff.
    pub handoff: Option<HandoffId>,
    /// Who did it.
    pub actor: Actor,
    /// What the leaf says besides.
    pub attributes: Attributes,
    /// The commitment to the document it brought.
    pub document: Option<Hash>,
    /// Why, in the words of whoever did it. Never in the leaf.
    pub reason: Option<String>,
    /// The digest of the action that it decides about. The leaf commits to the decision instead.
    pub action: Option<String>,
}

impl Change {
    /// Records what happened to a handoff.
    pub fn record_event(
        &mut self,
        kind: EventType,
        handoff: HandoffId,
        actor: Actor,
    ) -> &mut Event {
        self.record(kind, Some(handoff), actor)
    }

    /// Records what happened to the project.
    pub fn record_project_event(&mut self, kind: EventType, actor: Actor) -> &mut Event {
        self.record(kind, None, actor)
    }

    fn record(&mut self, kind: EventType, handoff: Option<HandoffId>, actor: Actor) -> &mut Event {
        let attributes = Attributes::default();
        self.events.push(Event {
            kind,
            handoff,
            actor,
            attributes,
            document: None,
            reason: None,
            action: None,
        });
        self.events.last_mut().expect("just pushed")
    }

    /// A handoff stays as it is, and is written again with when it is due.
    pub fn keeping(handoff: Handoff) -> Self {
        Self { handoffs: vec![Arc::new(handoff)], ..Self::default() }
    }

    /// Says what a handoff is afterwards; the last word counts.
    pub fn put(&mut self, handoff: Handoff) {
        let handoff = Arc::new(handoff);
        match self.handoffs.iter_mut().find(|known| known.id == handoff.id) {
            Some(known) => *known = handoff,
            None => self.handoffs.push(handoff),
        }
    }

    /// The caller is shown this handoff.
    pub fn show(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: true, has_claim: false });
    }

    /// The caller is shown this handoff, and the claim on it.
    pub fn show_with_claim(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: true, has_claim: true });
    }

    /// The caller is shown the claim on this handoff alone.
    pub fn show_claim(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: false, has_claim: true });
    }

    /// Stores a document.
    pub fn put_document(
        &mut self,
        handoff: HandoffId,
        kind: DocumentKind,
        id: impl Into<String>,
        sealed: impl Into<Arc<Sealed>>,
    ) {
        let (id, sealed) = (id.into(), sealed.into());
        self.documents.push(Document { handoff, kind, id, sealed });
    }

    /// The handoff as this change leaves it, if it touches it.
    pub fn handoff(&self, id: HandoffId) -> Option<&Handoff> {
        self.handoffs.iter().find(|known| known.id == id).map(Arc::as_ref)
    }
}

impl Event {
    /// Adds an attribute of the leaf.
    pub fn with(&mut self, name: &'static str, attribute: impl Into<AttributeValue>) -> &mut Self {
        self.attributes.insert(name, attribute.into().0);
        self
    }

    /// Names the document it brought.
    pub fn bringing(&mut self, document: Hash) -> &mut Self {
        self.document = Some(document);
        self
    }

    /// Says why.
    pub fn because(&mut self, reason: Option<&str>) -> &mut Self {
        self.reason = reason.map(str::to_owned);
        self
    }

    /// Names the action that a holder asked leave for, if it decides about one.
    pub fn about(&mut self, action: Option<&str>) -> &mut Self {
        self.action = action.map(str::to_owned);
        self
    }
}

/// An attribute, made of what the rules have at hand.
#[derive(Debug)]
pub struct AttributeValue(Attribute);

impl From<u64> for AttributeValue {
    fn from(integer: u64) -> Self {
        Self(Attribute::Integer(integer))
    }
}

impl From<u32> for AttributeValue {
    fn from(integer: u32) -> Self {
        Self(Attribute::Integer(u64::from(integer)))
    }
}

impl From<jiff::Timestamp> for AttributeValue {
    fn from(instant: jiff::Timestamp) -> Self {
        Self(Attribute::Instant(instant))
    }
}

impl From<&'static str> for AttributeValue {
    fn from(word: &'static str) -> Self {
        Self(Attribute::Word(word))
    }
}

impl From<Vec<&'static str>> for AttributeValue {
    fn from(words: Vec<&'static str>) -> Self {
        Self(Attribute::Words(words))
    }
}

impl From<Hash> for AttributeValue {
    fn from(hash: Hash) -> Self {
        Self(Attribute::Hash(hash))
    }
}

macro_rules! said_ids {
    ($($name:ident),+) => {
        $(impl From<tasuki_packet::id::$name> for AttributeValue {
            fn from(id: tasuki_packet::id::$name) -> Self {
                Self(Attribute::Id(id.into()))
            }
        })+
    };
}

said_ids!(
    HandoffId,
    ClaimId,
    CheckpointId,
    ReturnId,
    VerdictId,
    DecisionId,
    QuestionId,
    PartyId,
    ProjectId,
    SubscriptionId,
    TokenId
);

/// What the caller is shown of a handoff, as it is after the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyScope {
    /// Which handoff.
    pub handoff: HandoffId,
    /// Whether it is shown itself.
    pub has_handoff: bool,
    /// Whether its claim is shown.
    pub has_claim: bool,
}
