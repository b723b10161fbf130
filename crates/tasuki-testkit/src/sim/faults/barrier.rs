//! A barrier in front of a store that makes batches deterministic.
//!
//! While it is closed the worker waits with one command. Commands queued meanwhile form the next
//! batch.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::memory::FaultPoint;

/// The barrier of one engine's store. It outlives the engine.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    state: Mutex<BarrierState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BarrierState {
    is_closed: bool,
    is_waiting: bool,
    is_dropped: bool,
    /// The faults to trigger, after this many more transactions.
    faults: Option<(u64, Vec<FaultPoint>)>,
}

impl Barrier {
    fn lock(&self) -> MutexGuard<'_, BarrierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until(&self, is_met: impl Fn(&BarrierState) -> bool) -> MutexGuard<'_, BarrierState> {
        let state = self.lock();
        let not_yet = |state: &mut BarrierState| !is_met(state);
        self.changed.wait_while(state, not_yet).unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks every transaction from now on.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
    }

    /// Waits until a transaction is blocked.
    pub(crate) fn wait_for_arrival(&self) {
        drop(self.wait_until(|state| state.is_waiting));
    }

    /// Admits all transactions; the second one triggers these faults.
    pub(crate) fn open(&self, faults: Vec<FaultPoint>) {
        let mut state = self.lock();
        state.is_closed = false;
        state.faults = Some((1, faults));
        self.changed.notify_all();
    }

    /// Removes faults that were not triggered.
    pub(crate) fn forget_faults(&self) {
        self.lock().faults = None;
    }

    /// Waits until the engine of this barrier was dropped with its workers.
    pub(crate) fn wait_until_dropped(&self) {
        drop(self.wait_until(|state| state.is_dropped));
    }

    /// Records that the engine of this barrier was dropped.
    pub(crate) fn mark_dropped(&self) {
        self.lock().is_dropped = true;
        self.changed.notify_all();
    }

    /// Returns the faults that are due now.
    pub(crate) fn pass(&self) -> Vec<FaultPoint> {
        let mut state = self.lock();
        state.is_waiting = true;
        self.changed.notify_all();
        drop(state);
        let mut state = self.wait_until(|state| !state.is_closed);
        state.is_waiting = false;
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
