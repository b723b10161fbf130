//! A store that measures each part of a batch, and forwards everything else.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record,
};
use tasuki_engine::ports::{
    Counts, Found, LeafRow, Loaded, Pending, Query, Store, Stored, Transaction, WriteSet,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_store::SqliteStore;

use crate::meter::Meter;

/// The parts of a batch: waiting for the transaction, loading, deciding, writing with its fsync.
pub const PHASES: &[&str] = &["open", "load", "decide", "commit"];

/// The product's store with a meter.
pub struct Timed {
    store: Arc<SqliteStore>,
    meter: Arc<Meter>,
}

struct TimedTransaction {
    inner: Box<dyn Transaction>,
    meter: Arc<Meter>,
    /// The end of the last phase.
    since: Instant,
}

impl Timed {
    /// Adds a meter to a store.
    pub fn new(store: Arc<SqliteStore>, meter: Arc<Meter>) -> Self {
        Self { store, meter }
    }
}

impl Store for Timed {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let start = Instant::now();
            let inner = self.store.open(project).await?;
            let since = self.meter.lap(0, start);
            let meter = Arc::clone(&self.meter);
            Ok(Box::new(TimedTransaction { inner, meter, since }) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        self.store.head(project)
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        self.store.create(head, name)
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        self.store.projects()
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        self.store.directory(project)
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.store.handoff(project, id)
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        self.store.handoffs(project, query)
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        self.store.acknowledge(project, party, failures)
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        self.store.documents(project, handoff, kind)
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        self.store.leaves(project, from, limit)
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        self.store.handoff_at(project, after, is_newest_first, places)
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        self.store.leaves_of(project, handoff)
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        self.store.is_due(project, now)
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        self.store.next_due(project)
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        self.store.counts(project)
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        self.store.remembered(project, keys)
    }

    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>> {
        self.store.search(project, words, before, limit)
    }
}

impl Transaction for TimedTransaction {
    fn head(&self) -> &Head {
        self.inner.head()
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        self.inner.directory()
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        self.inner.due(now, limit)
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        Box::pin(async move {
            let loaded = self.inner.load(touched).await;
            self.since = self.meter.lap(1, self.since);
            loaded
        })
    }

    fn write(&mut self, written: WriteSet) {
        self.inner.write(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(async move {
            let start = self.meter.lap(2, self.since);
            let committed = self.inner.commit(head).await;
            self.meter.lap(3, start);
            self.meter.count_commit();
            committed
        })
    }
}
