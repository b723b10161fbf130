//! Reminds people of what still waits for them: one digest per person, however much waits.
//!
//! The time of the next digest is kept like the cursor of a subscription, so a restart neither
//! repeats nor skips one. A digest that cannot be sent is not retried: the next one says the same.

use jiff::{SignedDuration, Timestamp};
use tasuki_api as api;
use tasuki_engine::error::Error;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::model::{Channel, Directory, Party, Principal};
use tasuki_engine::ports::{Cursor, REMINDERS};
use tasuki_engine::query::inbox::InboxPage;
use tasuki_engine::rules::recipients;
use tasuki_packet::leaf::ActorKind;

use crate::background::person_notifier::PersonNotifier;
use crate::background::subscription_worker::SubscriptionWorker;
use crate::delivery::notice;

/// The interval at which a project without reminders is checked again.
const CHECK: SignedDuration = SignedDuration::from_hours(1);

/// The time of the next digest of a project.
#[derive(Debug)]
pub(super) struct Reminders {
    next: Timestamp,
}

impl Reminders {
    /// Resumes at the saved time, or begins with a whole interval.
    pub(super) async fn begin(notifier: &PersonNotifier<'_>) -> Result<Self, Error> {
        let PersonNotifier { app, transports, project } = *notifier;
        let saved = transports.deliveries.cursor(project, REMINDERS).await?;
        if let Some(next) = saved.and_then(|cursor| cursor.next_try_at) {
            return Ok(Self { next });
        }
        let directory = app.engine.directory(project).await?;
        let mut begun = Self { next: Timestamp::MIN };
        begun.schedule(notifier, app.engine.now(), interval(&directory)).await?;
        Ok(begun)
    }

    /// Sends the digests if they are due.
    pub(super) async fn run_due(&mut self, notifier: &PersonNotifier<'_>) -> Result<(), Error> {
        let PersonNotifier { app, project, .. } = *notifier;
        let now = app.engine.now();
        if now < self.next {
            return Ok(());
        }
        let directory = app.engine.directory(project).await?;
        let interval = interval(&directory);
        if let Some(interval) = interval {
            let since = now.saturating_sub(interval).unwrap_or(Timestamp::MIN);
            for person in directory.people() {
                remind(notifier, &directory, person, since).await?;
            }
        }
        self.schedule(notifier, now, interval).await
    }

    async fn schedule(
        &mut self,
        notifier: &PersonNotifier<'_>,
        now: Timestamp,
        interval: Option<SignedDuration>,
    ) -> Result<(), Error> {
        self.next = now.saturating_add(interval.unwrap_or(CHECK)).unwrap_or(Timestamp::MAX);
        let cursor = Cursor { next_try_at: Some(self.next), ..Cursor::at(REMINDERS, 0) };
        notifier.transports.deliveries.put_cursor(notifier.project, cursor).await?;
        Ok(())
    }
}

fn interval(directory: &Directory) -> Option<SignedDuration> {
    let after = directory.settings.remind_after?;
    Some(SignedDuration::from_millis(i64::try_from(after.milliseconds()).unwrap_or(i64::MAX)))
}

/// Sends a person the digest of what has waited for them since this time.
async fn remind(
    notifier: &PersonNotifier<'_>,
    directory: &Directory,
    person: &Party,
    since: Timestamp,
) -> Result<(), Error> {
    let PersonNotifier { app, transports, project } = *notifier;
    let mailbox = person.channels.email.as_ref().zip(transports.mailer.as_ref());
    let chat = recipients::subscriptions_of(directory, person.id)
        .find(|one| matches!(one.channel, Channel::Slack { .. } | Channel::Ntfy { .. }));
    if mailbox.is_none() && chat.is_none() {
        return Ok(());
    }
    let principal = Principal::local(person.id, ActorKind::Human);
    let inbox = app.engine.inbox(project, &principal, InboxPage::first(PAGE_MAX)).await?;
    let is_old = |card: &&api::Handoff| card.since.is_some_and(|then| then <= since);
    let is_claimed = |card: &api::Handoff| card.state == "claimed";
    let waiting: Vec<api::Handoff> =
        inbox.handoffs.iter().filter(is_old).filter(|card| !is_claimed(card)).cloned().collect();
    if waiting.is_empty() {
        return Ok(());
    }
    let digest = notice::digest(&app.links(project).await, &waiting, app.engine.now());
    match (mailbox, chat) {
        (Some((address, mailer)), _) => {
            let outcome = mailer.send(address, &(&digest).into()).await;
            if !outcome.is_success() {
                tracing::warn!(%project, status = outcome.status, "reminder email failed");
            }
        }
        (None, Some(record)) => {
            let worker = SubscriptionWorker { app, transports, project, record };
            let outcome = worker.tell(&digest).await;
            worker.record(inbox.as_of_n, 1, &outcome).await?;
        }
        (None, None) => {}
    }
    Ok(())
}
