//! The store of a simulation, which every simulated process opens for itself.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::ports::Store;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::memory::MemoryStore;

/// Every handoff with the time at which the clock will move it.
pub type DueTimes = Vec<(HandoffId, Option<Timestamp>)>;

/// Puts a copy back in place of what is there, while no engine has the store open.
pub type PutBack<'g> = Box<dyn Fn() + 'g>;

/// A store that outlives the engines that crash on it.
pub trait StoreFixture {
    /// The store, as a process finds it that starts now.
    fn open(&self) -> Arc<dyn Store>;

    /// Returns the stored due times, if this store shows them.
    fn due_times(&self, project: ProjectId) -> Option<DueTimes>;

    /// Copies what is kept.
    fn back_up(&self, project: ProjectId) -> PutBack<'_>;
}

impl StoreFixture for MemoryStore {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.clone())
    }

    fn due_times(&self, project: ProjectId) -> Option<DueTimes> {
        Some(Self::due_times(self, project))
    }

    fn back_up(&self, project: ProjectId) -> PutBack<'_> {
        let backup = Self::back_up(self, project);
        Box::new(move || self.put_back(project, &backup))
    }
}
