//! The caches of the projects that this process writes to.
//!
//! INVARIANT: a cache holds committed state only. It is valid while the project has the number of
//! commits and the last hash that it had after the last commit of this process. The number alone is
//! not enough: a database that was restored, or failed over to a standby that lacked some commits,
//! counts the same numbers again.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::Hash;

use crate::batch::cache::Cache;

/// LIMIT: projects with a cache. The others read everything from the database.
const PROJECTS_MAX: usize = 256;

/// The state of a project that a cache belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::postgres) struct CacheVersion {
    pub(in crate::postgres) commits: i64,
    pub(in crate::postgres) last_hash: Hash,
}

/// The caches that no transaction uses.
#[derive(Debug, Clone, Default)]
pub(in crate::postgres) struct Caches {
    unused: Arc<Mutex<Unused>>,
}

type Unused = HashMap<ProjectId, (CacheVersion, Cache)>;

impl Caches {
    /// Takes the cache of a project in this state; an empty one if it is not valid.
    pub(in crate::postgres) fn take(
        &self,
        project: ProjectId,
        version: CacheVersion,
    ) -> TakenCache {
        let known = self.lock().remove(&project);
        let valid = known.filter(|(known, _)| *known == version);
        let cache = valid.map(|(_, cache)| cache).unwrap_or_default();
        TakenCache { caches: self.clone(), project, version, cache: Some(cache) }
    }

    /// Drops all caches.
    pub(in crate::postgres) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Unused> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The cache of a transaction. When dropped, it is kept for the next one.
#[derive(Debug)]
pub(in crate::postgres) struct TakenCache {
    caches: Caches,
    project: ProjectId,
    version: CacheVersion,
    cache: Option<Cache>,
}

impl TakenCache {
    /// Records that the transaction was committed, with what was put into the cache.
    pub(super) fn committed(&mut self, last_hash: Hash) {
        self.version = CacheVersion { commits: self.version.commits + 1, last_hash };
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
        unused.insert(self.project, (self.version, cache));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_that_counts_the_same_commits_again_has_no_cache() {
        let (caches, project) = (Caches::default(), ProjectId::from_bytes([7; 16]));
        let at = |commits, hash| CacheVersion { commits, last_hash: Hash::from_bytes([hash; 32]) };
        let mut taken = caches.take(project, at(7, 1));
        taken.next_expiry = Some(42);
        taken.committed(Hash::from_bytes([2; 32]));
        drop(taken);
        assert_eq!(caches.take(project, at(8, 2)).next_expiry, Some(42));
        assert_eq!(caches.take(project, at(8, 3)).next_expiry, None, "another commit 8");
    }
}
