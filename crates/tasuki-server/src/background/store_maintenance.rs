//! Maintenance of the store, and the tracking of changes by its stamps.

use std::collections::HashMap;
use std::sync::Arc;

use tasuki_packet::id::ProjectId;

/// The maintenance that a store needs from time to time. It may block.
pub trait StoreMaintenance: Send + Sync + 'static {
    /// Adds at most so many leaves of a project to its search index. Returns `true` if there is nothing more
    /// to do, or nothing that can be done now.
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool;

    /// Closes idle projects.
    fn close_idle(&self);

    /// Returns a number that changes whenever any process writes to the project, and that is cheap to read.
    /// It may also change without a write.
    fn change_stamp(&self, project: ProjectId) -> u64;

    /// Returns whether this process delivers: of several that serve one store, one does. Another takes over
    /// when it has ended.
    fn owns_delivery(&self) -> bool;
}

/// Tracks which projects have changed since they were last checked. One that has not needs no read, and
/// stays closed.
pub(crate) struct ChangeTracker {
    maintenance: Option<Arc<dyn StoreMaintenance>>,
    known: HashMap<ProjectId, u64>,
}

impl ChangeTracker {
    /// Without stamps, every project counts as changed.
    pub(crate) fn new(maintenance: Option<Arc<dyn StoreMaintenance>>) -> Self {
        Self { maintenance, known: HashMap::new() }
    }

    /// Returns whether a project has changed since the last call.
    pub(crate) fn has_changed(&mut self, project: ProjectId) -> bool {
        let Some(maintenance) = &self.maintenance else { return true };
        let stamp = maintenance.change_stamp(project);
        self.known.insert(project, stamp) != Some(stamp)
    }

    /// Forgets a project that could not be checked, so that it counts as changed.
    pub(crate) fn forget(&mut self, project: ProjectId) {
        self.known.remove(&project);
    }
}
