//! Caches the policies that tokens are checked against, so that a request with a valid token costs
//! no read. A token that would be refused is checked again against the store.
//!
//! A change through this server invalidates the entry; a change by another process applies after
//! the TTL.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tasuki_engine::engine::Engine;
use tasuki_engine::error::Error;
use tasuki_engine::model::{Directory, TokenKey};
use tasuki_packet::id::ProjectId;

/// The lifetime of an entry. Together with the authorization interval of streams it is one second,
/// the longest that a revoked token may work.
const TTL: Duration = Duration::from_millis(500);

/// The directory and the key that tokens are checked against.
#[derive(Debug)]
pub(crate) struct TokenPolicy {
    pub(crate) directory: Arc<Directory>,
    pub(crate) key: TokenKey,
}

/// A cache of token policies by project.
#[derive(Debug, Default)]
pub(crate) struct PolicyCache {
    entries: RwLock<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    policies: HashMap<ProjectId, (Instant, Arc<TokenPolicy>)>,
    /// Counts invalidations: a policy read before one must not be cached after it.
    invalidations: u64,
}

impl PolicyCache {
    /// Returns the cached policy, or reads it.
    pub(crate) async fn cached(
        &self,
        engine: &Engine,
        project: ProjectId,
    ) -> Result<Arc<TokenPolicy>, Error> {
        match self.lookup(project) {
            Some(policy) => Ok(policy),
            // Boxed, because nearly every request hits the cache and its future stays small.
            None => Box::pin(self.fresh(engine, project)).await,
        }
    }

    /// Reads the policy from the store.
    pub(crate) async fn fresh(
        &self,
        engine: &Engine,
        project: ProjectId,
    ) -> Result<Arc<TokenPolicy>, Error> {
        let (since, invalidations) = (Instant::now(), self.read().invalidations);
        let head = engine.head(project).await?;
        let directory = engine.directory(project).await?;
        let policy = Arc::new(TokenPolicy { directory, key: TokenKey::of(&head) });
        let mut entries = self.write();
        if entries.invalidations == invalidations {
            entries.policies.insert(project, (since, Arc::clone(&policy)));
        }
        Ok(policy)
    }

    /// Drops the entry of a project whose parties or tokens have changed.
    pub(crate) fn invalidate(&self, project: ProjectId) {
        let mut entries = self.write();
        entries.policies.remove(&project);
        entries.invalidations += 1;
    }

    fn lookup(&self, project: ProjectId) -> Option<Arc<TokenPolicy>> {
        let entries = self.read();
        let (since, policy) = entries.policies.get(&project)?;
        (since.elapsed() < TTL).then(|| Arc::clone(policy))
    }

    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}
