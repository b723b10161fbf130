//! A store whose door can be shut, whose faults come when they are due, and that can be spoiled.
//!
//! The door makes batches that are always the same: while it is shut the line waits with one
//! command, and everything pushed meanwhile is the next batch. A spoiled store lies, so that it can
//! be shown that the checks find it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::directory::Record;
use tasuki_engine::document::DocumentKind;
use tasuki_engine::handoff::{Handoff, State};
use tasuki_engine::state::{Head, Key, Remembered, Touched};
use tasuki_engine::store::{
    Counts, Found, LeafRow, Loaded, Pending, Query, Store, Stored, Transaction, Written,
};
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::memory::{FaultPoint, MemoryStore};

/// What is made wrong on purpose, to see that it is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// A holder whose token is stale is let in as the one who holds the work now.
    FencingOff,
    /// Two leaves change places.
    LeavesSwapped,
    /// A leaf says something else than when it was written.
    LeafRewritten,
    /// A handoff is not there any more.
    HandoffLost,
    /// A commit is confirmed and does not happen.
    CommitForgotten,
    /// The clock comes a second late.
    DueLate,
    /// The clock never comes to what nobody asks for.
    ClockNeverComes,
    /// The tally counts one too many.
    TallyWrong,
    /// Approvals count for the revision after the one they were given for.
    ApprovalsOutlive,
    /// An accept counts for the revision after the one that was looked at.
    AcceptOutlives,
}

/// A memory store behind a door.
#[derive(Debug)]
pub(super) struct Rigged {
    store: MemoryStore,
    door: Arc<Door>,
    sabotage: Option<Sabotage>,
    commit_count: AtomicU64,
}

/// The door of one engine's store, and the only thing that outlives it.
#[derive(Debug, Default)]
pub(super) struct Door {
    state: Mutex<DoorState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct DoorState {
    is_shut: bool,
    is_somebody_waiting: bool,
    is_gone: bool,
    /// After so many more openings these faults are due.
    faults: Option<(u64, Vec<FaultPoint>)>,
}

impl Door {
    fn lock(&self) -> MutexGuard<'_, DoorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until(&self, is_so: impl Fn(&DoorState) -> bool) -> MutexGuard<'_, DoorState> {
        let state = self.lock();
        let not_yet = |state: &mut DoorState| !is_so(state);
        self.changed.wait_while(state, not_yet).unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nobody comes in.
    pub(super) fn shut(&self) {
        self.lock().is_shut = true;
    }

    /// Returns when somebody stands before the shut door.
    pub(super) fn wait_for_somebody(&self) {
        drop(self.wait_until(|state| state.is_somebody_waiting));
    }

    /// Lets everybody in; the second one to come meets these faults.
    pub(super) fn open(&self, faults: Vec<FaultPoint>) {
        let mut state = self.lock();
        state.is_shut = false;
        state.faults = Some((1, faults));
        self.changed.notify_all();
    }

    /// Takes back the faults that nobody has met.
    pub(super) fn forget_faults(&self) {
        self.lock().faults = None;
    }

    /// Returns when the engine of this door has ended, its lines included.
    pub(super) fn wait_until_gone(&self) {
        drop(self.wait_until(|state| state.is_gone));
    }

    /// The faults that are due now.
    fn pass(&self) -> Vec<FaultPoint> {
        let mut state = self.lock();
        state.is_somebody_waiting = true;
        self.changed.notify_all();
        drop(state);
        let mut state = self.wait_until(|state| !state.is_shut);
        state.is_somebody_waiting = false;
        match state.faults.take() {
            Some((0, faults)) => faults,
            Some((count, faults)) => {
                state.faults = Some((count - 1, faults));
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}

impl Rigged {
    pub(super) fn new(store: MemoryStore, sabotage: Option<Sabotage>) -> (Self, Arc<Door>) {
        let door = Arc::new(Door::default());
        let commit_count = AtomicU64::new(0);
        (Self { store, door: Arc::clone(&door), sabotage, commit_count }, door)
    }

    fn is(&self, sabotage: Sabotage) -> bool {
        self.sabotage == Some(sabotage)
    }

    /// Every handoff with the time at which the clock will move it.
    pub(super) fn due_times(&self, project: ProjectId) -> Vec<(HandoffId, Option<Timestamp>)> {
        let mut times = self.store.due_times(project);
        if self.is(Sabotage::DueLate) {
            for (_, at) in &mut times {
                *at = at.map(|at| at + SignedDuration::from_secs(1));
            }
        }
        times
    }
}

impl Drop for Rigged {
    fn drop(&mut self) {
        self.door.lock().is_gone = true;
        self.door.changed.notify_all();
    }
}

impl Store for Rigged {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            for fault in self.door.pass() {
                self.store.fail_next(fault);
            }
            let transaction = self.store.open(project).await?;
            let number = self.commit_count.fetch_add(1, Ordering::SeqCst);
            let is_spoiled = match self.sabotage {
                Some(Sabotage::CommitForgotten) => number % 16 == 15,
                Some(Sabotage::AcceptOutlives | Sabotage::ClockNeverComes) => true,
                _ => false,
            };
            let sabotage = self.sabotage.filter(|_| is_spoiled);
            Ok(match sabotage {
                Some(sabotage) => Box::new(Spoiled { transaction, sabotage }),
                None => transaction,
            })
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
        keys: Vec<Key>,
    ) -> Pending<'_, Vec<(Key, Remembered)>> {
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

/// As if the last revision had been written after its signatures.
fn outlive(handoff: &mut Handoff) {
    for approval in &mut handoff.progress.approvals {
        approval.revision = approval.revision.saturating_sub(1);
    }
}

/// Counts an accept of what may still be revised by this many revisions more.
fn count_on(handoff: &mut Arc<Handoff>, by: i32) {
    let Handoff { progress, .. } = &**handoff;
    if progress.accepted.is_some() && matches!(progress.state, State::Held(_) | State::Offered(_)) {
        let accepted = Arc::make_mut(handoff).progress.accepted.as_mut();
        let accepted = accepted.expect("it was there just now");
        accepted.revision = accepted.revision.saturating_add_signed(by);
    }
}

/// A transaction that is made wrong.
struct Spoiled {
    transaction: Box<dyn Transaction>,
    sabotage: Sabotage,
}

impl Transaction for Spoiled {
    fn head(&self) -> &Head {
        self.transaction.head()
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        self.transaction.directory()
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        if self.sabotage == Sabotage::ClockNeverComes {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        self.transaction.due(now, limit)
    }

    fn load<'a>(&'a mut self, touched: &'a Touched) -> Pending<'a, Loaded> {
        Box::pin(async move {
            let mut loaded = self.transaction.load(touched).await?;
            if self.sabotage == Sabotage::AcceptOutlives {
                loaded.handoffs.iter_mut().for_each(|handoff| count_on(handoff, 1));
            }
            Ok(loaded)
        })
    }

    /// What was not revised is written as it was, so that nothing but the revision gives it away.
    fn write(&mut self, mut written: Written) {
        let is_revised = |handoff: &Handoff| {
            let accepted = handoff.progress.accepted.as_ref();
            accepted.is_some_and(|accepted| accepted.revision <= handoff.facts.revision)
        };
        for row in &mut written.handoffs {
            if self.sabotage == Sabotage::AcceptOutlives && !is_revised(&row.handoff) {
                count_on(&mut row.handoff, -1);
            }
        }
        self.transaction.write(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        if self.sabotage == Sabotage::CommitForgotten {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.transaction.commit(head)
    }
}
