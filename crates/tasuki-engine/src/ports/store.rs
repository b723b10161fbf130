//! What the exchange needs of its memory.
//!
//! The traits are narrow on purpose: reads, and one transaction at a time per project. A batch of
//! changes becomes durable in one `commit` or not at all. Futures are boxed so that the engine is
//! not generic over its store; there are a handful per batch.

use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::EventType;

use crate::error::{Fault, FaultKind};
use crate::model::{
    Document, DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record,
    StateWord, Urgency,
};

/// What a store will have done.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

/// Durable memory.
pub trait Store: Send + Sync + 'static {
    /// Opens the project's queue. At most one such transaction is open anywhere.
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>>;

    /// The end of the project's log, or nothing if there is no such project.
    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>>;

    /// Makes a project, empty but for its head. `false` if it was there.
    fn create(&self, head: Head, name: String) -> Pending<'_, bool>;

    /// The projects of this store by name.
    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>>;

    /// All entries of the directory.
    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>>;

    /// The handoff with this id.
    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>>;

    /// Handoffs, by a question that lists ask.
    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>>;

    /// Documents of a handoff, oldest first; of one kind, or all.
    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>>;

    /// Leaves in order, from number `from` on. Streams and webhooks are nothing but cursors.
    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>>;

    /// The leaves of one handoff, oldest first.
    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>>;

    /// Whether the clock has made anything due.
    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool>;

    /// When the clock will make something due, if nothing happens before.
    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>>;

    /// How many handoffs are in each state, and how many were begun and submitted.
    fn counts(&self, project: ProjectId) -> Pending<'_, Counts>;

    /// What was answered to these keys, of those that are known.
    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>>;

    /// Handoffs and events with all these words, newest first, of leaves before this number.
    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>>;
}

/// The one open transaction of a project.
pub trait Transaction: Send {
    /// The end of the log as this transaction found it.
    fn head(&self) -> &Head;

    /// All entries of the directory.
    fn directory(&mut self) -> Pending<'_, Vec<Record>>;

    /// Ids of handoffs that the clock has made due, earliest first, at most `limit`.
    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>>;

    /// What the batch touches. A handoff comes with its parent and its child.
    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded>;

    /// Adds to what `commit` will write; nothing is written before.
    fn write(&mut self, written: WriteSet);

    /// Makes everything durable. An answer before this is not an answer.
    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()>;
}

/// What a batch touches.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Handoffs.
    pub handoffs: Vec<Arc<Handoff>>,
    /// Answers to keys.
    pub remembered: Vec<(IdempotencyKey, IdempotencyRecord)>,
    /// How many handoffs are open, where that was asked for.
    pub open: Option<u64>,
}

/// What one change writes.
#[derive(Debug, Clone, Default)]
pub struct WriteSet {
    /// Handoffs as they are afterwards.
    pub handoffs: Vec<HandoffRow>,
    /// Documents, new all of them.
    pub documents: Vec<(u64, Document)>,
    /// Leaves, in order. One about a handoff comes with the handoff, which names its last one: a store may
    /// find the others by the links from each to the one before.
    pub leaves: Vec<LeafRow>,
    /// Entries of the directory as they are afterwards.
    pub records: Vec<Record>,
    /// The answer to a key. Boxed: few changes have one, and it is as large as all the rest.
    pub remembered: Option<Box<(IdempotencyKey, IdempotencyRecord)>>,
}

/// A handoff to be written.
#[derive(Debug, Clone)]
pub struct HandoffRow {
    /// The handoff.
    pub handoff: Arc<Handoff>,
    /// When the clock will move it.
    pub due_at: Option<Timestamp>,
    /// Whether it was not there before.
    pub is_new: bool,
    /// Whether its facts are others than before.
    pub has_new_facts: bool,
}

/// One leaf of the log, with what streams say besides.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRow {
    /// Its number.
    pub n: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventType,
    /// To which handoff.
    pub handoff: Option<HandoffId>,
    /// The number of the leaf before it of the same handoff.
    pub previous: Option<u64>,
    /// The exact bytes of the leaf.
    pub leaf: String,
    /// What streams say besides, as JSON: the event's body without what the leaf has.
    pub detail: String,
}

/// A document with the number of the leaf that brought it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The number of the leaf.
    pub n: u64,
    /// The document.
    pub document: Document,
}

/// A question that lists ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only in these states; none means any.
    pub states: Vec<StateWord>,
    /// Only to these receivers; none means any.
    pub receivers: Vec<PartyId>,
    /// Only from these senders; none means any.
    pub senders: Vec<PartyId>,
    /// Only those that wait for their sender.
    pub awaits_sender: bool,
    /// Only returns that one of these judges in place of the sender; none means any.
    pub judges: Vec<PartyId>,
    /// Only returns of their own senders, which whoever else may judges; asked instead of `judges`.
    pub own_returns: bool,
    /// Only held by this party.
    pub holder: Option<PartyId>,
    /// Only of this task.
    pub task: Option<String>,
    /// Only ids that end with these digits.
    pub ending: Option<String>,
    /// Only after this one, in the order of the list.
    pub after: Option<HandoffId>,
    /// Only behind this place, in a list of the most urgent.
    pub behind: Option<Urgency>,
    /// In which order.
    pub order: Order,
    /// At most so many.
    pub limit: u32,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// High risk first, then what waits longest.
    Urgent,
}

/// How many handoffs are where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many were begun.
    pub begun: u64,
    /// How many were submitted.
    pub submitted: u64,
    /// How many are in each state.
    pub states: Vec<(StateWord, u64)>,
}

impl Counts {
    /// How many are open.
    pub fn open(&self) -> u64 {
        self.states.iter().filter(|(state, _)| state.is_open()).map(|(_, count)| count).sum()
    }
}

/// Something that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The number of the leaf that brought it.
    pub n: u64,
    /// The handoff.
    pub handoff: Option<HandoffId>,
    /// What it is: a kind of document or a type of event.
    pub kind: String,
    /// The text around the words.
    pub excerpt: String,
}

/// The packet that a stored document holds.
pub fn read_packet(stored: &Stored) -> Result<Packet, Fault> {
    let value = serde_json::from_str(&stored.document.sealed.body).ok();
    value.and_then(|value| Packet::from_value(value).ok()).ok_or_else(|| {
        let document = &stored.document;
        let (kind, id, handoff) = (document.kind.as_str(), &document.id, document.handoff);
        let message = format!("the document {kind} {id} of {handoff} is no packet");
        Fault::new(FaultKind::Corrupt, message)
    })
}
