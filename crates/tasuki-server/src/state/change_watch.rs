//! Notifies listeners when the log of a project grows: immediately after a write of this process,
//! soon after a write of another.
//!
//! While there are listeners, the end of the log is polled ten times a second. For patient
//! listeners it is polled only if its files have changed. Without listeners nothing runs. A command
//! of this process reports the new length of the log, which saves a read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tasuki_api as api;
use tasuki_engine::engine::Engine;
use tasuki_packet::id::ProjectId;
use tokio::sync::{Notify, watch};

/// The interval between polls for writes of other processes.
const POLL: Duration = Duration::from_millis(100);

/// The poll interval while all listeners are patient.
const PATIENT_POLL: Duration = Duration::from_secs(1);

/// The poll interval while the files are watched as well. Each poll would keep an unused project
/// open.
const FALLBACK_POLL: Duration = Duration::from_mins(3);

/// The lengths of the logs that have listeners.
#[derive(Debug)]
pub(crate) struct ChangeWatch {
    engine: Engine,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
    is_woken: AtomicBool,
}

#[derive(Debug, Clone)]
struct Channel {
    leaves: watch::Sender<u64>,
    /// The length of the log, for listeners that do not shorten the poll interval.
    patient: watch::Sender<u64>,
    wake: Arc<Notify>,
    /// The poll interval while all listeners are patient.
    idle_poll: Duration,
}

impl ChangeWatch {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, channels: Arc::default(), is_woken: AtomicBool::new(false) }
    }

    /// Declares that the files of all projects are watched and [`Self::wake`] is called on changes.
    pub(crate) fn expect_wakes(&self) {
        self.is_woken.store(true, Ordering::Relaxed);
    }

    /// Returns the number of leaves of a project, now and whenever it grows.
    pub(crate) fn listen(&self, project: ProjectId) -> watch::Receiver<u64> {
        self.subscribe(project, |channel| {
            // The poll may be in its long sleep.
            channel.wake.notify_one();
            channel.leaves.subscribe()
        })
    }

    /// Returns the number of leaves for a patient listener, which costs an idle server next to
    /// nothing.
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

    /// Wakes the poll of a project that may have been written to.
    pub(crate) fn wake(&self, project: ProjectId) {
        self.publish(project, None);
    }

    /// Publishes the length of the log after a command of this process.
    pub(crate) fn committed(&self, project: ProjectId, answer: &api::CommandResponse) {
        // A replayed response does not include what deadlines have written since.
        self.publish(project, answer.n.filter(|_| !answer.repeated));
    }

    /// Publishes the number of the last written leaf; without it the log is polled.
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

    /// Records that the log has at least this many leaves. Responses may arrive out of order.
    fn grow(&self, known: u64) {
        self.change(|leaves| leaves.max(known));
    }

    /// Records that the log had this many leaves when it was polled. A write of this process since
    /// `before` is newer than the poll.
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

    /// Returns the time until the next poll, unless woken.
    fn pause(&self) -> Duration {
        if self.leaves.receiver_count() > 0 { POLL } else { self.idle_poll }
    }
}

/// Polls the end of a log while there are listeners.
async fn poll(
    engine: Engine,
    project: ProjectId,
    channel: Channel,
    channels: Arc<Mutex<HashMap<ProjectId, Channel>>>,
) {
    loop {
        let before = *channel.leaves.borrow();
        // If the store is unavailable for a moment, the next poll retries.
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
        // After a wake and after a timeout, there may be a write.
        drop(tokio::time::timeout(channel.pause(), channel.wake.notified()).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_length_is_published_once_and_never_falls_behind_local_writes() {
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
        assert_eq!(heard(), None, "its response came late");
        channel.observed(5, 6);
        assert_eq!(heard(), None, "written since the poll");
        channel.observed(8, 9);
        assert_eq!(heard(), Some(9), "another process has written");
        channel.observed(9, 9);
        assert_eq!(heard(), None);
    }

    #[test]
    fn patient_listeners_get_the_same_and_are_polled_for_less_often() {
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
