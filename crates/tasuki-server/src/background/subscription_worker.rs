//! Delivers events to one subscription and moves its cursor.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::Error;
use tasuki_engine::model::{Channel, DisableReason, Handoff, Principal, SubscriptionRecord};
use tasuki_engine::ports::{Cursor, Delivery};
use tasuki_engine::steps::DisableSubscription;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;

use crate::delivery::notice::Notice;
use crate::delivery::outcome::Outcome;
use crate::delivery::transports::Transports;
use crate::delivery::webhook::{Message, of_event, signed};
use crate::delivery::{chat, email, notice, retry_schedule};
use crate::state::App;

/// The status of a receiver that wants no more events.
const GONE: u16 = 410;

/// LIMIT: events that are sent before their deliveries are recorded.
const BATCH_MAX: usize = 32;

/// LIMIT: time until the first delivery of a batch is recorded.
const BATCH_TIME_MAX: Duration = Duration::from_millis(100);

/// The outcome of one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeliveryOutcome {
    /// Events were delivered; there may be more.
    Delivered,
    /// Everything up to this event was delivered.
    Idle(u64),
    /// A delivery failed and is retried at this time.
    RetryAt(Timestamp),
    /// The subscription is no longer active.
    Ended,
}

pub(crate) struct SubscriptionWorker<'a> {
    pub(crate) app: &'a App,
    pub(crate) transports: &'a Transports,
    pub(crate) project: ProjectId,
    pub(crate) record: &'a SubscriptionRecord,
}

