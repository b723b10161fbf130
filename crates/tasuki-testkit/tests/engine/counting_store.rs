//! A memory store that counts calls and fails on request.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record,
};
use tasuki_engine::ports::{
    Counts, Found, LeafRow, Loaded, Pending, Query, Store, Stored, Transaction, WriteSet,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_testkit::memory::MemoryStore;

/// A memory store that counts calls and fails on request.
#[derive(Clone, Default)]
pub(crate) struct CountingStore {
    pub(crate) memory: MemoryStore,
    pub(crate) probe: Arc<Probe>,
}

/// The calls so far, and the failures to come.
#[derive(Default)]
pub(crate) struct Probe {
    pub(crate) opened: AtomicUsize,
    pub(crate) committed: AtomicUsize,
    pub(crate) handoffs_written: AtomicUsize,
    /// The list queries.
    pub(crate) queries: Mutex<Vec<Query>>,
    /// The task whose handoffs are loaded with a fence that cannot grow.
    pub(crate) corrupt_task: Mutex<Option<String>>,
    /// The task whose handoffs make a batch fail to commit.
    pub(crate) unwritable_task: Mutex<Option<String>>,
    pub(crate) panics_when_opened: AtomicBool,
}

struct CountingTransaction {
    inner: Box<dyn Transaction>,
    probe: Arc<Probe>,
    is_writable: bool,
}

impl Store for CountingStore {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        self.probe.opened.fetch_add(1, Ordering::SeqCst);
        assert!(!self.probe.panics_when_opened.swap(false, Ordering::SeqCst), "injected panic");
        Box::pin(async move {
            let inner = self.memory.open(project).await?;
            let probe = Arc::clone(&self.probe);
            Ok(Box::new(CountingTransaction { inner, probe, is_writable: true }) as Box<_>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        self.memory.head(project)
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        self.memory.create(head, name)
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        self.memory.projects()
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        Store::directory(&self.memory, project)
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.memory.handoff(project, id)
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        self.probe.queries.lock().unwrap().push(query.clone());
        self.memory.handoffs(project, query)
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        self.memory.handoff_at(project, after, is_newest_first, places)
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        self.memory.acknowledge(project, party, failures)
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        self.memory.documents(project, handoff, kind)
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        self.memory.leaves(project, from, limit)
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        self.memory.leaves_of(project, handoff)
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        self.memory.is_due(project, now)
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        self.memory.next_due(project)
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        self.memory.counts(project)
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        self.memory.remembered(project, keys)
    }

    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>> {
        self.memory.search(project, words, before, limit)
    }
}

impl Transaction for CountingTransaction {
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
        let corrupt = self.probe.corrupt_task.lock().unwrap().clone();
        Box::pin(async move {
            let mut loaded = self.inner.load(touched).await?;
            for handoff in &mut loaded.handoffs {
                if corrupt.as_ref() == Some(&handoff.facts.task) {
                    Arc::make_mut(handoff).progress.fence = u64::MAX;
                }
            }
            Ok(loaded)
        })
    }

    fn write(&mut self, written: WriteSet) {
        let unwritable = self.probe.unwritable_task.lock().unwrap().clone();
        let is_of = |task: &String| written.handoffs.iter().any(|r| r.handoff.facts.task == *task);
        self.is_writable &= !unwritable.as_ref().is_some_and(is_of);
        self.probe.handoffs_written.fetch_add(written.handoffs.len(), Ordering::SeqCst);
        self.inner.write(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        if !self.is_writable {
            let fault = Fault::new(FaultKind::Io, "injected fault: write");
            return Box::pin(std::future::ready(Err(fault)));
        }
        self.probe.committed.fetch_add(1, Ordering::SeqCst);
        self.inner.commit(head)
    }
}
