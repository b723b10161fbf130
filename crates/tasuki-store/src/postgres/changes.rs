//! Tells other processes of commits, and learns of theirs.
//!
//! A process notifies the others after its commits, on a connection of its own and at most every
//! 20 milliseconds: a notification inside the transaction would make all commits of the database
//! wait for each other. A notification can be lost with a connection, so the number of commits of
//! each project is polled as well.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;
use tokio::sync::Notify;
use tokio_postgres::AsyncMessage;

use crate::postgres::clock::DatabaseClock;
use crate::postgres::connection::pool::Connector;
use crate::postgres::statements;
use crate::row;

/// The least time between two notifications.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(20);

/// The time between two polls, and before a lost connection is opened again.
const POLL: Duration = Duration::from_secs(1);

/// A poll takes at most this part of the time, however many projects there are.
const POLL_SHARE: u32 = 20;

/// LIMIT: projects in one notification; PostgreSQL takes 8,000 bytes.
const PROJECTS_PER_NOTIFICATION: usize = 200;

/// The changes that this process knows of.
#[derive(Debug, Default)]
pub(super) struct Changes {
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// A number per project that grows with every change that was heard of.
    stamps: HashMap<ProjectId, u64>,
    /// The number of commits of each project at the last poll.
    commits: HashMap<ProjectId, u64>,
    /// Projects with commits that the other processes were not told of.
    untold: HashSet<ProjectId>,
}

impl Changes {
    /// Notes a commit of this process.
    pub(super) fn committed(&self, project: ProjectId) {
        let mut state = self.lock();
        *state.stamps.entry(project).or_default() += 1;
        state.untold.insert(project);
        drop(state);
        self.wake.notify_one();
    }

    /// Returns a number that changes after any process has written to a project.
    pub(super) fn stamp(&self, project: ProjectId) -> u64 {
        self.lock().stamps.get(&project).copied().unwrap_or(0)
    }

    /// Returns the projects that the other processes must be told of, as the texts of notifications.
    pub(super) fn take_untold(&self) -> Vec<String> {
        let untold: Vec<String> = self.lock().untold.drain().map(|id| id.to_string()).collect();
        untold.chunks(PROJECTS_PER_NOTIFICATION).map(|some| some.join(" ")).collect()
    }

    fn heard(&self, payload: &str) {
        let mut state = self.lock();
        for project in payload.split(' ').filter_map(|id| id.parse().ok()) {
            *state.stamps.entry(project).or_default() += 1;
        }
    }

    fn polled(&self, commits: Vec<(ProjectId, u64)>) {
        let mut state = self.lock();
        for (project, count) in commits {
            if state.commits.insert(project, count) != Some(count) {
                *state.stamps.entry(project).or_default() += 1;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the channel of a schema.
pub(super) fn channel(schema: &str) -> String {
    format!("tasuki_{schema}")
}

/// Sends notifications until the store is closed.
pub(super) async fn notify(connector: Connector, changes: Arc<Changes>) {
    let channel = channel(&connector.url().schema);
    loop {
        if let Err(fault) = notify_on_one(&connector, &changes, &channel).await {
            tracing::warn!(%fault, "notifying other processes failed");
            tokio::time::sleep(POLL).await;
        }
    }
}

/// Sends notifications on one connection until it fails.
async fn notify_on_one(
    connector: &Connector,
    changes: &Changes,
    channel: &str,
) -> Result<(), Fault> {
    let connection = connector.connect().await?;
    loop {
        changes.wake.notified().await;
        for payload in changes.take_untold() {
            connection.rows(&statements::DATABASE_NOTIFY, &[&channel, &payload]).await?;
        }
        tokio::time::sleep(NOTIFY_INTERVAL).await;
    }
}

/// Listens to notifications until the store is closed.
pub(super) async fn listen(connector: Connector, changes: Arc<Changes>) {
    loop {
        match connector.listen(&channel(&connector.url().schema)).await {
            Ok(mut listener) => {
                while let Some(message) = listener.next().await {
                    if let AsyncMessage::Notification(heard) = message {
                        changes.heard(heard.payload());
                    }
                }
            }
            Err(fault) => tracing::warn!(%fault, "listening to other processes failed"),
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Polls the clock and the numbers of commits until the store is closed.
pub(super) async fn poll(connector: Connector, changes: Arc<Changes>, clock: Arc<DatabaseClock>) {
    loop {
        if let Err(fault) = poll_on_one(&connector, &changes, &clock).await {
            tracing::warn!(%fault, "polling for changes failed");
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn poll_on_one(
    connector: &Connector,
    changes: &Changes,
    clock: &DatabaseClock,
) -> Result<(), Fault> {
    let connection = connector.connect().await?;
    loop {
        let start = Instant::now();
        // A machine that was suspended does not know how much time has passed.
        if let Some(now) = connection.first(&statements::CLOCK_NOW, &[], row::instant).await? {
            clock.set(now);
        }
        let commits = connection.all(&statements::HEAD_LIST_COMMITS, &[], row::commits).await?;
        changes.polled(commits);
        tokio::time::sleep(POLL.max(start.elapsed() * POLL_SHARE)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_changes_with_every_kind_of_news() {
        let (changes, project) = (Changes::default(), ProjectId::from_bytes([7; 16]));
        let mut stamps = vec![changes.stamp(project)];
        changes.committed(project);
        stamps.push(changes.stamp(project));
        changes.heard(&format!("nonsense {project}"));
        stamps.push(changes.stamp(project));
        changes.polled(vec![(project, 3)]);
        stamps.push(changes.stamp(project));
        changes.polled(vec![(project, 3)]);
        assert_eq!(stamps, [0, 1, 2, 3]);
        assert_eq!(changes.stamp(project), 3, "nothing new");
    }

    #[test]
    fn a_project_is_told_of_once() {
        let changes = Changes::default();
        let project = ProjectId::from_bytes([7; 16]);
        changes.committed(project);
        changes.committed(project);
        assert_eq!(changes.take_untold(), [project.to_string()]);
        assert!(changes.take_untold().is_empty());
        for number in 0..=u8::MAX {
            changes.committed(ProjectId::from_bytes([number; 16]));
        }
        let payloads = changes.take_untold();
        assert!(payloads.len() == 2 && payloads.iter().all(|text| text.len() < 8_000));
    }
}
