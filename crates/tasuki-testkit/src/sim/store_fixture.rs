//! The store of a simulation, which every simulated process opens separately.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::ports::Store;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::memory::MemoryStore;

/// The due time of every handoff.
pub type DueTimes = Vec<(HandoffId, Option<Timestamp>)>;

/// Replaces the store by a copy while no engine has it open.
pub type PutBack<'g> = Box<dyn Fn() + 'g>;

/// A store that outlives the engines that crash on it.
pub trait StoreFixture {
    /// Opens the store as a new process does.
    fn open(&self) -> Arc<dyn Store>;

    /// Returns the stored due times, if this store provides them.
    fn due_times(&self, project: ProjectId) -> Option<DueTimes>;

    /// Copies the store.
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
