//! The store: its projects, their write locks, and scheduled faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record,
};
use tasuki_engine::ports::{
    ClockReference, Counts, Found, LeafRow, Pending, Query, Store, Stored, Transaction,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};

use super::delivery::Delivered;
use super::people::Accounts;
use super::tables::Tables;
use super::transaction::MemoryTransaction;

/// A store in memory. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    pub(super) shared: Arc<Mutex<Shared>>,
}

/// The points at which a store can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultPoint {
    /// The transaction does not open.
    Open,
    /// Handoffs cannot be loaded.
    Load,
    /// Nothing becomes durable.
    Commit,
    /// Everything becomes durable, but the commit is not acknowledged.
    AfterCommit,
}

#[derive(Debug, Default)]
pub(super) struct Shared {
    projects: BTreeMap<ProjectId, Project>,
    pub(super) people: Accounts,
    pub(super) clock: Option<ClockReference>,
    faults: Vec<FaultPoint>,
}

#[derive(Debug)]
struct Project {
    name: String,
    tables: Tables,
    delivered: Delivered,
    /// The write lock. It is asynchronous, so that waiting for it blocks no thread.
    writer: Arc<tokio::sync::Mutex<()>>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fails once at the next visit of this point. Several calls schedule several failures.
    pub fn fail_next(&self, point: FaultPoint) {
        self.lock().faults.push(point);
    }

    /// Returns the due time of every handoff of a project, by id.
    pub fn due_times(&self, project: ProjectId) -> Vec<(HandoffId, Option<Timestamp>)> {
        self.lock().tables(project).map(|tables| tables.due_times()).unwrap_or_default()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic while the lock is held")
    }

    fn read<T: Send + 'static>(
        &self,
        project: ProjectId,
        query: impl FnOnce(&Tables) -> T,
    ) -> Pending<'static, T> {
        let answer = self.lock().tables(project).map(|tables| query(tables));
        Box::pin(std::future::ready(answer))
    }
}

impl Shared {
    pub(super) fn tables(&mut self, project: ProjectId) -> Result<&mut Tables, Fault> {
        let found = self.projects.get_mut(&project).map(|found| &mut found.tables);
        found.ok_or_else(|| unknown(project))
    }

    pub(super) fn delivered(&mut self, project: ProjectId) -> Result<&mut Delivered, Fault> {
        let found = self.projects.get_mut(&project).map(|found| &mut found.delivered);
        found.ok_or_else(|| unknown(project))
    }

    /// Triggers a scheduled fault once.
    pub(super) fn pass(&mut self, point: FaultPoint) -> Result<(), Fault> {
        let Some(place) = self.faults.iter().position(|scheduled| *scheduled == point) else {
            return Ok(());
        };
        self.faults.swap_remove(place);
        Err(point.fault())
    }
}

impl FaultPoint {
    pub(crate) fn fault(self) -> Fault {
        let (kind, message) = match self {
            Self::Open => (FaultKind::StoreUnavailable, "injected fault: open"),
            Self::Load => (FaultKind::Io, "injected fault: load"),
            Self::Commit => (FaultKind::DiskFull, "injected fault: commit"),
            Self::AfterCommit => {
                (FaultKind::OutcomeUnknown, "injected fault: commit not acknowledged")
            }
        };
        Fault::new(kind, message)
    }
}

fn unknown(project: ProjectId) -> Fault {
    Fault::new(FaultKind::StoreUnavailable, format!("no project {project} in this store"))
}

