//! The open projects: opened on first use, closed when idle or when others need the files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::ProjectId;

use super::open_files::projects_max;
use crate::sqlite::connection::Access;
use crate::sqlite::files::project_file;
use crate::sqlite::project::Project;
use crate::sqlite::read_only::Unwritable;
use crate::sqlite::wal_checkpoint::Checkpointer;

/// How long an unused project stays open.
const IDLE: Duration = Duration::from_mins(1);

/// The projects of a store that are or were open.
#[derive(Debug)]
pub(super) struct OpenProjects {
    directory: PathBuf,
    access: Access,
    checkpointer: Option<Checkpointer>,
    all: Mutex<HashMap<ProjectId, Arc<Mutex<ProjectEntry>>>>,
    /// Counts requests for projects, which orders them by last use.
    uses: AtomicU64,
    open_max: usize,
}

/// A project that is or was open.
#[derive(Debug, Default)]
struct ProjectEntry {
    project: Option<Arc<Project>>,
    /// Counts how often it was opened.
    generation: u64,
    last_use: u64,
    idle_since: Option<Instant>,
}

impl OpenProjects {
    pub(super) fn new(
        directory: &Path,
        access: Access,
        checkpointer: Option<Checkpointer>,
    ) -> Self {
        Self {
            directory: directory.to_owned(),
            access,
            checkpointer,
            all: Mutex::default(),
            uses: AtomicU64::default(),
            open_max: projects_max(),
        }
    }

    /// Closes projects that were not used for a minute.
    pub(super) fn close_idle(&self, now: Instant) {
        let projects: Vec<_> = self.lock().values().cloned().collect();
        for opened in projects {
            // A caller that needs it waits here until it is closed.
            opened.lock().unwrap_or_else(PoisonError::into_inner).close_if_idle(now);
        }
    }

    /// Returns a project, opened if needed, and how often it was opened.
    pub(super) fn get(&self, id: ProjectId) -> Result<(Arc<Project>, u64), Fault> {
        let opened = Arc::clone(self.lock().entry(id).or_default());
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.last_use = self.uses.fetch_add(1, Ordering::Relaxed);
        if let Some(project) = &opened.project {
            return Ok((project.mark_used(), opened.generation));
        }
        self.make_room();
        let project = Arc::new(self.open(id)?);
        opened.project = Some(Arc::clone(&project));
        opened.generation += 1;
        Ok((project, opened.generation))
    }

    /// Opens a project; for reading if its disk has no space for what a writer needs.
    fn open(&self, id: ProjectId) -> Result<Project, Fault> {
        let path = self.directory.join(project_file(id));
        let opened = Project::open(id, path.clone(), self.access, self.checkpointer.clone());
        match opened {
            // A server opens it again with the next request, when space may be back.
            Err(fault) if fault.kind == FaultKind::DiskFull && self.checkpointer.is_none() => {
                let access = Access::ReadOnly(Unwritable::FullDisk);
                Project::open(id, path, access, None).or(Err(fault))
            }
            opened => opened,
        }
    }

    /// Closes the least recently used projects, so that one more can be opened.
    fn make_room(&self) {
        let all: Vec<_> = self.lock().values().cloned().collect();
        let last_use = |opened: &Arc<Mutex<ProjectEntry>>| {
            // A locked one is being opened or closed by another thread.
            let opened = opened.try_lock().ok()?;
            opened.project.as_ref().map(|_| opened.last_use)
        };
        let mut open: Vec<_> = all.iter().filter_map(|one| Some((last_use(one)?, one))).collect();
        open.sort_unstable_by_key(|(last_use, _)| *last_use);
        let mut surplus = (open.len() + 1).saturating_sub(self.open_max);
        for (_, opened) in open {
            if surplus == 0 {
                return;
            }
            let is_closed = opened.try_lock().is_ok_and(|mut opened| opened.close_if_unused());
            surplus -= usize::from(is_closed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Arc<Mutex<ProjectEntry>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectEntry {
    /// Closes the project unless it is in use. Returns `true` if it did.
    fn close_if_unused(&mut self) -> bool {
        let is_unused = self.project.as_ref().is_some_and(|one| Arc::strong_count(one) == 1);
        if is_unused {
            self.project = None;
            self.idle_since = None;
        }
        is_unused
    }

    fn close_if_idle(&mut self, now: Instant) {
        let Some(project) = &self.project else { return };
        if project.take_used() || Arc::strong_count(project) > 1 {
            self.idle_since = None;
        }
        let since = *self.idle_since.get_or_insert(now);
        if now.duration_since(since) >= IDLE {
            self.project = None;
            self.idle_since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use tasuki_engine::ports::Store as _;
    use tasuki_testkit::samples::{self, Log};

    use super::*;
    use crate::SqliteStore;
    use crate::testing::{Case, now};

    fn open_now(store: &SqliteStore) -> Vec<ProjectId> {
        let projects = store.projects.lock();
        let is_open = |opened: &Arc<Mutex<ProjectEntry>>| opened.lock().unwrap().project.is_some();
        projects.iter().filter(|(_, opened)| is_open(opened)).map(|(id, _)| *id).collect()
    }

    #[test]
    fn the_least_recently_used_project_is_closed_and_one_in_use_stays() {
        let mut case = Case::new();
        case.store.projects.open_max = 3;
        let ids = ["a", "b", "c", "d", "e"].map(samples::project);
        for (name, id) in ["a", "b", "c", "d", "e"].iter().zip(ids) {
            let created = now(case.store.create(Log::new(id).head, (*name).to_owned()));
            assert_eq!(created, Ok(true));
        }
        let in_use = case.store.project(ids[0]).unwrap();
        for id in [ids[1], ids[2], ids[1], ids[3]] {
            case.store.project(id).unwrap();
        }
        let open = open_now(&case.store);
        assert_eq!(open.len(), 3);
        assert!([ids[0], ids[1], ids[3]].iter().all(|id| open.contains(id)), "{open:?}");
        drop(in_use);
        case.store.project(ids[4]).unwrap();
        assert!(!open_now(&case.store).contains(&ids[0]));
        // A closed project is opened again on request.
        assert!(ids.iter().all(|id| now(case.store.head(*id)).unwrap().is_some()));
    }
}
