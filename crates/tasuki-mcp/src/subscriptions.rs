//! Subscriptions to resources: a client hears when one has changed, and reads it again.
//!
//! Changes are found by looking, because another process may make them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::resources::Resource;
use crate::session::Session;

/// LIMIT: resources of one subscription.
pub(crate) const RESOURCES_MAX: usize = 50;

/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// A resource that is watched, and how it looked last.
pub(crate) struct Watched {
    uri: String,
    resource: Resource,
    last: Option<String>,
}

impl Watched {
    /// Starts watching a resource, if the URI names one.
    pub(crate) fn new(uri: &str) -> Option<Self> {
        Some(Self { uri: uri.to_owned(), resource: Resource::parse(uri)?, last: None })
    }

    /// Looks once, and returns `true` if it has changed since the last look.
    async fn has_changed(&mut self, session: &Session) -> bool {
        // A resource that cannot be read now may be readable later.
        let Ok(now) = self.resource.fingerprint(session).await else { return false };
        let before = self.last.replace(now);
        before.is_some() && before != self.last
    }
}

/// Waits until one of these resources has changed, and returns its URI.
pub(crate) async fn next_change(session: &Session, watched: &mut [Watched]) -> String {
    loop {
        for one in watched.iter_mut() {
            if one.has_changed(session).await {
                return one.uri.clone();
            }
        }
        sleep(PAUSE).await;
    }
}

/// The subscriptions of a connection with a handshake, by URI. They end with it.
#[derive(Clone, Default)]
pub(crate) struct ConnectionSubscriptions(Arc<Mutex<BTreeMap<String, AbortHandle>>>);

impl ConnectionSubscriptions {
    /// Adds the task that serves a subscription. Returns `false` if there are too many.
    pub(crate) fn add(&self, uri: String, task: AbortHandle) -> bool {
        let mut tasks = self.tasks();
        if tasks.len() >= RESOURCES_MAX && !tasks.contains_key(&uri) {
            task.abort();
            return false;
        }
        if let Some(before) = tasks.insert(uri, task) {
            before.abort();
        }
        true
    }

    /// Ends a subscription.
    pub(crate) fn remove(&self, uri: &str) {
        if let Some(task) = self.tasks().remove(uri) {
            task.abort();
        }
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
