//! Which projects somebody has used lately, here or in another process: what runs beside looks at these
//! often and at the others seldom.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::by_id::ById;
use tasuki_packet::id::ProjectId;
use tokio::sync::watch;

/// How long a project counts as used.
const LATELY: Duration = Duration::from_mins(1);

/// When each project was last used.
#[derive(Debug, Default)]
pub(crate) struct Active {
    used: Mutex<ById<ProjectId, Instant>>,
    news: watch::Sender<()>,
}

impl Active {
    /// Somebody uses a project.
    pub(crate) fn note(&self, project: ProjectId) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(project, Instant::now());
    }

    /// Somebody else has written to a project. Whoever waits for news of any project hears of it.
    pub(crate) fn written(&self, project: ProjectId) {
        self.note(project);
        self.news.send_replace(());
    }

    /// Changes whenever somebody else has written to a project.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Those that were used lately.
    pub(crate) fn lately(&self) -> HashSet<ProjectId> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |(_, at): &(&ProjectId, &Instant)| at.elapsed() < LATELY;
        used.iter().filter(is_recent).map(|(id, _)| *id).collect()
    }
}