impl SubscriptionWorker<'_> {
    /// Delivers the next matching events in order, until one fails.
    ///
    /// The new cursor and all attempts are one commit. The cursor never moves past an event that
    /// its receiver has not confirmed. If the process ends before the commit, the same events are
    /// sent again with the same ids, so delivery stays at least once. [`BATCH_MAX`] and
    /// [`BATCH_TIME_MAX`] bound the events that a crash may repeat.
    ///
    /// `seen` is the first event not yet known to fail the filter, so that skipping events costs no
    /// write.
    pub(crate) async fn deliver_batch(&self, seen: u64) -> Result<DeliveryOutcome, Error> {
        let Self { app, transports, project, record } = *self;
        let stored = transports.deliveries.cursor(project, record.id).await?;
        let mut cursor = stored.unwrap_or_else(|| Cursor::at(record.id, record.from));
        let now = app.engine.now();
        if let Some(at) = cursor.next_try_at.filter(|at| now < *at) {
            return Ok(DeliveryOutcome::RetryAt(at));
        }
        let mut page =
            app.events_since(project, cursor.n.max(seen), &record.filter, BATCH_MAX).await?;
        while page.events.is_empty() && page.is_cut {
            page = app.events_since(project, page.next, &record.filter, BATCH_MAX).await?;
        }
        if page.events.is_empty() {
            return Ok(DeliveryOutcome::Idle(page.next));
        }
        let (began, mut attempts) = (Instant::now(), Vec::new());
        for (index, event) in page.events.iter().enumerate() {
            if record.channel.is_for_people() && is_in_hold(event, &page.events[index + 1..]) {
                cursor = Cursor::at(record.id, event.n + 1);
                continue;
            }
            let outcome = self.deliver(event).await;
            attempts.push(self.attempt(event.n, cursor.attempts + 1, &outcome));
            if !outcome.is_success() {
                return self.failed(Cursor { n: event.n, ..cursor }, attempts, &outcome).await;
            }
            cursor = Cursor::at(record.id, event.n + 1);
            if began.elapsed() >= BATCH_TIME_MAX {
                break;
            }
        }
        transports.deliveries.put_deliveries(project, cursor, attempts).await?;
        Ok(DeliveryOutcome::Delivered)
    }

    /// Delivers one event over the channel of the subscription.
    pub(crate) async fn deliver(&self, event: &api::Event) -> Outcome {
        match &self.record.channel {
            Channel::Webhook { .. } => {
                let is_confidential = self.is_confidential(event).await;
                self.send(&of_event(self.project, event, is_confidential)).await
            }
            Channel::Email { .. } | Channel::Slack { .. } | Channel::Ntfy { .. } => {
                self.tell(&self.notice(event).await).await
            }
            Channel::None {} => Outcome::failed("channel removed"),
        }
    }

    /// Sends a notice to people over the channel of the subscription.
    pub(crate) async fn tell(&self, notice: &Notice) -> Outcome {
        let Transports { webhooks, mailer, .. } = self.transports;
        match (&self.record.channel, mailer) {
            (Channel::Email { .. }, None) => email::not_configured(),
            (Channel::Email { address }, Some(mailer)) => {
                mailer.send(address, &notice.into()).await
            }
            (channel, _) => chat::send(webhooks, channel, notice, self.app.engine.now()).await,
        }
    }

    /// Returns the notice of an event. What cannot be read now is left out.
    async fn notice(&self, event: &api::Event) -> Notice {
        let links = self.app.links(self.project).await;
        let subject = match self.handoff(event).await {
            Some(handoff) => self.app.subject(self.project, handoff).await.ok(),
            None => None,
        };
        notice::of_event(&links, event, subject.as_ref())
    }

    /// Returns the handoff of an event, if it can be read now.
    async fn handoff(&self, event: &api::Event) -> Option<Handoff> {
        let id = event.handoff.as_ref()?.parse().ok()?;
        self.app.engine.store().handoff(self.project, id).await.ok()?
    }

    /// Returns `true` if the reason must be left out: for classified work, and for work that cannot
    /// be read now.
    async fn is_confidential(&self, event: &api::Event) -> bool {
        if event.handoff.is_none() || event.reason.is_none() {
            return false;
        }
        let handoff = self.handoff(event).await;
        handoff.is_none_or(|handoff| handoff.facts.summary.classification.is_some())
    }

    pub(crate) async fn send(&self, message: &Message) -> Outcome {
        let Channel::Webhook { url, .. } = &self.record.channel else {
            return Outcome::failed("not a webhook");
        };
        let now = self.app.engine.now();
        let message = signed(message, &self.record.secrets(now), now);
        self.transports.webhooks.send(url, &message, now).await
    }

    pub(crate) async fn record(
        &self,
        n: u64,
        attempt: u32,
        outcome: &Outcome,
    ) -> Result<Delivery, Error> {
        let delivery = self.attempt(n, attempt, outcome);
        self.transports.deliveries.add_delivery(self.project, delivery.clone()).await?;
        Ok(delivery)
    }

    /// Returns the record of an attempt made now.
    pub(crate) fn attempt(&self, n: u64, attempt: u32, outcome: &Outcome) -> Delivery {
        Delivery {
            subscription: self.record.id,
            n,
            at: self.app.engine.now(),
            attempt,
            status: outcome.status,
            millis: outcome.millis,
            response: outcome.response.clone(),
        }
    }

    /// Records the attempts, the last of which failed. Schedules the next attempt or disables the
    /// subscription.
    async fn failed(
        &self,
        cursor: Cursor,
        attempts: Vec<Delivery>,
        outcome: &Outcome,
    ) -> Result<DeliveryOutcome, Error> {
        let now = self.app.engine.now();
        let chance = self.app.engine.command_seed().salt("webhook jitter")[0];
        let is_gone = outcome.status == Some(GONE);
        let later = retry_schedule::after_failure(cursor, now, outcome.retry_after, chance);
        let later = later.filter(|_| !is_gone);
        let next = later.unwrap_or(cursor);
        let retry_in = later.and_then(|next| next.next_try_at).map(|at| at.duration_since(now));
        self.log_failure(&attempts, outcome, retry_in);
        self.transports.deliveries.put_deliveries(self.project, next, attempts).await?;
        match later {
            Some(next) => Ok(DeliveryOutcome::RetryAt(next.next_try_at.unwrap_or(now))),
            None if is_gone => self.disable(DisableReason::Gone).await,
            None => self.disable(DisableReason::Failing).await,
        }
    }

    fn log_failure(
        &self,
        attempts: &[Delivery],
        outcome: &Outcome,
        retry_in: Option<SignedDuration>,
    ) {
        let (project, subscription) = (self.project, self.record.id);
        let attempt = attempts.last().map(|last| last.attempt);
        let (status, retry_in) = (outcome.status, retry_in.map(seconds));
        match self.record.channel {
            Channel::Webhook { .. } | Channel::None {} => {
                tracing::warn!(%project, %subscription, attempt, status, retry_in, "webhook delivery failed");
            }
            Channel::Email { .. } => {
                tracing::warn!(%project, %subscription, attempt, status, retry_in, "email delivery failed");
            }
            Channel::Slack { .. } | Channel::Ntfy { .. } => {
                tracing::warn!(%project, %subscription, attempt, status, retry_in, "chat delivery failed");
            }
        }
    }

    /// Disables the subscription until it is enabled again. Its cursor is kept.
    async fn disable(&self, because: DisableReason) -> Result<DeliveryOutcome, Error> {
        let request = DisableSubscription { subscription: self.record.id, because };
        let command = Command::DisableSubscription(request);
        let principal = Principal::system();
        let call = Call { project: self.project, principal, command, key: None };
        self.app.engine.run(call).await?;
        self.app.change_watch.wake(self.project);
        Ok(DeliveryOutcome::Ended)
    }
}

/// Returns `true` if the same step goes on to hold the handoff. People get one message per hold.
fn is_in_hold(event: &api::Event, later: &[api::Event]) -> bool {
    let is_held = |next: &&api::Event| next.kind == EventType::Held.name();
    let mut same = later.iter().take_while(|next| next.at == event.at);
    event.handoff.is_some() && same.any(|next| is_held(&next) && next.handoff == event.handoff)
}

/// Returns a duration in whole seconds, for the log.
fn seconds(duration: SignedDuration) -> String {
    format!("{:#}", SignedDuration::from_secs(duration.as_secs()))
}
