//! Maintenance of the store, and change tracking by its stamps.

use std::collections::HashMap;
use std::sync::Arc;

use tasuki_packet::id::ProjectId;

/// Regular maintenance of a store. The methods may block.
pub trait StoreMaintenance: Send + Sync + 'static {
    /// Adds at most `leaves_max` leaves of a project to its search index. Returns `true` if nothing
    /// is left to index, or nothing can be indexed now.
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool;

    /// Closes idle projects.
    fn close_idle(&self);

    /// Returns a number that changes with every write of any process to the project. It is cheap to
    /// read and may also change without a write.
    fn change_stamp(&self, project: ProjectId) -> u64;

    /// Returns `true` if this process delivers. Of several processes that serve one store, one
    /// delivers; when it ends, another takes over.
    fn owns_delivery(&self) -> bool;
}

/// Tracks which projects have changed since they were last checked. An unchanged project needs no
/// read and stays closed.
pub(crate) struct ChangeTracker {
    maintenance: Option<Arc<dyn StoreMaintenance>>,
    known: HashMap<ProjectId, u64>,
}

impl ChangeTracker {
    /// Creates a tracker. Without maintenance, every project counts as changed.
    pub(crate) fn new(maintenance: Option<Arc<dyn StoreMaintenance>>) -> Self {
        Self { maintenance, known: HashMap::new() }
    }

    /// Returns `true` if a project has changed since the last call.
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
