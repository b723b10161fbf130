//! What a world stands on: a store that every process opens for itself.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::store::Store;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::memory::MemoryStore;

/// Every handoff with the time at which the clock will move it.
pub type DueTimes = Vec<(HandoffId, Option<Timestamp>)>;

/// Puts a copy back in place of what is there, while nobody has the store open.
pub type PutBack<'g> = Box<dyn Fn() + 'g>;

/// A place that keeps what is written, whoever crashes.
pub trait Ground {
    /// The store, as a process finds it that starts now.
    fn open(&self) -> Arc<dyn Store>;

    /// What is noted as due, if this ground lets anybody see it.
    fn due_times(&self, project: ProjectId) -> Option<DueTimes>;

    /// Copies what is kept.
    fn back_up(&self, project: ProjectId) -> PutBack<'_>;
}

impl Ground for MemoryStore {
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