impl Store for MemoryStore {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let writer = {
                let mut shared = self.lock();
                shared.pass(FaultPoint::Open)?;
                let found = shared.projects.get(&project).ok_or_else(|| unknown(project))?;
                Arc::clone(&found.writer)
            };
            let guard = writer.lock_owned().await;
            let tables = self.lock().tables(project)?.clone();
            let transaction = MemoryTransaction::new(self.clone(), tables, guard);
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        let head = self.lock().tables(project).ok().map(|tables| tables.head.clone());
        Box::pin(std::future::ready(Ok(head)))
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        let mut shared = self.lock();
        let has_name = shared.projects.values().any(|project| project.name == name);
        let is_new = !has_name && !shared.projects.contains_key(&head.project);
        if is_new {
            let writer = Arc::default();
            let id = head.project;
            let (tables, delivered) = (Tables::new(head), Delivered::default());
            shared.projects.insert(id, Project { name, tables, delivered, writer });
        }
        Box::pin(std::future::ready(Ok(is_new)))
    }

    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        Box::pin(std::future::ready(Ok(self.lock().clock.clone())))
    }

    fn put_clock(&self, reference: ClockReference) -> Pending<'_, ()> {
        self.lock().clock = Some(reference);
        Box::pin(std::future::ready(Ok(())))
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        let shared = self.lock();
        let named = shared.projects.iter().map(|(id, project)| (project.name.clone(), *id));
        let mut all: Vec<_> = named.collect();
        all.sort();
        Box::pin(std::future::ready(Ok(all)))
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        self.read(project, Tables::directory)
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.read(project, |tables| tables.handoff(id))
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        self.read(project, |tables| tables.handoffs(&query))
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        self.read(project, |tables| tables.handoff_at(after, is_newest_first, places))
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        let done = self.lock().tables(project).map(|tables| tables.acknowledge(party, failures));
        Box::pin(std::future::ready(done))
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        self.read(project, |tables| tables.documents(handoff, kind))
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        self.read(project, |tables| tables.leaves(from, limit))
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        self.read(project, |tables| tables.leaves_of(handoff))
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        self.read(project, |tables| tables.next_due().is_some_and(|due_at| due_at <= now))
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        self.read(project, Tables::next_due)
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        self.read(project, Tables::counts)
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        self.read(project, |tables| {
            tables
                .load(&LoadSet { keys: keys.into_iter().collect(), ..LoadSet::default() })
                .remembered
        })
    }

    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>> {
        self.read(project, |tables| tables.search(&words, before, limit))
    }
}

#[cfg(test)]
mod tests {
    use tasuki_engine::model::StateWord;
    use tasuki_engine::ports::WriteSet;

    use super::*;
    use crate::samples::{self, Log};

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(future)
    }

    async fn commit(store: &MemoryStore, log: &Log, written: WriteSet) -> Result<(), Fault> {
        let mut transaction = store.open(log.head.project).await?;
        transaction.load(&tasuki_engine::model::LoadSet::default()).await?;
        transaction.write(written);
        transaction.commit(log.head.clone()).await
    }

    fn with_project() -> (MemoryStore, Log) {
        let (store, log) = (MemoryStore::new(), Log::new(samples::project("default")));
        assert!(run(store.create(log.head.clone(), "default".to_owned())).unwrap());
        (store, log)
    }

    #[test]
    fn it_fails_once_at_the_scheduled_point() {
        for (point, code, is_there) in [
            (FaultPoint::Open, "TK-STORE-UNAVAILABLE", false),
            (FaultPoint::Load, "TK-STORE-IO", false),
            (FaultPoint::Commit, "TK-STORE-FULL", false),
            (FaultPoint::AfterCommit, "TK-OUTCOME-UNKNOWN", true),
        ] {
            let (store, mut log) = with_project();
            let before = log.clone();
            let handoff = samples::handoff(StateWord::Offered);
            let written = log.submitted(handoff.clone());
            store.fail_next(point);

            let fault = run(commit(&store, &log, written)).unwrap_err();
            assert_eq!(fault.code(), code);
            let found = run(store.handoff(log.head.project, handoff.id)).unwrap();
            assert_eq!(found.is_some(), is_there, "{point:?}");

            let mut log = if is_there { log } else { before };
            let written = log.submitted(samples::handoff_numbered(2, StateWord::Held));
            run(commit(&store, &log, written)).unwrap();
        }
    }

    #[test]
    fn it_refuses_invalid_writes() {
        let check = |spoil: fn(&mut WriteSet), expected: &str| {
            let (store, mut log) = with_project();
            let mut written = log.submitted(samples::handoff(StateWord::Offered));
            spoil(&mut written);
            let fault = run(commit(&store, &log, written)).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Bug);
            assert!(fault.message.contains(expected), "{fault}");
            assert_eq!(run(store.head(log.head.project)).unwrap().unwrap().leaves, 0);
        };
        check(|written| written.leaves[0].n = 1, "leaf 1 after 0 leaves");
        check(|written| written.leaves.clear(), "head has 1 leaves, expected 0");
        check(|written| written.handoffs[0].is_new = false, "`is_new: false`");
        check(|written| written.handoffs.push(written.handoffs[0].clone()), "`is_new: true`");
    }
}
