//! The door of a store, which makes batches that are always the same.
//!
//! While it is shut the line waits with one command, and everything pushed meanwhile is the next batch.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::memory::FaultPoint;

/// The door of one engine's store, and the only thing that outlives it.
#[derive(Debug, Default)]
pub(crate) struct Door {
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
    pub(crate) fn shut(&self) {
        self.lock().is_shut = true;
    }

    /// Returns when somebody stands before the shut door.
    pub(crate) fn wait_for_somebody(&self) {
        drop(self.wait_until(|state| state.is_somebody_waiting));
    }

    /// Lets everybody in; the second one to come meets these faults.
    pub(crate) fn open(&self, faults: Vec<FaultPoint>) {
        let mut state = self.lock();
        state.is_shut = false;
        state.faults = Some((1, faults));
        self.changed.notify_all();
    }

    /// Takes back the faults that nobody has met.
    pub(crate) fn forget_faults(&self) {
        self.lock().faults = None;
    }

    /// Returns when the engine of this door has ended, its lines included.
    pub(crate) fn wait_until_gone(&self) {
        drop(self.wait_until(|state| state.is_gone));
    }

    /// The engine of this door has ended.
    pub(crate) fn go(&self) {
        self.lock().is_gone = true;
        self.changed.notify_all();
    }

    /// The faults that are due now.
    pub(crate) fn pass(&self) -> Vec<FaultPoint> {
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
