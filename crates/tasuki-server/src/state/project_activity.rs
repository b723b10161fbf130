//! Records which projects were used recently, here or by another process. Background tasks check
//! these often and the others rarely.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_packet::id::ProjectId;
use tokio::sync::watch;

/// How long a project counts as in use.
const RECENT: Duration = Duration::from_mins(1);

#[derive(Debug, Default)]
pub(crate) struct ProjectActivity {
    used: Mutex<HashMap<ProjectId, Instant>>,
    changes: watch::Sender<()>,
}

impl ProjectActivity {
    /// Records a use of a project.
    pub(crate) fn touch(&self, project: ProjectId) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(project, Instant::now());
    }

    /// Records a write of another process to a project, and wakes the background tasks.
    pub(crate) fn external_write(&self, project: ProjectId) {
        self.touch(project);
        self.changes.send_replace(());
    }

    /// Returns a receiver that changes with every write of another process.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    pub(crate) fn recent(&self) -> HashSet<ProjectId> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |(_, at): &(&ProjectId, &Instant)| at.elapsed() < RECENT;
        used.iter().filter(is_recent).map(|(id, _)| *id).collect()
    }
}
