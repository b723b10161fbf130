//! A copy of a project, to be put back later.

use tasuki_packet::id::ProjectId;

use super::store::MemoryStore;
use super::tables::Tables;

/// Everything that a project kept at one moment.
#[derive(Debug, Clone)]
pub struct Backup {
    tables: Tables,
}

impl MemoryStore {
    /// Copies a project.
    ///
    /// # Panics
    ///
    /// If there is no such project.
    pub fn back_up(&self, project: ProjectId) -> Backup {
        let tables = self.lock().tables(project).expect("the project is there").clone();
        Backup { tables }
    }

    /// Puts a copy back in place of what is there.
    ///
    /// # Panics
    ///
    /// If there is no such project.
    pub fn put_back(&self, project: ProjectId, backup: &Backup) {
        let mut shared = self.lock();
        *shared.tables(project).expect("the project is there") = backup.tables.clone();
    }
}
