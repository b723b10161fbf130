//! Notifies people of one pending action, and records when no one could be notified.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::Error;
use tasuki_engine::model::{
    Channel, Directory, Party, PendingAction, PendingKind, Principal, SubscriptionRecord,
    UndeliverableReason,
};
use tasuki_engine::ports::Cursor;
use tasuki_engine::refusal::RefusalCode;
use tasuki_engine::rules::recipients;
use tasuki_engine::steps::system::undeliverable;
use tasuki_packet::id::{PartyId, ProjectId, SubscriptionId};

use crate::delivery::notice::{Subject, to_person};
use crate::delivery::outcome::Outcome;
use crate::delivery::retry_schedule;
use crate::delivery::transports::Transports;
use crate::state::App;

/// How long to wait, if no recipient has a channel, for someone to act or to get one.
const GRACE: Duration = Duration::from_mins(1);

/// The delay before checking again for a delivery by a subscription or the end of a halt.
const SOON: Duration = Duration::from_secs(1);

/// A notification of a pending action.
#[derive(Debug)]
pub(super) struct NotificationTask {
    wait: PendingAction,
    event: api::Event,
    /// The time of the next attempt.
    pub(super) due_at: Timestamp,
    /// The failed attempts at email and the time of the next; `None` once email is given up.
    mail: Option<Cursor>,
    /// The people notified so far.
    pub(super) notified: HashSet<PartyId>,
    /// Mailboxes that the mail server refused permanently.
    refused: HashSet<String>,
    /// `true` if any recipient had a channel at any time.
    had_channel: bool,
    /// `true` if any recipient was sent email.
    had_mail: bool,
}

/// Sends the notifications of one project.
#[derive(Clone, Copy)]
pub(super) struct PersonNotifier<'a> {
    pub(super) app: &'a App,
    pub(super) transports: &'a Transports,
    pub(super) project: ProjectId,
}

/// The outcome of one attempt at a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotifyOutcome {
    /// Someone was notified, or the failure was recorded.
    Notified,
    /// No notification is needed, or no longer.
    NotNeeded,
    /// The task is not finished.
    Pending,
}

/// The subject and time of one attempt at a notification.
struct NotifyAttempt<'a> {
    directory: &'a Directory,
    subject: &'a Subject,
    now: Timestamp,
}

/// The channels that remain after one attempt at each.
#[derive(Debug, Default)]
struct Remaining {
    /// The mail server was unavailable or deferred a message.
    has_mail: bool,
    /// A subscription has not delivered the event yet.
    has_subscription: bool,
}

impl NotificationTask {
    pub(super) fn new(wait: PendingAction, event: api::Event) -> Self {
        let none = SubscriptionId::from_bytes([0; 16]);
        Self {
            mail: Some(Cursor::at(none, wait.n)),
            wait,
            event,
            due_at: Timestamp::MIN,
            notified: HashSet::new(),
            refused: HashSet::new(),
            had_channel: false,
            had_mail: false,
        }
    }
}

