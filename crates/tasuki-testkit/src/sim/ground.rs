//! What a world stands on: a store that every process opens for itself.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::store::Store;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::memory::MemoryStore;

/// Every handoff with the time at which the clock will move it.
pub type DueTimes = Vec<(HandoffId, Option<Timestamp>)>;

/// A place that keeps what is written, whoever crashes.
pub trait Ground {
    /// The store, as a process finds it that starts now.
    fn open(&self) -> Arc<dyn Store>;

    /// What is noted as due, if this ground lets anybody see it.
    fn due_times(&self, project: ProjectId) -> Option<DueTimes>;
}

impl Ground for MemoryStore {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.clone())
    }

    fn due_times(&self, project: ProjectId) -> Option<DueTimes> {
        Some(Self::due_times(self, project))
    }
}
