//! The failures in an inbox: rejections, dead letters and notifications that reached no one.
//!
//! The sender sees those of its handoffs, and a person with the scope `admin` sees all, each until
//! they acknowledge them. An acknowledgement is stored beside the log, because it decides nothing.

use tasuki_api as api;
use tasuki_packet::id::HandoffId;

use crate::error::Error;
use crate::limits::PAGE_MAX;
use crate::model::{Failure, FailureKind, Handoff, NotificationFailure, Principal, Scope, failure};
use crate::ports::{Order, Query};
use crate::query::continuation::Reader;
use crate::query::events::event;
use crate::refusal::{Refusal, RefusalCode};
use crate::view::Viewer;

/// Returns `true` if a caller is told of the failures of every handoff.
fn is_operator(principal: &Principal) -> bool {
    principal.is_human() && principal.scopes.has(Scope::Admin)
}

impl Reader<'_> {
    /// Returns at most `limit` failures that the caller has not acknowledged, most urgent first, and
    /// `true` if there are more.
    pub(crate) async fn failures(
        &self,
        limit: u32,
    ) -> Result<(Vec<api::InboxFailure>, bool), Error> {
        let own = self.principal.party;
        let senders = if is_operator(self.principal) { Vec::new() } else { vec![own] };
        let query = Query {
            failures_for: Some(own),
            senders,
            order: Order::Urgent,
            limit: limit + 1,
            ..Query::default()
        };
        let mut listed = self.store.handoffs(self.project, query).await?;
        let page = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = listed.len() > page;
        listed.truncate(page);
        let mut failures = Vec::with_capacity(listed.len());
        for handoff in &listed {
            failures.extend(self.failure(handoff).await?);
        }
        Ok((failures, has_more))
    }

    async fn failure(&self, handoff: &Handoff) -> Result<Option<api::InboxFailure>, Error> {
        let Some(Failure { kind, n }) = failure::of(handoff) else { return Ok(None) };
        let shown = match failure::notification_failure(handoff) {
            Some(failed) if kind == FailureKind::NotificationFailed => {
                self.undelivered(handoff, failed)
            }
            _ => self.ended(handoff, kind, n).await?,
        };
        Ok(Some(shown))
    }

    fn undelivered(&self, handoff: &Handoff, failed: &NotificationFailure) -> api::InboxFailure {
        api::InboxFailure {
            kind: FailureKind::NotificationFailed.as_str().to_owned(),
            n: failed.event,
            since: failed.at,
            cause: Some(failed.because.as_str().to_owned()),
            by: failed.party.map(|party| self.directory.name(party)),
            reason: None,
            handoff: self.shown(handoff),
        }
    }

    /// Returns a rejection or a dead letter, as its last event records it.
    async fn ended(
        &self,
        handoff: &Handoff,
        kind: FailureKind,
        n: u64,
    ) -> Result<api::InboxFailure, Error> {
        let last = self.store.leaves(self.project, n, 1).await?;
        let last = last.first().map(event).transpose()?;
        let attribute = |event: &api::Event| {
            event.attributes.get("because").and_then(|value| Some(value.as_str()?.to_owned()))
        };
        Ok(api::InboxFailure {
            kind: kind.as_str().to_owned(),
            n,
            since: last.as_ref().map_or(handoff.progress.progress_at, |event| event.at),
            cause: last.as_ref().and_then(attribute),
            by: last.as_ref().map(|event| event.actor.clone()),
            reason: last.and_then(|event| event.reason),
            handoff: self.shown(handoff),
        })
    }

    fn shown(&self, handoff: &Handoff) -> api::Handoff {
        let (directory, principal, now) = (&*self.directory, self.principal, self.now);
        Viewer { directory, principal, now }.handoff(handoff)
    }

    /// Records that the caller has seen these failures, and returns how many they were. A failure
    /// that is over or that a later one replaced needs no acknowledgement.
    pub(crate) async fn acknowledge(&self, seen: &[(HandoffId, u64)]) -> Result<u64, Error> {
        if seen.len() > PAGE_MAX as usize {
            let message = format!("{} failures exceed the limit of {PAGE_MAX}", seen.len());
            return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("acknowledge them in several requests")
                .into());
        }
        let mut known = Vec::with_capacity(seen.len());
        for (id, n) in seen {
            let handoff = self.store.handoff(self.project, *id).await?;
            let is_concerned = |one: &Handoff| {
                is_operator(self.principal) || one.facts.sender == self.principal.party
            };
            let Some(handoff) = handoff.filter(is_concerned) else {
                return Err(not_in_inbox(*id).into());
            };
            let current = failure::of(&handoff).filter(|failure| failure.n <= *n);
            known.extend(current.map(|failure| (handoff.id, failure.n)));
        }
        let count = known.len() as u64;
        if count > 0 {
            self.store.acknowledge(self.project, self.principal.party, known).await?;
        }
        Ok(count)
    }
}

fn not_in_inbox(id: HandoffId) -> Refusal {
    let message = format!("handoff {id} is not in your inbox");
    Refusal::new(RefusalCode::HandoffUnknown, message)
        .hint("the sender and the operators acknowledge a failure; `tasuki inbox` lists yours")
}