impl PersonNotifier<'_> {
    /// Notifies the recipients who were not notified yet.
    pub(super) async fn notify(
        &self,
        task: &mut NotificationTask,
        now: Timestamp,
    ) -> Result<NotifyOutcome, Error> {
        let Self { app, project, .. } = *self;
        let wait = task.wait;
        let directory = app.engine.directory(project).await?;
        if !recipients::may_concern_people(&directory, wait.kind, &task.event) {
            return Ok(NotifyOutcome::NotNeeded);
        }
        let handoff = app.engine.store().handoff(project, wait.handoff).await?;
        let Some(handoff) = handoff.filter(|handoff| recipients::is_still_pending(handoff, &wait))
        else {
            return Ok(NotifyOutcome::NotNeeded);
        };
        let operators = recipients::Operators { named: &app.settings.operators, now };
        let mut people = recipients::people(&directory, &handoff, wait.kind, &operators);
        let is_own = |person: &Party| is_failure(wait.kind) && person.name == task.event.actor;
        people.retain(|person| !task.notified.contains(&person.id) && !is_own(person));
        let is_up_to_people = recipients::is_up_to_people(&directory, &handoff, wait.kind);
        let subject = app.subject(project, handoff).await?;
        let attempt = NotifyAttempt { directory: &directory, subject: &subject, now };
        let remaining = self.notify_all(task, &attempt, &people).await?;
        if let Some(due_at) = task.next_attempt(&remaining, now) {
            task.due_at = due_at;
            return Ok(NotifyOutcome::Pending);
        }
        if !task.notified.is_empty() || !is_up_to_people {
            return Ok(NotifyOutcome::Notified);
        }
        let because = match (task.had_channel, task.had_mail) {
            (_, true) => UndeliverableReason::MailFailed,
            (true, false) => UndeliverableReason::Failed,
            (false, false) => UndeliverableReason::NoChannel,
        };
        let grace = later(wait.at, GRACE);
        if because == UndeliverableReason::NoChannel && now < grace {
            task.due_at = grace;
            return Ok(NotifyOutcome::Pending);
        }
        task.due_at = later(now, SOON);
        self.record_undeliverable(task, because).await
    }

    /// Tries every channel of these people once.
    async fn notify_all(
        &self,
        task: &mut NotificationTask,
        attempt: &NotifyAttempt<'_>,
        people: &[&Party],
    ) -> Result<Remaining, Error> {
        let mut remaining = Remaining::default();
        for person in people {
            self.send_email(task, attempt, person, &mut remaining).await;
            if !task.notified.contains(&person.id) {
                let directory = attempt.directory;
                self.check_subscriptions(task, directory, person.id, &mut remaining).await?;
            }
        }
        Ok(remaining)
    }

    /// Sends email to a person with a mailbox, unless email is given up or not due.
    async fn send_email(
        &self,
        task: &mut NotificationTask,
        attempt: &NotifyAttempt<'_>,
        person: &Party,
        remaining: &mut Remaining,
    ) {
        let NotifyAttempt { subject, now, .. } = *attempt;
        let mailer = self.transports.mailer.as_ref();
        let Some((address, mailer)) = person.channels.email.as_ref().zip(mailer) else { return };
        (task.had_channel, task.had_mail) = (true, true);
        let Some(cursor) = task.mail.filter(|_| !task.refused.contains(address)) else {
            return;
        };
        if cursor.next_try_at.is_some_and(|at| now < at) {
            remaining.has_mail = true;
            return;
        }
        let links = self.app.links(self.project).await;
        let code = self.mail_code(task, subject, person).await;
        let notice = to_person(&links, &task.event, task.wait.kind, subject);
        let notice = notice.with_code(&links, code.as_deref());
        let outcome = mailer.send(address, &(&notice).into()).await;
        if outcome.is_success() {
            task.notified.insert(person.id);
            return;
        }
        if let Some(code) = code {
            self.app.discard_mail_code(&code).await;
        }
        let (project, n, error) = (self.project, task.wait.n, loggable(&outcome));
        tracing::warn!(%project, n, error, "notification email failed");
        if outcome.is_refused {
            task.refused.insert(address.clone());
        } else {
            remaining.has_mail = true;
        }
    }

    /// Creates the code of an email about a hold, where one may decide.
    async fn mail_code(
        &self,
        task: &NotificationTask,
        subject: &Subject,
        person: &Party,
    ) -> Option<String> {
        if task.wait.kind != PendingKind::Hold {
            return None;
        }
        let project = self.project;
        let created = self.app.new_mail_code(project, person, subject).await;
        created.unwrap_or_else(|error| {
            tracing::warn!(%project, n = task.wait.n, %error, "creating a mail code failed");
            None
        })
    }

    /// Checks if a subscription of this person has delivered the event, or will.
    async fn check_subscriptions(
        &self,
        task: &mut NotificationTask,
        directory: &Directory,
        person: PartyId,
        remaining: &mut Remaining,
    ) -> Result<(), Error> {
        let n = task.wait.n;
        for lost in recipients::lost_subscriptions(directory, person, task.wait.at) {
            task.note_channel(lost);
        }
        for record in recipients::subscriptions_of(directory, person) {
            if n < record.from || !record.filter.wants(&task.event) {
                continue;
            }
            task.note_channel(record);
            let cursor = self.transports.deliveries.cursor(self.project, record.id).await?;
            // A cursor is past a matching event only if the receiver has confirmed it.
            if cursor.is_some_and(|cursor| n < cursor.n) {
                task.notified.insert(person);
                return Ok(());
            }
            remaining.has_subscription = true;
        }
        Ok(())
    }

    /// Records that no one could be notified.
    async fn record_undeliverable(
        &self,
        task: &NotificationTask,
        because: UndeliverableReason,
    ) -> Result<NotifyOutcome, Error> {
        let Self { app, transports, project } = *self;
        let by_mail = transports.mailer.is_some();
        let request = undeliverable::RecordUndeliverable { wait: task.wait, because, by_mail };
        let (principal, command) = (Principal::system(), Command::RecordUndeliverable(request));
        match app.engine.run(Call { project, principal, command, key: None }).await {
            Ok(_) => {
                app.change_watch.wake(project);
                Ok(NotifyOutcome::Notified)
            }
            Err(Error::Refused(no)) if no.code == RefusalCode::ProjectHalted => {
                Ok(NotifyOutcome::Pending)
            }
            Err(Error::Refused(no)) => {
                tracing::warn!(%project, n = task.wait.n, refusal = %no, "recording an undeliverable notification was refused");
                Ok(NotifyOutcome::NotNeeded)
            }
            Err(error) => Err(error),
        }
    }
}

impl NotificationTask {
    /// Records that a recipient has, or had, this channel.
    fn note_channel(&mut self, subscription: &SubscriptionRecord) {
        self.had_channel = true;
        self.had_mail |= matches!(subscription.channel, Channel::Email { .. });
    }

    /// Returns the time of the next attempt, if any channel remains.
    fn next_attempt(&mut self, remaining: &Remaining, now: Timestamp) -> Option<Timestamp> {
        let mail = if remaining.has_mail { self.next_email_attempt(now) } else { None };
        let subscription = remaining.has_subscription.then(|| later(now, SOON));
        mail.into_iter().chain(subscription).min()
    }

    /// Schedules the next email on the retry schedule of webhooks, or gives email up.
    fn next_email_attempt(&mut self, now: Timestamp) -> Option<Timestamp> {
        let cursor = self.mail?;
        if cursor.next_try_at.is_none_or(|at| at <= now) {
            self.mail = retry_schedule::after_failure(cursor, now, None, u8::MAX / 2);
        }
        self.mail?.next_try_at
    }
}

const fn is_failure(kind: PendingKind) -> bool {
    matches!(kind, PendingKind::Failure(_))
}

/// Returns the error of an email for the log. The reply of a mail server may contain the mailbox,
/// so only its status is used.
fn loggable(outcome: &Outcome) -> String {
    match outcome.status {
        Some(status) => format!("mail server replied {status}"),
        None => outcome.response.clone(),
    }
}

fn later(instant: Timestamp, by: Duration) -> Timestamp {
    instant.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mailbox_is_logged() {
        let failed = Outcome::failed("mail server replied `550 <pia@example.org> unknown`");
        let refused = Outcome { status: Some(550), ..failed };
        assert_eq!(loggable(&refused), "mail server replied 550");
        assert_eq!(loggable(&Outcome::failed("connection refused")), "connection refused");
    }
}
