//! The caches of the projects that this process writes to.
//!
//! INVARIANT: a cache holds committed state only. It is valid while the project has the number of
//! commits that it had after the last one of this process.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tasuki_packet::id::ProjectId;

use crate::batch::cache::Cache;

/// LIMIT: projects with a cache. The others read everything from the database.
const PROJECTS_MAX: usize = 256;

/// The caches that no transaction uses.
#[derive(Debug, Clone, Default)]
pub(in crate::postgres) struct Caches {
    unused: Arc<Mutex<HashMap<ProjectId, (i64, Cache)>>>,
}

impl Caches {
    /// Takes the cache of a project with this many commits; an empty one if it is not valid.
    pub(in crate::postgres) fn take(&self, project: ProjectId, commits: i64) -> TakenCache {
        let known = self.lock().remove(&project);
        let valid = known.filter(|(known, _)| *known == commits);
        let cache = valid.map(|(_, cache)| cache).unwrap_or_default();
        TakenCache { caches: self.clone(), project, commits, cache: Some(cache) }
    }

    /// Drops all caches.
    pub(in crate::postgres) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, (i64, Cache)>> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cache of a transaction. When dropped, it is kept for the next one.
#[derive(Debug)]
pub(in crate::postgres) struct TakenCache {
    caches: Caches,
    project: ProjectId,
    commits: i64,
    cache: Option<Cache>,
}

impl TakenCache {
    /// Records that the transaction was committed, with what was put into the cache.
    pub(super) fn committed(&mut self) {
        self.commits += 1;
    }

    /// Drops the cache, because it may not match the database.
    pub(super) fn discard(&mut self) {
        self.cache = None;
    }
}

impl Deref for TakenCache {
    type Target = Cache;

    fn deref(&self) -> &Cache {
        self.cache.as_ref().expect("present until discarded")
    }
}

impl DerefMut for TakenCache {
    fn deref_mut(&mut self) -> &mut Cache {
        self.cache.as_mut().expect("present until discarded")
    }
}

impl Drop for TakenCache {
    fn drop(&mut self) {
        let Some(cache) = self.cache.take() else { return };
        let mut unused = self.caches.lock();
        if unused.len() >= PROJECTS_MAX {
            unused.clear();
        }
        unused.insert(self.project, (self.commits, cache));
    }
}
