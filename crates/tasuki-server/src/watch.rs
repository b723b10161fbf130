//! Who waits for news of a project hears of it: at once if it was made here, soon if another process
//! wrote to the same store.
//!
//! While somebody listens the end of the log is looked at ten times a second; while nobody does,
//! nothing runs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tasuki_engine::engine::Engine;
use tasuki_packet::id::ProjectId;
use tokio::sync::{Notify, watch};

/// How often the store is asked whether another process wrote.
const POLL: Duration = Duration::from_millis(100);

/// The ends of the logs that somebody listens to.
#[derive(Debug)]
pub(crate) struct Watch {
    engine: Engine,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
}

#[derive(Debug, Clone)]
struct Channel {
    leaves: watch::Sender<u64>,
    nudge: Arc<Notify>,
}

impl Watch {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, channels: Arc::default() }
    }

    /// The number of leaves of a project, now and whenever it grows.
    pub(crate) fn listen(&self, project: ProjectId) -> watch::Receiver<u64> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        match channels.entry(project) {
            Entry::Occupied(known) => known.get().leaves.subscribe(),
            Entry::Vacant(place) => {
                let (leaves, receiver) = watch::channel(0);
                let channel = Channel { leaves, nudge: Arc::default() };
                place.insert(channel.clone());
                let channels = Arc::clone(&self.channels);
                tokio::spawn(look(self.engine.clone(), project, channel, channels));
                receiver
            }
        }
    }

    /// Somebody here has written.
    pub(crate) fn nudge(&self, project: ProjectId) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(&project) {
            channel.nudge.notify_one();
        }
    }
}

/// Looks at the end of a log as long as somebody listens.
async fn look(
    engine: Engine,
    project: ProjectId,
    channel: Channel,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
) {
    loop {
        // A store that is away for a moment is asked again.
        if let Ok(head) = engine.head(project).await {
            channel.leaves.send_if_modified(|leaves| {
                let is_news = *leaves != head.leaves;
                *leaves = head.leaves;
                is_news
            });
        }
        // INVARIANT: nobody can begin to listen while the lock is held.
        {
            let mut channels = channels.lock().unwrap_or_else(PoisonError::into_inner);
            if channel.leaves.receiver_count() == 0 {
                channels.remove(&project);
                return;
            }
        }
        // Whether it was a nudge or the time, somebody may have written.
        drop(tokio::time::timeout(POLL, channel.nudge.notified()).await);
    }
}
