//! Who waits for news of a project hears of it: at once if it was made here, soon if another process
//! wrote to the same store.
//!
//! While somebody listens the end of the log is looked at ten times a second, for those who have time only
//! where its files have changed; while nobody does, nothing runs. A command that was run here says itself
//! how far the log goes, so that it costs no look.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tasuki_engine::by_id::ById;
use tasuki_engine::engine::Engine;
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tokio::sync::{Notify, watch};

/// How often the store is asked whether another process wrote.
const POLL: Duration = Duration::from_millis(100);

/// The same while only those listen who have time.
const PATIENT_POLL: Duration = Duration::from_secs(1);

/// The same where what looks at the files says so before: a look here would keep open what nobody uses.
const TOLD_POLL: Duration = Duration::from_mins(3);

/// The ends of the logs that somebody listens to.
#[derive(Debug)]
pub(crate) struct Watch {
    engine: Engine,
    channels: Arc<Mutex<ById<ProjectId, Channel>>>,
    is_told: AtomicBool,
}

#[derive(Debug, Clone)]
struct Channel {
    leaves: watch::Sender<u64>,
    /// The same number, for those who have time.
    patient: watch::Sender<u64>,
    nudge: Arc<Notify>,
    /// How long it rests while only those listen who have time.
    patience: Duration,
}

impl Watch {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, channels: Arc::default(), is_told: AtomicBool::new(false) }
    }

    /// From now on somebody looks at the files of all projects, and nudges.
    pub(crate) fn is_told(&self) {
        self.is_told.store(true, Ordering::Relaxed);
    }

    /// The number of leaves of a project, now and whenever it grows.
    pub(crate) fn listen(&self, project: ProjectId) -> watch::Receiver<u64> {
        self.subscribe(project, |channel| {
            // It may be resting for longer.
            channel.nudge.notify_one();
            channel.leaves.subscribe()
        })
    }

    /// The same for somebody who has time: it costs a server that nobody asks next to nothing.
    pub(crate) fn listen_patiently(&self, project: ProjectId) -> watch::Receiver<u64> {
        self.subscribe(project, |channel| channel.patient.subscribe())
    }

    fn subscribe(
        &self,
        project: ProjectId,
        subscribe: impl FnOnce(&Channel) -> watch::Receiver<u64>,
    ) -> watch::Receiver<u64> {
        let is_told = self.is_told.load(Ordering::Relaxed);
        let patience = if is_told { TOLD_POLL } else { PATIENT_POLL };
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        match channels.entry(project) {
            Entry::Occupied(known) => subscribe(known.get()),
            Entry::Vacant(place) => {
                let channel = place.insert(Channel::new(patience)).clone();
                let receiver = subscribe(&channel);
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
    fn new(patience: Duration) -> Self {
        let (leaves, patient) = (watch::Sender::new(0), watch::Sender::new(0));
        Self { leaves, patient, nudge: Arc::default(), patience }
    }

    /// The log has at least so many leaves. Answers may come in another order than that of the log.
    fn grow(&self, known: u64) {
        self.change(|leaves| leaves.max(known));
    }

    /// The log had so many leaves when it was looked at. Whoever has written here since knows better
    /// than a look that began before.
    fn looked(&self, before: u64, found: u64) {
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

    fn is_deserted(&self) -> bool {
        self.leaves.receiver_count() + self.patient.receiver_count() == 0
    }

    /// How long it rests, unless somebody has written here.
    fn pause(&self) -> Duration {
        if self.leaves.receiver_count() > 0 { POLL } else { self.patience }
    }
}

/// Looks at the end of a log as long as somebody listens.
async fn look(
    engine: Engine,
    project: ProjectId,
    channel: Channel,
    channels: Arc<Mutex<ById<ProjectId, Channel>>>,
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
            if channel.is_deserted() {
                channels.remove(&project);
                return;
            }
        }
        // Whether it was a nudge or the time, somebody may have written.
        drop(tokio::time::timeout(channel.pause(), channel.nudge.notified()).await);
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

    #[test]
    fn those_who_have_time_hear_the_same_and_are_looked_for_less_often() {
        let channel = Channel::new(PATIENT_POLL);
        assert!(channel.is_deserted());
        let patient = channel.patient.subscribe();
        assert!(!channel.is_deserted());
        assert_eq!(channel.pause(), PATIENT_POLL);
        channel.grow(3);
        assert_eq!((*patient.borrow(), patient.has_changed().unwrap()), (3, true));
        let keen = channel.leaves.subscribe();
        assert_eq!((*keen.borrow(), channel.pause()), (3, POLL));
        drop(keen);
        assert_eq!(channel.pause(), PATIENT_POLL);
    }
}
