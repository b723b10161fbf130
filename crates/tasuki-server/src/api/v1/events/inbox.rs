//! `/v1/inbox`: the handoffs that wait for the caller, with long polling, and its failures.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_api as api;
use tasuki_engine::query::inbox::{InboxOrder, InboxPage};
use tasuki_packet::id::{HandoffId, ParseIdError};
use tokio::time::{Instant, sleep, sleep_until};

use crate::api::operations;
use crate::api::v1::paging;
use crate::auth::authenticate;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::Parameters;
use crate::extract::prefer;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// LIMIT: the shortest time until the inbox is read again for parked work.
const PARKED_POLL_MIN: Duration = Duration::from_millis(10);

/// The query of an inbox.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    order: OrderWord,
}

/// The word for an order.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OrderWord {
    #[default]
    Urgent,
    Deadline,
}

pub(crate) async fn inbox(
    context: RequestContext,
    headers: HeaderMap,
    Parameters(query): Parameters<InboxQuery>,
) -> Result<Response, Problem> {
    let behind = paging::cursor(query.cursor.as_deref())?;
    let order = match query.order {
        OrderWord::Urgent => InboxOrder::Urgent,
        OrderWord::Deadline => InboxOrder::Deadline,
    };
    let page = InboxPage { order, behind, limit: paging::limit(query.limit)? };
    let wait = prefer::wait(&headers);
    let inbox = match wait {
        None => read(&context, page).await?,
        Some(wait) => wait_for_news(&context, &headers, page, wait).await?,
    };
    Ok(prefer::with_applied(Json(inbox).into_response(), wait))
}

pub(crate) async fn acknowledge(
    context: RequestContext,
    StructuredBody(body): StructuredBody<api::AcknowledgeRequest>,
) -> Result<Json<api::Acknowledged>, Problem> {
    let parsed = body.failures.iter().map(|one| Ok((one.handoff.parse()?, one.n)));
    let seen: Vec<(HandoffId, u64)> = parsed
        .collect::<Result<_, ParseIdError>>()
        .map_err(|error| Problem::argument(format!("`failures`: {error}")))?;
    let (engine, principal) = (context.engine(), context.principal());
    let acknowledged = engine.acknowledge(context.project(), principal, &seen).await?;
    Ok(Json(api::Acknowledged { acknowledged }))
}

async fn read(context: &RequestContext, page: InboxPage) -> Result<api::Inbox, Problem> {
    let read = context.read(move |context| async move {
        let (engine, principal) = (context.engine(), context.principal());
        Ok(engine.inbox(context.project(), principal, page).await?)
    });
    read.await
}

/// Reads an inbox as soon as the caller may read more rows. A caller that waits anyway is not refused
/// while it has time.
async fn read_when_allowed(
    context: &RequestContext,
    page: InboxPage,
    until: Instant,
) -> Result<api::Inbox, Problem> {
    loop {
        let credential = context.caller.rate_key();
        match context.app.limits.rows_wait(&credential, context.project()) {
            Some(wait) if Instant::now() + wait < until => sleep(wait).await,
            _ => return read(context, page).await,
        }
    }
}

/// Waits until there is news, the time is over, or the server stops. A caller that is no longer authorized
/// is refused.
async fn wait_for_news(
    context: &RequestContext,
    headers: &HeaderMap,
    page: InboxPage,
    wait: Duration,
) -> Result<api::Inbox, Problem> {
    let until = Instant::now() + wait;
    let mut changes = context.app.change_watch.listen(context.project());
    let mut stopping = context.app.stopping.subscribe();
    let mut known_failure = None;
    loop {
        changes.mark_unchanged();
        let inbox = read_when_allowed(context, page, until).await?;
        let newest_failure = inbox.failures.iter().map(|failure| failure.n).max();
        let has_failed = known_failure.is_some_and(|known| newest_failure > known);
        if has_news(&inbox) || has_failed {
            return Ok(inbox);
        }
        known_failure = Some(newest_failure);
        let is_over = tokio::select! {
            _ = changes.changed() => false,
            () = sleep_until(until) => true,
            // Parked work becomes claimable without an event.
            () = sleep(until_claimable(&inbox)) => false,
            _ = stopping.wait_for(|is_stopping| *is_stopping) => true,
        };
        authenticate::reauthorize(&context.app, context.client, &operations::INBOX, headers)
            .await?;
        if is_over {
            return read(context, page).await;
        }
    }
}

/// Returns the time until the first parked work can be claimed, or the longest wait.
fn until_claimable(inbox: &api::Inbox) -> Duration {
    let parked = inbox.handoffs.iter().filter_map(|one| one.not_before);
    let first = parked.filter(|instant| *instant > inbox.as_of).min();
    let left = first.and_then(|first| Duration::try_from(first.duration_since(inbox.as_of)).ok());
    left.map_or(prefer::WAIT_MAX, |left| left.clamp(PARKED_POLL_MIN, prefer::WAIT_MAX))
}

/// Returns `true` if there is anything but the caller's own claims and parked work. A failure from
/// before the wait does not count: it would end every wait until it is acknowledged.
fn has_news(inbox: &api::Inbox) -> bool {
    inbox.handoffs.iter().any(|one| {
        let is_own = one.holder.as_ref() == Some(&inbox.party);
        let is_parked = one.not_before.is_some_and(|instant| instant > inbox.as_of);
        !is_own && !is_parked
    })
}
