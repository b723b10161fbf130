//! What a store wants to have done from time to time, and whether a project has changed since.

use std::collections::HashMap;
use std::sync::Arc;

use tasuki_packet::id::ProjectId;

/// What a store wants to have done from time to time. It may block.
pub trait Upkeep: Send + Sync + 'static {
    /// Takes the words of at most so many leaves of a project into its index. `true` if there is nothing
    /// more to do, or nothing that can be done now.
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool;

    /// Closes what nobody uses.
    fn close_idle(&self);

    /// A number that is another one after any process has written to the project, and that costs next
    /// to nothing to ask for. It may be another one although nobody has written.
    fn stamp(&self, project: ProjectId) -> u64;

    /// Whether it is this process that delivers: of several that serve one store, one does. Whoever does
    /// not may do so later, when the other has ended; whoever does goes on until it ends.
    fn delivers(&self) -> bool;
}

/// What projects were like when something was last done with them. What has not changed since needs no
/// look, and stays closed.
pub(crate) struct Stamps {
    upkeep: Option<Arc<dyn Upkeep>>,
    known: HashMap<ProjectId, u64>,
}

impl Stamps {
    /// Where nobody can tell, everything may have changed.
    pub(crate) fn new(upkeep: Option<Arc<dyn Upkeep>>) -> Self {
        Self { upkeep, known: HashMap::new() }
    }

    /// Whether a project is another one than the last time that this was asked.
    pub(crate) fn has_moved(&mut self, project: ProjectId) -> bool {
        let Some(upkeep) = &self.upkeep else { return true };
        let stamp = upkeep.stamp(project);
        self.known.insert(project, stamp) != Some(stamp)
    }

    /// It could not be looked at, so that it is looked at again.
    pub(crate) fn forget(&mut self, project: ProjectId) {
        self.known.remove(&project);
    }
}
