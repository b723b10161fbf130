//! Durable storage of projects.
//!
//! The traits are narrow on purpose: reads, and one write transaction at a time per project. A
//! batch of changes becomes durable in one `commit` or not at all. Futures are boxed so that the
//! engine is not generic over its store; each batch needs only a few.

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
use crate::ports::clock::ClockReference;

/// The future of a store operation.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

/// Durable storage of projects.
pub trait Store: Send + Sync + 'static {
    /// Opens the write transaction of a project. At most one is open across all processes.
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>>;

    /// Returns the end of the project's log, or `None` for an unknown project.
    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>>;

    /// Creates a project that contains only its head. Returns `false` if it exists.
    fn create(&self, head: Head, name: String) -> Pending<'_, bool>;

    /// Returns the newest reading of the clock by a process that had the right time.
    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        Box::pin(async { Ok(None) })
    }

    /// Replaces the newest reading of the clock.
    fn put_clock(&self, _reference: ClockReference) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns `true` if the store cannot be written, so that nothing is due here.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Checks that there is space for a commit.
    fn check_space(&self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the projects of this store by name.
    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>>;

    /// Returns all entries of the directory.
    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>>;

    /// Returns the handoff with this id.
    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>>;

    /// Returns the handoffs that match a query.
    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>>;

    /// Returns the handoff that is this many places after another one, or from the first one, in the
    /// order of ids: newest first, or oldest first. `None` if there are fewer.
    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>>;

    /// Records that a party has seen the failures of these handoffs up to these numbers. An earlier
    /// acknowledgement of a later failure stays.
    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()>;

    /// Returns the documents of a handoff, of one kind or all, oldest first.
    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>>;

    /// Returns leaves in order, starting at number `from`.
    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>>;

    /// Returns the leaves of one handoff, oldest first.
    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>>;

    /// Returns `true` if any deadline has passed.
    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool>;

    /// Returns the time of the next deadline.
    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>>;

    /// Returns the number of handoffs in each state, and how many were begun and submitted.
    fn counts(&self, project: ProjectId) -> Pending<'_, Counts>;

    /// Returns the recorded responses to those of these keys that are known.
    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>>;

    /// Returns the newest handoffs and events with all these words, from leaves before a number.
    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>>;
}

/// The open write transaction of a project.
pub trait Transaction: Send {
    /// Returns the end of the log at the start of the transaction.
    fn head(&self) -> &Head;

    /// Returns all entries of the directory.
    fn directory(&mut self) -> Pending<'_, Vec<Record>>;

    /// Returns the ids of at most `limit` due handoffs, earliest first.
    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>>;

    /// Loads the data of a batch. A handoff is loaded with its parent and its child.
    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded>;

    /// Buffers rows for `commit`; nothing is written before.
    fn write(&mut self, written: WriteSet);

    /// Makes all buffered rows durable. No command is answered before this succeeds.
    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()>;
}

/// The data that a batch needs.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Handoffs.
    pub handoffs: Vec<Arc<Handoff>>,
    /// Recorded responses to keys.
    pub remembered: Vec<(IdempotencyKey, IdempotencyRecord)>,
    /// The number of open handoffs, if requested.
    pub open: Option<u64>,
}

impl Loaded {
    /// Returns the task of a loaded handoff.
    pub fn task_of(&self, id: HandoffId) -> Option<String> {
        let found = self.handoffs.iter().find(|handoff| handoff.id == id);
        found.map(|handoff| handoff.facts.task.clone())
    }
}

/// The rows that one change writes.
#[derive(Debug, Clone, Default)]
pub struct WriteSet {
    /// Handoffs after the change.
    pub handoffs: Vec<HandoffRow>,
    /// New documents with the number of their leaf.
    pub documents: Vec<(u64, Document)>,
    /// Leaves, in order. A leaf about a handoff comes with its handoff, which names its last leaf.
    /// A store may find the earlier ones through the links between leaves.
    pub leaves: Vec<LeafRow>,
    /// Directory entries after the change.
    pub records: Vec<Record>,
    /// The response to a key. Boxed, because it is large and most changes have none.
    pub remembered: Option<Box<(IdempotencyKey, IdempotencyRecord)>>,
}

