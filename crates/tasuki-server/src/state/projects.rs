//! The projects of the exchange, by name and by the prefix of their tokens. The list is cached for
//! a second, so that a request costs no read. A token of a project that the list does not have is
//! looked up again, because another process may just have created the project.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::error::Fault;
use tasuki_engine::ports::Store;
use tasuki_packet::credential::Credential;
use tasuki_packet::id::ProjectId;

/// The lifetime of the cached list.
const TTL: Duration = Duration::from_secs(1);

pub(crate) type List = Arc<Vec<(String, ProjectId)>>;

#[derive(Debug, Default)]
pub(crate) struct Projects {
    cached: Mutex<Option<(Instant, List)>>,
}

impl Projects {
    pub(crate) async fn all(&self, store: &dyn Store) -> Result<List, Fault> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, list)) = cached.filter(|(since, _)| since.elapsed() < TTL) {
            return Ok(list);
        }
        self.read(store).await
    }

    async fn read(&self, store: &dyn Store) -> Result<List, Fault> {
        let list = Arc::new(store.projects().await?);
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((Instant::now(), Arc::clone(&list)));
        Ok(list)
    }

    /// Returns the project that a token names.
    pub(crate) async fn of_token(
        &self,
        store: &dyn Store,
        token: &Credential,
    ) -> Result<Option<ProjectId>, Fault> {
        Ok(project_of(&self.all(store).await?, token))
    }

    /// Returns the project that a token names, even if it was created a moment ago.
    pub(crate) async fn of_token_now(
        &self,
        store: &dyn Store,
        token: &Credential,
    ) -> Result<Option<ProjectId>, Fault> {
        Ok(project_of(&self.read(store).await?, token))
    }

    pub(crate) async fn named(
        &self,
        store: &dyn Store,
        name: &str,
    ) -> Result<Option<ProjectId>, Fault> {
        let all = self.all(store).await?;
        Ok(all.iter().find(|(known, _)| known == name).map(|(_, id)| *id))
    }
}

fn project_of(all: &[(String, ProjectId)], token: &Credential) -> Option<ProjectId> {
    all.iter().map(|(_, id)| *id).find(|id| token.is_of(*id))
}
