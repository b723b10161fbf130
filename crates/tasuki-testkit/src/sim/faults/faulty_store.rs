//! A store behind a barrier, with scheduled faults and sabotage.
//!
//! A sabotaged store returns wrong data, which shows that the checks notice it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, Party, Record,
};
use tasuki_engine::ports::{
    ClockReference, Counts, Found, LeafRow, Pending, Query, Store, Stored, Transaction,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};

use super::barrier::Barrier;
use super::faulty_transaction::{Faults, FaultyTransaction};
use crate::memory::FaultPoint;

/// A deliberate error that the checks must notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// A stale fence is accepted as the current one.
    FencingOff,
    /// Two leaves are swapped.
    LeavesSwapped,
    /// A leaf was changed after it was written.
    LeafRewritten,
    /// A handoff is missing.
    HandoffLost,
    /// A commit is acknowledged but not made.
    CommitForgotten,
    /// Deadlines are applied a second late.
    DueLate,
    /// No handoff is ever listed as due.
    ClockNeverComes,
    /// A counter is too high by one.
    TallyWrong,
    /// Gate signatures also count for the next revision.
    ApprovalsOutlive,
    /// An accept also counts for the next revision.
    AcceptOutlives,
    /// The readings of the clock are forgotten.
    ClockForgotten,
    /// A person stays away after the end of an absence.
    AbsenceOutlives,
}

pub(crate) struct FaultyStore {
    store: Arc<dyn Store>,
    barrier: Arc<Barrier>,
    faults: Faults,
    sabotage: Option<Sabotage>,
    commit_count: AtomicU64,
    /// Fields are dropped in this order.
    _drop_signal: DropSignal,
}

impl FaultyStore {
    pub(crate) fn new(store: Arc<dyn Store>, faults: Faults, sabotage: Option<Sabotage>) -> Self {
        let (barrier, commit_count) = (Arc::<Barrier>::default(), AtomicU64::new(0));
        let drop_signal = DropSignal(Arc::clone(&barrier));
        Self { store, barrier, faults, sabotage, commit_count, _drop_signal: drop_signal }
    }

    pub(crate) fn barrier(&self) -> Arc<Barrier> {
        Arc::clone(&self.barrier)
    }

    fn is(&self, sabotage: Sabotage) -> bool {
        self.sabotage == Some(sabotage)
    }
}

/// Signals that the engine was dropped. It is dropped last, when the store is closed.
struct DropSignal(Arc<Barrier>);

impl Drop for DropSignal {
    fn drop(&mut self) {
        self.0.mark_dropped();
    }
}

impl Store for FaultyStore {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            self.faults.schedule(&self.barrier.pass());
            self.faults.trigger(FaultPoint::Open)?;
            let transaction = self.store.open(project).await?;
            let number = self.commit_count.fetch_add(1, Ordering::SeqCst);
            let is_spared = self.is(Sabotage::CommitForgotten) && number % 16 != 15;
            let sabotage = self.sabotage.filter(|_| !is_spared);
            let faults = self.faults.clone();
            let transaction = FaultyTransaction { transaction, faults, sabotage };
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        self.store.head(project)
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        self.store.create(head, name)
    }

    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        if self.is(Sabotage::ClockForgotten) {
            return Box::pin(std::future::ready(Ok(None)));
        }
        self.store.clock()
    }

    fn put_clock(&self, reference: ClockReference) -> Pending<'_, ()> {
        self.store.put_clock(reference)
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        self.store.projects()
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let mut records = self.store.directory(project).await?;
            if self.is(Sabotage::AbsenceOutlives) {
                records.iter_mut().for_each(stay_away);
            }
            Ok(records)
        })
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.store.handoff(project, id)
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        Box::pin(async move {
            let mut all = self.store.handoffs(project, query).await?;
            if self.is(Sabotage::HandoffLost) && all.len() > 2 {
                all.remove(1);
            }
            if self.is(Sabotage::ApprovalsOutlive) {
                all.iter_mut().for_each(outlive);
            }
            Ok(all)
        })
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
        Box::pin(async move {
            let mut leaves = self.store.leaves(project, from, limit).await?;
            if self.is(Sabotage::LeavesSwapped) && from > 0 && leaves.len() > 1 {
                leaves.swap(0, 1);
            }
            if self.is(Sabotage::LeafRewritten) && from == 0 && leaves.len() > 30 {
                leaves[1].leaf = leaves[1].leaf.replace("agent", "human");
            }
            Ok(leaves)
        })
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
        Box::pin(async move {
            let mut counts = self.store.counts(project).await?;
            counts.submitted += u64::from(self.is(Sabotage::TallyWrong));
            Ok(counts)
        })
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

/// Lets a person who was away stay away.
pub(super) fn stay_away(record: &mut Record) {
    if let Record::Party(Party { absence: Some(absence), .. }) = record {
        absence.until += SignedDuration::from_hours(24 * 60);
    }
}

/// Dates the signatures back by one revision, as if the last revision had come after them.
fn outlive(handoff: &mut Handoff) {
    for approval in &mut handoff.progress.signatures {
        approval.revision = approval.revision.saturating_sub(1);
    }
}
