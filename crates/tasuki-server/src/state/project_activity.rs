//! Records which projects were used lately, here or by another process: background tasks check these often
//! and the others seldom.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_packet::id::ProjectId;
use tokio::sync::watch;

/// How long a project counts as in use.
const RECENT: Duration = Duration::from_mins(1);

/// When each project was last used.
#[derive(Debug, Default)]
pub(crate) struct ProjectActivity {
    used: Mutex<HashMap<ProjectId, Instant>>,
    changes: watch::Sender<()>,
}

impl ProjectActivity {
    /// Records that a project is used.
    pub(crate) fn touch(&self, project: ProjectId) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(project, Instant::now());
    }

    /// Records that another process has written to a project, and wakes the background tasks.
    pub(crate) fn external_write(&self, project: ProjectId) {
        self.touch(project);
        self.changes.send_replace(());
    }

    /// Returns a receiver that changes whenever another process has written to a project.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// The projects that were used lately.
    pub(crate) fn recent(&self) -> HashSet<ProjectId> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |(_, at): &(&ProjectId, &Instant)| at.elapsed() < RECENT;
        used.iter().filter(is_recent).map(|(id, _)| *id).collect()
    }
}
