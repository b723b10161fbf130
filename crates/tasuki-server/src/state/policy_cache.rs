//! What a project has agreed on about its tokens, as it was a moment ago, so that a request with a good
//! token costs no read. Whoever would be refused is looked at again with what is there now.
//!
//! What changes here is forgotten here; what another process changes counts within a moment.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tasuki_engine::by_id::ById;
use tasuki_engine::directory::Directory;
use tasuki_engine::engine::Engine;
use tasuki_engine::error::Error;
use tasuki_engine::token::TokenKey;
use tasuki_packet::id::ProjectId;

/// How long what is known counts. Together with how long a stream is trusted it is a second, which is
/// the longest that a revoked token may work.
const REMEMBERED: Duration = Duration::from_millis(500);

/// What a token is looked up in.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) directory: Arc<Directory>,
    pub(crate) key: TokenKey,
    /// The time of the last leaf: no clock of ours goes back behind it.
    pub(crate) last_at: Timestamp,
}

/// The policies that are known.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    policies: ById<ProjectId, (Instant, Arc<Policy>)>,
    /// How often something was forgotten: what was read before that is not remembered after it.
    forgotten: u64,
}

impl Policies {
    /// As it was a moment ago.
    pub(crate) async fn lately(
        &self,
        engine: &Engine,
        project: ProjectId,
    ) -> Result<Arc<Policy>, Error> {
        match self.known(project) {
            Some(policy) => Ok(policy),
            // Boxed, because nearly every request finds it known and would carry the room for this.
            None => Box::pin(self.now(engine, project)).await,
        }
    }

    /// As it is.
    pub(crate) async fn now(
        &self,
        engine: &Engine,
        project: ProjectId,
    ) -> Result<Arc<Policy>, Error> {
        let (since, forgotten) = (Instant::now(), self.read().forgotten);
        let head = engine.head(project).await?;
        let directory = engine.directory(project).await?;
        let (key, last_at) = (TokenKey::of(&head), head.last_at);
        let policy = Arc::new(Policy { directory, key, last_at });
        let mut known = self.write();
        if known.forgotten == forgotten {
            known.policies.insert(project, (since, Arc::clone(&policy)));
        }
        Ok(policy)
    }

    /// Something about parties or tokens has changed.
    pub(crate) fn forget(&self, project: ProjectId) {
        let mut known = self.write();
        known.policies.remove(&project);
        known.forgotten += 1;
    }

    fn known(&self, project: ProjectId) -> Option<Arc<Policy>> {
        let known = self.read();
        let (since, policy) = known.policies.get(&project)?;
        (since.elapsed() < REMEMBERED).then(|| Arc::clone(policy))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}