/// A handoff to write.
#[derive(Debug, Clone)]
pub struct HandoffRow {
    /// The handoff.
    pub handoff: Arc<Handoff>,
    /// When its next deadline passes.
    pub due_at: Option<Timestamp>,
    /// `true` if it did not exist before.
    pub is_new: bool,
    /// `true` if its facts changed.
    pub has_new_facts: bool,
}

/// A leaf of the log, with details for streams.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRow {
    /// Its number.
    pub n: u64,
    /// When it happened.
    pub at: Timestamp,
    /// The event type.
    pub kind: EventType,
    /// The handoff that it concerns.
    pub handoff: Option<HandoffId>,
    /// The number of the previous leaf of the same handoff.
    pub previous: Option<u64>,
    /// The exact bytes of the leaf.
    pub leaf: String,
    /// Further details for streams, as JSON: the event body without the members of the leaf.
    pub detail: String,
}

/// A document with the number of the leaf that added it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The number of the leaf.
    pub n: u64,
    /// The document.
    pub document: Document,
}

/// A query for a list of handoffs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// States; empty matches any.
    pub states: Vec<StateWord>,
    /// Receivers; empty matches any.
    pub receivers: Vec<PartyId>,
    /// Senders; empty matches any.
    pub senders: Vec<PartyId>,
    /// `true` for handoffs that wait for their sender.
    pub awaits_sender: bool,
    /// Parties that judge a return instead of its sender; empty matches any.
    pub judges: Vec<PartyId>,
    /// `true` for returns that their senders may not judge and another party must. Replaces
    /// `judges`.
    pub left_to_others: bool,
    /// Failures that this party has not acknowledged. Replaces `judges`, `left_to_others` and
    /// `awaits_sender`.
    pub failures_for: Option<PartyId>,
    /// The holder.
    pub holder: Option<PartyId>,
    /// The task.
    pub task: Option<String>,
    /// The last digits of the id.
    pub ending: Option<String>,
    /// The handoff to continue after, in the order of the list.
    pub after: Option<HandoffId>,
    /// The position to continue after, in the orders [`Order::Urgent`] and [`Order::Deadline`].
    pub behind: Option<Urgency>,
    /// The order.
    pub order: Order,
    /// The part of the list that is looked at, in the orders [`Order::Newest`] and
    /// [`Order::Oldest`].
    pub extent: Extent,
    /// The maximum number of results.
    pub limit: u32,
}

/// The part of a list that is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything, by the index that fits the query.
    #[default]
    All,
    /// Handoffs one after the other in the order of ids, up to this one if there is one.
    Until(Option<HandoffId>),
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// High risk first, then the longest wait.
    Urgent,
    /// The next deadline first. A list continues after a position, not after a handoff.
    Deadline,
}

/// The number of handoffs by state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of handoffs begun.
    pub begun: u64,
    /// The number of handoffs submitted.
    pub submitted: u64,
    /// The number of handoffs in each state.
    pub states: Vec<(StateWord, u64)>,
}

impl Counts {
    /// Returns the number of open handoffs.
    pub fn open(&self) -> u64 {
        self.states.iter().filter(|(state, _)| state.is_open()).map(|(_, count)| count).sum()
    }
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The number of the leaf that added it.
    pub n: u64,
    /// The handoff.
    pub handoff: Option<HandoffId>,
    /// The kind of document or the type of event.
    pub kind: String,
    /// The text around the matching words.
    pub excerpt: String,
}

/// Parses the packet in a stored document.
pub fn read_packet(stored: &Stored) -> Result<Packet, Fault> {
    let value = serde_json::from_str(&stored.document.sealed.body).ok();
    value.and_then(|value| Packet::from_value(value).ok()).ok_or_else(|| {
        let document = &stored.document;
        let (kind, id, handoff) = (document.kind.as_str(), &document.id, document.handoff);
        let message = format!("document {kind} {id} of {handoff} is not a packet");
        Fault::new(FaultKind::Corrupt, message)
    })
}
