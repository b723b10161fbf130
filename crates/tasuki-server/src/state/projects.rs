//! The projects of the exchange, by name and by the prefix of their tokens. The list is cached for
//! a second, so that a request costs no read.

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
        let all = self.all(store).await?;
        Ok(all.iter().map(|(_, id)| *id).find(|id| token.is_of(*id)))
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
