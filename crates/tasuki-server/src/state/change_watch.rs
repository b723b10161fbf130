//! Notifies listeners when the log of a project grows: at once if it was written here, soon if another
//! process wrote to the same store.
//!
//! While there are listeners the end of the log is polled ten times a second, for patient ones only where
//! its files have changed; without listeners nothing runs. A command that was run here reports the length of
//! the log itself, so that it costs no read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tasuki_api as api;
use tasuki_engine::engine::Engine;
use tasuki_packet::id::ProjectId;
use tokio::sync::{Notify, watch};

/// How often the store is polled for writes of other processes.
const POLL: Duration = Duration::from_millis(100);

/// How often it is polled while all listeners are patient.
const PATIENT_POLL: Duration = Duration::from_secs(1);

/// How often it is polled where the files are watched as well: a poll would keep an unused project open.
const FALLBACK_POLL: Duration = Duration::from_mins(3);

/// The ends of the logs that have listeners.
#[derive(Debug)]
pub(crate) struct ChangeWatch {
    engine: Engine,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
    is_woken: AtomicBool,
}

#[derive(Debug, Clone)]
struct Channel {
    leaves: watch::Sender<u64>,
    /// The same number, for patient listeners.
    patient: watch::Sender<u64>,
    wake: Arc<Notify>,
    /// How long it sleeps while all listeners are patient.
    idle_poll: Duration,
}

impl ChangeWatch {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, channels: Arc::default(), is_woken: AtomicBool::new(false) }
    }

    /// Declares that the files of all projects are watched, and that [`Self::wake`] is called on changes.
    pub(crate) fn expect_wakes(&self) {
        self.is_woken.store(true, Ordering::Relaxed);
    }

    /// The number of leaves of a project, now and whenever it grows.
    pub(crate) fn listen(&self, project: ProjectId) -> watch::Receiver<u64> {
        self.subscribe(project, |channel| {
            // It may be sleeping for longer.
            channel.wake.notify_one();
            channel.leaves.subscribe()
        })
    }

    /// The same for a patient listener: it costs an idle server next to nothing.
    pub(crate) fn listen_patiently(&self, project: ProjectId) -> watch::Receiver<u64> {
        self.subscribe(project, |channel| channel.patient.subscribe())
    }

    fn subscribe(
        &self,
        project: ProjectId,
        subscribe: impl FnOnce(&Channel) -> watch::Receiver<u64>,
    ) -> watch::Receiver<u64> {
        let is_woken = self.is_woken.load(Ordering::Relaxed);
        let idle_poll = if is_woken { FALLBACK_POLL } else { PATIENT_POLL };
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        match channels.entry(project) {
            Entry::Occupied(known) => subscribe(known.get()),
            Entry::Vacant(place) => {
                let channel = place.insert(Channel::new(idle_poll)).clone();
                let receiver = subscribe(&channel);
                let channels = Arc::clone(&self.channels);
                tokio::spawn(poll(self.engine.clone(), project, channel, channels));
                receiver
            }
        }
    }

    /// Wakes the poll of a project that was written here, or may have been.
    pub(crate) fn wake(&self, project: ProjectId) {
        self.publish(project, None);
    }

    /// Publishes the length of the log after a command that was run here.
    pub(crate) fn committed(&self, project: ProjectId, answer: &api::CommandResponse) {
        // A replayed answer says nothing of what deadlines have written since.
        self.publish(project, answer.n.filter(|_| !answer.repeated));
    }

    /// Takes the number of the last leaf that is known to be written; without it the log is polled.
    fn publish(&self, project: ProjectId, last: Option<u64>) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        match (channels.get(&project), last) {
            (None, _) => {}
            (Some(channel), None) => channel.wake.notify_one(),
            (Some(channel), Some(last)) => channel.grow(last + 1),
        }
    }
}

impl Channel {
    fn new(idle_poll: Duration) -> Self {
        let (leaves, patient) = (watch::Sender::new(0), watch::Sender::new(0));
        Self { leaves, patient, wake: Arc::default(), idle_poll }
    }

    /// The log has at least so many leaves. Answers may come in another order than that of the log.
    fn grow(&self, known: u64) {
        self.change(|leaves| leaves.max(known));
    }

    /// The log had so many leaves when it was polled. A write here since then is newer than a poll that
    /// began before.
    fn observed(&self, before: u64, found: u64) {
        self.change(|leaves| if leaves == before { found } else { leaves });
    }

    fn change(&self, changed: impl Fn(u64) -> u64) {
        for sender in [&self.leaves, &self.patient] {
            sender.send_if_modified(|leaves| {
                let before = std::mem::replace(leaves, changed(*leaves));
                before != *leaves
            });
        }
    }

    fn is_unused(&self) -> bool {
        self.leaves.receiver_count() + self.patient.receiver_count() == 0
    }

    /// How long it sleeps, unless it is woken.
    fn pause(&self) -> Duration {
        if self.leaves.receiver_count() > 0 { POLL } else { self.idle_poll }
    }
}

/// Polls the end of a log as long as there are listeners.
async fn poll(
    engine: Engine,
    project: ProjectId,
    channel: Channel,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
) {
    loop {
        let before = *channel.leaves.borrow();
        // A store that is unavailable for a moment is polled again.
        if let Ok(head) = engine.head(project).await {
            channel.observed(before, head.leaves);
        }
        // INVARIANT: no listener can be added while the lock is held.
        {
            let mut channels = channels.lock().unwrap_or_else(PoisonError::into_inner);
            if channel.is_unused() {
                channels.remove(&project);
                return;
            }
        }
        // Whether it was woken or timed out, there may be a write.
        drop(tokio::time::timeout(channel.pause(), channel.wake.notified()).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_news_once_and_never_goes_back_behind_what_was_written_here() {
        let channel = Channel::new(PATIENT_POLL);
        let mut receiver = channel.leaves.subscribe();
        let mut heard = || {
            let is_news = receiver.has_changed().unwrap();
            is_news.then(|| *receiver.borrow_and_update())
        };
        channel.observed(0, 5);
        assert_eq!(heard(), Some(5));
        channel.grow(8);
        assert_eq!(heard(), Some(8));
        channel.grow(7);
        assert_eq!(heard(), None, "its answer came late");
        channel.observed(5, 6);
        assert_eq!(heard(), None, "somebody has written since it was looked");
        channel.observed(8, 9);
        assert_eq!(heard(), Some(9), "another process has written");
        channel.observed(9, 9);
        assert_eq!(heard(), None);
    }

    #[test]
    fn those_who_have_time_hear_the_same_and_are_looked_for_less_often() {
        let channel = Channel::new(PATIENT_POLL);
        assert!(channel.is_unused());
        let patient = channel.patient.subscribe();
        assert!(!channel.is_unused());
        assert_eq!(channel.pause(), PATIENT_POLL);
        channel.grow(3);
        assert_eq!((*patient.borrow(), patient.has_changed().unwrap()), (3, true));
        let keen = channel.leaves.subscribe();
        assert_eq!((*keen.borrow(), channel.pause()), (3, POLL));
        drop(keen);
        assert_eq!(channel.pause(), PATIENT_POLL);
    }
}
