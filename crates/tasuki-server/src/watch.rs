//! Who waits for news of a project hears of it: at once if it was made here, soon if another process
//! wrote to the same store.
//!
//! While somebody listens the end of the log is looked at ten times a second; while nobody does,
//! nothing runs. A command that was run here says itself how far the log goes, so that it costs no look.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tasuki_engine::engine::Engine;
use tasuki_packet::api;
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

    /// Somebody here has written, or may have.
    pub(crate) fn nudge(&self, project: ProjectId) {
        self.tell(project, None);
    }

    /// A command was run here, and this is what it was answered.
    pub(crate) fn answered(&self, project: ProjectId, answer: &api::Answer) {
        // What was answered before says nothing of what the clock has done since.
        self.tell(project, answer.n.filter(|_| !answer.repeated));
    }

    /// The number of the last leaf that is known to be written, or nothing if it must be looked.
    fn tell(&self, project: ProjectId, last: Option<u64>) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        match (channels.get(&project), last) {
            (None, _) => {}
            (Some(channel), None) => channel.nudge.notify_one(),
            (Some(channel), Some(last)) => channel.grow(last + 1),
        }
    }
}

impl Channel {
    /// The log has at least so many leaves. Answers may come in another order than that of the log.
    fn grow(&self, known: u64) {
        self.leaves.send_if_modified(|leaves| {
            let is_news = *leaves < known;
            *leaves = (*leaves).max(known);
            is_news
        });
    }

    /// The log had so many leaves when it was looked at. Whoever has written here since knows better
    /// than a look that began before.
    fn looked(&self, before: u64, found: u64) {
        self.leaves.send_if_modified(|leaves| {
            let is_news = *leaves == before && found != before;
            if is_news {
                *leaves = found;
            }
            is_news
        });
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
        let before = *channel.leaves.borrow();
        // A store that is away for a moment is asked again.
        if let Ok(head) = engine.head(project).await {
            channel.looked(before, head.leaves);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_news_once_and_never_goes_back_behind_what_was_written_here() {
        let (leaves, mut receiver) = watch::channel(0);
        let channel = Channel { leaves, nudge: Arc::default() };
        let mut heard = || {
            let is_news = receiver.has_changed().unwrap();
            is_news.then(|| *receiver.borrow_and_update())
        };
        channel.looked(0, 5);
        assert_eq!(heard(), Some(5));
        channel.grow(8);
        assert_eq!(heard(), Some(8));
        channel.grow(7);
        assert_eq!(heard(), None, "its answer came late");
        channel.looked(5, 6);
        assert_eq!(heard(), None, "somebody has written since it was looked");
        channel.looked(8, 9);
        assert_eq!(heard(), Some(9), "another process has written");
        channel.looked(9, 9);
        assert_eq!(heard(), None);
    }
}
