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

    /// Returns `true` if this process does this work for all that serve the store. When it ends,
    /// another takes over. The right lasts for some seconds, so it must be asked for again.
    fn owns(&self, work: Work) -> bool;
}

/// Background work that one of several servers does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Sending webhooks, mail and other notifications.
    Delivery,
    /// Applying deadlines without a request.
    Deadlines,
    /// Filling the search index.
    Indexing,
}

impl Work {
    /// Returns the name of the work.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delivery => "delivery",
            Self::Deadlines => "deadlines",
            Self::Indexing => "indexing",
        }
    }
}

/// Asks for the right to do some work, on a thread that may block.
pub(crate) async fn owns(maintenance: &Arc<dyn StoreMaintenance>, work: Work) -> bool {
    let maintenance = Arc::clone(maintenance);
    tokio::task::spawn_blocking(move || maintenance.owns(work)).await.unwrap_or(false)
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
