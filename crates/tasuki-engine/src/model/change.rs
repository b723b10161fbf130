//! The changes that one decision makes, committed together or not at all.

use std::sync::Arc;

use tasuki_api as api;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Actor, Attribute, Attributes, EventType, Hash};

use crate::model::{Document, DocumentKind, Handoff, Record, Sealed};

/// All changes of one decision.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Handoffs after the change.
    pub handoffs: Vec<Arc<Handoff>>,
    /// New documents.
    pub documents: Vec<Document>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Directory entries after the change.
    pub records: Vec<Record>,
    /// The start or end of a halt.
    pub halt: Option<HaltChange>,
    /// A lower bound: the fence of every later claim is higher.
    pub fence_floor: u64,
    /// The handoff to show to the caller.
    pub card: Option<ReplyScope>,
    /// The rest of the response. Boxed, because it is large and a change is moved several times.
    pub answer: Box<api::CommandResponse>,
}

/// The start or end of a halt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HaltChange {
    /// Ends all claims and blocks new ones.
    Begin,
    /// Allows claims again.
    Lift,
}

/// An event; the worker turns it into a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The type.
    pub kind: EventType,
    /// The handoff that it concerns.
    pub handoff: Option<HandoffId>,
    /// The actor.
    pub actor: Actor,
    /// Further attributes of the leaf.
    pub attributes: Attributes,
    /// The commitment to the document that it adds.
    pub document: Option<Hash>,
    /// The reason that the actor gave. Never part of the leaf.
    pub reason: Option<String>,
    /// The digest of the action that it decides about. The leaf commits to the decision instead.
    pub action: Option<String>,
}

impl Change {
    /// Records an event of a handoff.
    pub fn record_event(
        &mut self,
        kind: EventType,
        handoff: HandoffId,
        actor: Actor,
    ) -> &mut Event {
        self.record(kind, Some(handoff), actor)
    }

    /// Records an event of the project.
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

    /// Returns a change that leaves a handoff as it is and only updates its stored due time.
    pub fn keeping(handoff: Handoff) -> Self {
        Self { handoffs: vec![Arc::new(handoff)], ..Self::default() }
    }

    /// Sets a handoff; a later call replaces an earlier one.
    pub fn put(&mut self, handoff: Handoff) {
        let handoff = Arc::new(handoff);
        match self.handoffs.iter_mut().find(|known| known.id == handoff.id) {
            Some(known) => *known = handoff,
            None => self.handoffs.push(handoff),
        }
    }

    /// Shows this handoff to the caller.
    pub fn show(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: true, has_claim: false });
    }

    /// Shows this handoff and its claim to the caller.
    pub fn show_with_claim(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: true, has_claim: true });
    }

    /// Shows only the claim on this handoff to the caller.
    pub fn show_claim(&mut self, handoff: HandoffId) {
        self.card = Some(ReplyScope { handoff, has_handoff: false, has_claim: true });
    }

    /// Adds a document.
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

    /// Adds the work tree that the command was sent from, which the last event commits to.
    pub fn put_work_tree(&mut self, id: impl Into<String>, sealed: &Arc<Sealed>) {
        let Some(event) = self.events.last_mut() else { return };
        let Some(handoff) = event.handoff else { return };
        event.with("work_tree", sealed.commitment);
        self.put_document(handoff, DocumentKind::WorkTree, id, Arc::clone(sealed));
    }

    /// Returns the handoff after this change, if the change includes it.
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

    /// Sets the commitment to the document that the event adds.
    pub fn bringing(&mut self, document: Hash) -> &mut Self {
        self.document = Some(document);
        self
    }

    /// Sets the reason.
    pub fn because(&mut self, reason: Option<&str>) -> &mut Self {
        self.reason = reason.map(str::to_owned);
        self
    }

    /// Sets the action that the event decides about, if any.
    pub fn about(&mut self, action: Option<&str>) -> &mut Self {
        self.action = action.map(str::to_owned);
        self
    }
}

/// A value that can become a leaf attribute.
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

macro_rules! id_attributes {
    ($($name:ident),+) => {
        $(impl From<tasuki_packet::id::$name> for AttributeValue {
            fn from(id: tasuki_packet::id::$name) -> Self {
                Self(Attribute::Id(id.into()))
            }
        })+
    };
}

id_attributes!(
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

/// The parts of a handoff that the caller is shown after the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyScope {
    /// The handoff.
    pub handoff: HandoffId,
    /// `true` if the handoff itself is shown.
    pub has_handoff: bool,
    /// `true` if its claim is shown.
    pub has_claim: bool,
}
