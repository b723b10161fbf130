//! Notifies people of offers, holds, questions and escalations, without a subscription. This is the
//! loop over the log of a project; `person_notifier` handles one notification.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::ports::{Cursor, LeafRow, PEOPLE};
use tasuki_engine::query::events;
use tasuki_engine::rules::recipients;
use tasuki_packet::id::ProjectId;
use tokio::time::Instant;

use crate::background::person_notifier::{NotificationTask, NotifyOutcome, PersonNotifier};
use crate::background::reminders::Reminders;
use crate::delivery::transports::Transports;
use crate::state::{App, Shared};

/// The number of events in one read.
const PAGE: u32 = 256;

/// The pause between two reads of the log. Under load one read covers many events, and a person
/// does not notice the delay.
const PACE: Duration = Duration::from_millis(50);

/// LIMIT: pending notifications of one project. Beyond it the loop stops reading the log.
const TASKS_MAX: usize = 4_096;

/// The interval between attempts at pending notifications.
const RETRY: Duration = Duration::from_secs(1);

/// The interval between checks that the project is still in use.
const IDLE: Duration = Duration::from_mins(1);

/// The number of events without a notification after which the cursor is saved. Saving is a commit
/// that writers wait for; reading this many events again after a restart takes a tenth of a second.
const SKIPPED_MAX: u64 = 16_384;

/// The position in the log and the pending notifications.
struct NotificationLoop<'a> {
    notifier: PersonNotifier<'a>,
    /// The first unread event.
    next: u64,
    /// The first event that is read again after a restart.
    saved: u64,
    /// The pending notifications by event number.
    tasks: BTreeMap<u64, NotificationTask>,
    reminders: Reminders,
}

/// Notifies people while anyone in the project has a channel, the project is in use, or
/// notifications are pending. The cursor is saved like a subscription's, so a restart loses no
/// notification.
///
/// Events before `began`, the start of the first server, cause no notification.
pub(crate) async fn run(app: Shared, transports: Transports, project: ProjectId, began: Timestamp) {
    let mut changes = app.change_watch.listen_patiently(project);
    let mut notifications = loop {
        match NotificationLoop::begin(&app, &transports, project, began).await {
            Ok(notifications) => break notifications,
            Err(error) => failed(project, &error).await,
        }
    };
    loop {
        let started_at = Instant::now();
        changes.mark_unchanged();
        let pause = match notifications.step().await {
            Ok(true) => continue,
            Ok(false) if !notifications.tasks.is_empty() => RETRY,
            Ok(false) if notifications.is_needed().await => IDLE,
            Ok(false) => break,
            Err(error) => {
                failed(project, &error).await;
                continue;
            }
        };
        drop(tokio::time::timeout(pause, changes.changed()).await);
        tokio::time::sleep_until(started_at + PACE).await;
    }
    if let Err(error) = notifications.save().await {
        failed(project, &error).await;
    }
}

async fn failed(project: ProjectId, error: &Error) {
    tracing::warn!(%project, %error, "notification failed");
    tokio::time::sleep(RETRY).await;
}

impl<'a> NotificationLoop<'a> {
    /// Resumes at the saved cursor.
    async fn begin(
        app: &'a App,
        transports: &'a Transports,
        project: ProjectId,
        began: Timestamp,
    ) -> Result<Self, Error> {
        let notifier = PersonNotifier { app, transports, project };
        let saved = if let Some(cursor) = transports.deliveries.cursor(project, PEOPLE).await? {
            cursor.n
        } else {
            let n = first_event_since(app, project, began).await?;
            transports.deliveries.put_cursor(project, Cursor::at(PEOPLE, n)).await?;
            n
        };
        let reminders = Reminders::begin(&notifier).await?;
        Ok(Self { notifier, next: saved, saved, tasks: BTreeMap::new(), reminders })
    }

    /// Reads the next events and runs due notifications. Returns `true` if there may be more events
    /// to read.
    async fn step(&mut self) -> Result<bool, Error> {
        let PersonNotifier { app, project, .. } = self.notifier;
        let mut is_more = false;
        if self.tasks.len() < TASKS_MAX {
            let rows = app.engine.store().leaves(project, self.next, PAGE).await?;
            is_more = rows.len() == PAGE as usize;
            self.collect(&rows).await?;
            self.next = rows.last().map_or(self.next, |last| last.n + 1);
        }
        let was_notified = self.run_due(app.engine.now()).await?;
        self.reminders.run_due(&self.notifier).await?;
        if was_notified || self.low_water_mark() >= self.saved + SKIPPED_MAX {
            self.save().await?;
        }
        Ok(is_more)
    }

    /// Adds a notification for every event that may leave a pending action for a person.
    async fn collect(&mut self, rows: &[LeafRow]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let PersonNotifier { app, project, .. } = self.notifier;
        let directory = app.engine.directory(project).await?;
        let may_wait = |row: &&LeafRow| recipients::may_leave_waiting(&directory, row);
        let pending = rows.iter().filter(may_wait).map(events::event);
        let pending: Vec<api::Event> = pending.collect::<Result<_, Fault>>()?;
        for (wait, event) in recipients::waits(&pending) {
            self.tasks.insert(event.n, NotificationTask::new(wait, event.clone()));
        }
        Ok(())
    }

    /// Runs due notifications. Returns `true` if the cursor has to be saved.
    async fn run_due(&mut self, now: Timestamp) -> Result<bool, Error> {
        let due = self.tasks.iter().filter(|(_, task)| task.due_at <= now);
        let due: Vec<u64> = due.map(|(n, _)| *n).collect();
        let mut was_notified = false;
        for n in due {
            let Some(task) = self.tasks.get_mut(&n) else { continue };
            let outcome = self.notifier.notify(task, now).await?;
            was_notified |= outcome == NotifyOutcome::Notified;
            if outcome != NotifyOutcome::Pending {
                self.tasks.remove(&n);
            }
        }
        Ok(was_notified)
    }

    /// Returns the first event that may still need a notification.
    fn low_water_mark(&self) -> u64 {
        let open = self.tasks.iter().find(|(_, task)| task.notified.is_empty());
        open.map_or(self.next, |(n, _)| *n)
    }

    async fn save(&mut self) -> Result<(), Error> {
        let PersonNotifier { transports, project, .. } = self.notifier;
        let mark = self.low_water_mark();
        if mark != self.saved {
            transports.deliveries.put_cursor(project, Cursor::at(PEOPLE, mark)).await?;
            self.saved = mark;
        }
        Ok(())
    }

    /// Returns `true` if someone has a channel or the project is in use.
    async fn is_needed(&self) -> bool {
        let PersonNotifier { app, transports, project } = self.notifier;
        let directory = app.engine.directory(project).await;
        let by_mail = transports.mailer.is_some();
        let has_channel = directory.is_ok_and(|known| recipients::is_anybody_told(&known, by_mail));
        has_channel || app.activity.recent().contains(&project)
    }
}

/// Returns the number of the first event at or after this time.
async fn first_event_since(app: &App, project: ProjectId, began: Timestamp) -> Result<u64, Error> {
    let mut n = app.engine.head(project).await?.leaves;
    loop {
        let from = n.saturating_sub(u64::from(PAGE));
        let count = u32::try_from(n - from).unwrap_or(u32::MAX);
        let rows = app.engine.store().leaves(project, from, count).await?;
        let rows = rows.iter().rev().take_while(|row| row.at >= began);
        let new = rows.count() as u64;
        n -= new;
        if n > from || n == 0 {
            return Ok(n);
        }
    }
}
