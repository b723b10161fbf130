//! A copy of a project and the clock that can be restored later.

use tasuki_engine::ports::ClockReference;
use tasuki_packet::id::ProjectId;

use super::store::MemoryStore;
use super::tables::Tables;

/// A snapshot of a project.
#[derive(Debug, Clone)]
pub struct Backup {
    tables: Tables,
    clock: Option<ClockReference>,
}

impl MemoryStore {
    /// Copies a project.
    ///
    /// # Panics
    ///
    /// Panics if the project does not exist.
    pub fn back_up(&self, project: ProjectId) -> Backup {
        let mut shared = self.lock();
        let clock = shared.clock.clone();
        let tables = shared.tables(project).expect("the project exists").clone();
        Backup { tables, clock }
    }

    /// Replaces a project by a copy.
    ///
    /// # Panics
    ///
    /// Panics if the project does not exist.
    pub fn put_back(&self, project: ProjectId, backup: &Backup) {
        let mut shared = self.lock();
        *shared.tables(project).expect("the project exists") = backup.tables.clone();
        shared.clock.clone_from(&backup.clock);
    }
}
