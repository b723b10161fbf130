//! `/v1/inbox`: what waits for the caller, at once or as soon as something does.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_engine::inbox;
use tasuki_engine::urgency::Urgency;
use tasuki_packet::api;
use tokio::time::{Instant, sleep, sleep_until};

use crate::api::operations;
use crate::api::v1::paging;
use crate::auth::authenticate;
use crate::extract::parameters::Parameters;
use crate::extract::prefer;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// LIMIT: how soon it is looked again for work that is about to be claimable.
const PARKED_POLL_MIN: Duration = Duration::from_millis(10);

/// How many, and from where on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

/// The page that is looked at.
#[derive(Debug, Clone, Copy)]
struct InboxPage {
    behind: Option<Urgency>,
    limit: u32,
}

pub(crate) async fn inbox(
    context: RequestContext,
    headers: HeaderMap,
    Parameters(query): Parameters<InboxQuery>,
) -> Result<Response, Problem> {
    let behind = paging::cursor(query.cursor.as_deref())?;
    let wanted = InboxPage { behind, limit: paging::limit(query.limit)? };
    let wait = prefer::wait(&headers);
    let inbox = match wait {
        None => read(&context, wanted).await?,
        Some(wait) => wait_for_news(&context, &headers, wanted, wait).await?,
    };
    Ok(prefer::with_applied(Json(inbox).into_response(), wait))
}

async fn read(context: &RequestContext, wanted: InboxPage) -> Result<api::Inbox, Problem> {
    let InboxPage { behind, limit } = wanted;
    let (engine, principal) = (context.engine(), context.principal());
    Ok(inbox::inbox(engine, context.project(), principal, behind, limit).await?)
}

/// Looks until something is for the caller, the time is over, or the server stops. Whoever may no longer
/// look hears that, and nothing of what has come meanwhile.
async fn wait_for_news(
    context: &RequestContext,
    headers: &HeaderMap,
    wanted: InboxPage,
    wait: Duration,
) -> Result<api::Inbox, Problem> {
    let until = Instant::now() + wait;
    let mut news = context.app.change_watch.listen(context.project());
    let mut stopping = context.app.stopping.subscribe();
    loop {
        news.mark_unchanged();
        let inbox = read(context, wanted).await?;
        if has_news(&inbox) {
            return Ok(inbox);
        }
        let is_over = tokio::select! {
            _ = news.changed() => false,
            () = sleep_until(until) => true,
            // Nothing happens when parked work can be claimed again: only time passes.
            () = sleep(until_claimable(&inbox)) => false,
            _ = stopping.wait_for(|is_stopping| *is_stopping) => true,
        };
        authenticate::reauthorize(&context.app, context.client, &operations::INBOX, headers)
            .await?;
        if is_over {
            return read(context, wanted).await;
        }
    }
}

/// How long the first parked work cannot be claimed yet; as long as nobody waits if there is none.
fn until_claimable(inbox: &api::Inbox) -> Duration {
    let parked = inbox.handoffs.iter().filter_map(|one| one.not_before);
    let first = parked.filter(|instant| *instant > inbox.as_of).min();
    let left = first.and_then(|first| Duration::try_from(first.duration_since(inbox.as_of)).ok());
    left.map_or(prefer::WAIT_MAX, |left| left.clamp(PARKED_POLL_MIN, prefer::WAIT_MAX))
}

/// What the caller holds already is not news, and what is parked is not yet for anybody.
fn has_news(inbox: &api::Inbox) -> bool {
    inbox.handoffs.iter().any(|one| {
        let is_own = one.holder.as_ref() == Some(&inbox.party);
        let is_parked = one.not_before.is_some_and(|instant| instant > inbox.as_of);
        !is_own && !is_parked
    })
}
