//! Events to one receiver, and what becomes of the cursor.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use tasuki_engine::command::Command;
use tasuki_engine::delivery::{Cursor, Delivery};
use tasuki_engine::engine::Call;
use tasuki_engine::enrol::DisableSubscription;
use tasuki_engine::error::Error;
use tasuki_engine::events;
use tasuki_engine::principal::Principal;
use tasuki_engine::subscription::{Because, Channel, SubscriptionRecord};
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;

use crate::delivery::email;
use crate::delivery::outcome::Outcome;
use crate::delivery::retry_schedule;
use crate::delivery::transports::Means;
use crate::delivery::webhook::{Message, of_event};
use crate::state::App;

/// The receiver says that nobody is there any more.
const GONE: u16 = 410;

/// LIMIT: events that are sent before it is noted that they arrived.
const AT_ONCE: usize = 32;

/// LIMIT: how long it takes until the first of them is noted.
const UNNOTED_MAX: Duration = Duration::from_millis(100);

/// What came of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Events arrived; there may be more.
    Delivered,
    /// Everything was delivered, up to this number.
    Idle(u64),
    /// It failed, and is tried again at this instant.
    Waits(Timestamp),
    /// The subscription is served no longer.
    Ended,
}

/// Whoever goes to one subscriber.
pub(crate) struct Courier<'a> {
    pub(crate) app: &'a App,
    pub(crate) means: &'a Means,
    pub(crate) project: ProjectId,
    pub(crate) record: &'a SubscriptionRecord,
}

impl Courier<'_> {
    /// Delivers the next events that the subscription wants, in their order, until one fails.
    ///
    /// Where it stands then and what became of every attempt is one commit for all of them. That is safe
    /// because the cursor never moves past an event before its receiver has said that it has it: whatever
    /// happens before the commit, the cursor is still where it was, and the same events are sent again
    /// with the same ids. At least once stays at least once; what a crash may repeat is bounded by
    /// [`AT_ONCE`] and [`UNNOTED_MAX`].
    ///
    /// `seen` is what is remembered of events that nobody wanted, so that passing over them costs no
    /// write.
    pub(crate) async fn turn(&self, seen: u64) -> Result<Turn, Error> {
        let Self { app, means, project, record } = *self;
        let stored = means.deliveries.cursor(project, record.id).await?;
        let mut cursor = stored.unwrap_or_else(|| Cursor::at(record.id, record.from));
        let now = app.engine.now();
        if let Some(at) = cursor.next_try_at.filter(|at| now < *at) {
            return Ok(Turn::Waits(at));
        }
        let (store, from) = (app.engine.store().as_ref(), cursor.n.max(seen));
        let page = events::since(store, project, from, &record.filter, AT_ONCE).await?;
        if page.events.is_empty() {
            return Ok(Turn::Idle(page.next));
        }
        let (began, mut attempts) = (Instant::now(), Vec::new());
        for event in &page.events {
            let outcome = self.carry(event).await;
            attempts.push(self.attempt(event.n, cursor.attempts + 1, &outcome));
            if !outcome.is_success() {
                return self.failed(Cursor { n: event.n, ..cursor }, attempts, &outcome).await;
            }
            cursor = Cursor::at(record.id, event.n + 1);
            if began.elapsed() >= UNNOTED_MAX {
                break;
            }
        }
        means.deliveries.put_deliveries(project, cursor, attempts).await?;
        Ok(Turn::Delivered)
    }

    /// Takes an event to whoever subscribed, by the way that they chose.
    pub(crate) async fn carry(&self, event: &api::Event) -> Outcome {
        match &self.record.channel {
            Channel::Webhook { .. } => {
                let is_confidential = self.is_confidential(event).await;
                self.send(&of_event(self.project, event, is_confidential)).await
            }
            Channel::Email { address } => match &self.means.mailer {
                None => email::unset(),
                Some(mailer) => {
                    let links = self.app.email_links(self.project).await;
                    mailer.send(address, &email::of_event(&links, event)).await
                }
            },
            Channel::None {} => Outcome::failed("it was removed"),
        }
    }

    /// Whether the words of a reason stay here: those about work with a classification do, and those
    /// about work that cannot be looked at just now.
    async fn is_confidential(&self, event: &api::Event) -> bool {
        let Some(handoff) = event.handoff.as_ref().filter(|_| event.reason.is_some()) else {
            return false;
        };
        let Ok(id) = handoff.parse() else { return true };
        match self.app.engine.store().handoff(self.project, id).await {
            Ok(Some(handoff)) => handoff.facts.sheet.classification.is_some(),
            Ok(None) | Err(_) => true,
        }
    }

    /// Sends a message to a webhook.
    pub(crate) async fn send(&self, message: &Message) -> Outcome {
        let Channel::Webhook { url, .. } = &self.record.channel else {
            return Outcome::failed("it is no webhook");
        };
        let now = self.app.engine.now();
        self.means.webhooks.send(url, message, &self.record.secrets(now), now).await
    }

    /// Notes an attempt.
    pub(crate) async fn note(
        &self,
        n: u64,
        attempt: u32,
        outcome: &Outcome,
    ) -> Result<Delivery, Error> {
        let delivery = self.attempt(n, attempt, outcome);
        self.means.deliveries.add_delivery(self.project, delivery.clone()).await?;
        Ok(delivery)
    }

    /// An attempt that was made now.
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

    /// The last of these attempts failed: it is tried again later, or never.
    async fn failed(
        &self,
        cursor: Cursor,
        attempts: Vec<Delivery>,
        outcome: &Outcome,
    ) -> Result<Turn, Error> {
        let now = self.app.engine.now();
        let chance = self.app.engine.draw().salt("webhook jitter")[0];
        let is_gone = outcome.status == Some(GONE);
        let later = retry_schedule::after_failure(cursor, now, outcome.retry_after, chance);
        let later = later.filter(|_| !is_gone);
        let next = later.unwrap_or(cursor);
        self.means.deliveries.put_deliveries(self.project, next, attempts).await?;
        match later {
            Some(next) => Ok(Turn::Waits(next.next_try_at.unwrap_or(now))),
            None if is_gone => self.disable(Because::Gone).await,
            None => self.disable(Because::Failing).await,
        }
    }

    /// Somebody must look at it before it goes on; where it stood is kept.
    async fn disable(&self, because: Because) -> Result<Turn, Error> {
        let request = DisableSubscription { subscription: self.record.id, because };
        let command = Command::DisableSubscription(request);
        let principal = Principal::system();
        let call = Call { project: self.project, principal, command, key: None };
        self.app.engine.run(call).await?;
        self.app.watch.nudge(self.project);
        Ok(Turn::Ended)
    }
}
