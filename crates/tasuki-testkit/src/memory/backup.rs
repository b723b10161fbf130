//! A copy of a project that can be restored later.

use tasuki_packet::id::ProjectId;

use super::store::MemoryStore;
use super::tables::Tables;

/// A snapshot of a project.
#[derive(Debug, Clone)]
pub struct Backup {
    tables: Tables,
}

impl MemoryStore {
    /// Copies a project.
    ///
    /// # Panics
    ///
    /// Panics if the project does not exist.
    pub fn back_up(&self, project: ProjectId) -> Backup {
        let tables = self.lock().tables(project).expect("the project exists").clone();
        Backup { tables }
    }

    /// Replaces a project by a copy.
    ///
    /// # Panics
    ///
    /// Panics if the project does not exist.
    pub fn put_back(&self, project: ProjectId, backup: &Backup) {
        let mut shared = self.lock();
        *shared.tables(project).expect("the project exists") = backup.tables.clone();
    }
}
