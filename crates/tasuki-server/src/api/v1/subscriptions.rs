//! `/v1/subscriptions`: subscriptions to events, their deliveries, and replays.

use std::time::{Duration, Instant};

use serde::Deserialize;
use tasuki_api::{
    Delivery, Page, ReplayRequest, ReplayResponse, Subscription, SubscriptionRequest,
};
use tasuki_engine::command::Command;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{Channel, Directory, DisableReason, SubscriptionRecord};
use tasuki_engine::ports::deliveries;
use tasuki_engine::query::resolve;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::rules::authorization;
use tasuki_engine::steps::{
    AddSubscription, DisableSubscription, EnableSubscription, NewChannel, RemoveSubscription,
    RotateSecret,
};
use tasuki_engine::view;

use crate::api::v1::paging;
use crate::background::subscription_worker::SubscriptionWorker;
use crate::delivery::channel::{check, check_email};
use crate::delivery::transports::Transports;
use crate::delivery::{notice, webhook};
use crate::extract::body::StructuredBody;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// LIMIT: the events of one replay.
const REPLAYED_MAX: usize = 256;

/// LIMIT: the time of one replay.
const REPLAY_TIME_MAX: Duration = Duration::from_secs(30);

/// The query of the list of deliveries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeliveriesQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<Subscription>>, Problem> {
    let directory = context.directory().await?;
    let all = directory.subscriptions();
    let managed = all.into_iter().filter(|record| is_managed(&context, record));
    let shown = managed.map(|record| view::subscription(&directory, record));
    Ok(Json(paging::complete(shown.collect())))
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<Json<Subscription>, Problem> {
    let directory = context.directory().await?;
    Ok(Json(view::subscription(&directory, find(&context, &directory, &id)?)))
}

pub(crate) async fn add(
    context: RequestContext,
    StructuredBody(body): StructuredBody<SubscriptionRequest>,
) -> Result<CommandResponse, Problem> {
    let transports = transports(&context)?;
    let channel = channel(&body)?;
    let public_url = context.app.settings.public_url.as_deref();
    check(&transports.webhooks, transports.mailer.as_ref(), public_url, &channel).await?;
    let party = match body.party {
        Some(party) => party,
        None => context.directory().await?.name(context.principal().party),
    };
    let mut filter = body.filter;
    if let Some(written) = &filter.handoff {
        filter.handoff = Some(context.find(written).await?.id.to_string());
    }
    let request = AddSubscription { party, channel, filter };
    Ok(context.run(Command::AddSubscription(request)).await?.created())
}

/// Returns the one channel that a request names.
fn channel(body: &SubscriptionRequest) -> Result<NewChannel, Problem> {
    let SubscriptionRequest { url, signing, address, slack, ntfy, ntfy_token, .. } = body.clone();
    let token = ntfy_token;
    let webhook = url.map(|url| NewChannel::Webhook { url, signing });
    let email = address.map(|address| NewChannel::Email { address });
    let slack = slack.map(|url| NewChannel::Slack { url });
    let ntfy = ntfy.map(|url| NewChannel::Ntfy { url, token });
    let mut named = [webhook, email, slack, ntfy].into_iter().flatten();
    match (named.next(), named.next()) {
        (Some(channel), None) => Ok(channel),
        _ => Err(Problem::argument("expected one of `url`, `address`, `slack`, `ntfy`")
            .hint("`url` is for a webhook, `address` for mail")),
    }
}

pub(crate) async fn disable(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let subscription = find(&context, &*context.directory().await?, &id)?.id;
    let request = DisableSubscription { subscription, because: DisableReason::Asked };
    context.run(Command::DisableSubscription(request)).await
}

pub(crate) async fn enable(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let subscription = find(&context, &*context.directory().await?, &id)?.id;
    let deliveries = &transports(&context)?.deliveries;
    deliveries::begin_anew(&**deliveries, context.project(), subscription).await?;
    context.run(Command::EnableSubscription(EnableSubscription { subscription })).await
}

pub(crate) async fn rotate(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let subscription = find(&context, &*context.directory().await?, &id)?.id;
    context.run(Command::RotateSecret(RotateSecret { subscription })).await
}

pub(crate) async fn remove(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let subscription = find(&context, &*context.directory().await?, &id)?.id;
    let answer =
        context.run(Command::RemoveSubscription(RemoveSubscription { subscription })).await?;
    transports(&context)?.deliveries.forget_deliveries(context.project(), subscription).await?;
    Ok(answer)
}

pub(crate) async fn deliveries(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<DeliveriesQuery>,
) -> Result<Json<Page<Delivery>>, Problem> {
    let subscription = find(&context, &*context.directory().await?, &id)?.id;
    let limit = paging::limit(query.limit)?;
    let behind = paging::cursor(query.cursor.as_deref())?;
    let deliveries = &*transports(&context)?.deliveries;
    let page = deliveries::page(deliveries, context.project(), subscription, behind, limit);
    let (attempts, next) = page.await?;
    let items = attempts.iter().map(view::delivery).collect();
    Ok(Json(Page::new(items, next.map(|last| last.to_string()))))
}

/// Sends a test message, and returns the attempt.
pub(crate) async fn test(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<Json<Delivery>, Problem> {
    let record = find(&context, &*context.directory().await?, &id)?.clone();
    let (transports, app, project) = (transports(&context)?, &context.app, context.project());
    let worker = SubscriptionWorker { app, transports, project, record: &record };
    let now = app.engine.now();
    let outcome = match &record.channel {
        Channel::Email { .. } | Channel::Slack { .. } | Channel::Ntfy { .. } => {
            if let Channel::Email { .. } = record.channel {
                check_email(transports.mailer.as_ref()).await?;
            }
            worker.tell(&notice::test(&app.links(project).await, now)).await
        }
        Channel::Webhook { .. } | Channel::None {} => {
            let nonce = u64::from_be_bytes(first_eight(app.engine.command_seed().salt("ping")));
            let nonce = format!("{nonce:016x}");
            let message = webhook::ping(project, &record.id.to_string(), now, &nonce);
            worker.send(&message).await
        }
    };
    Ok(Json(view::delivery(&worker.attempt(0, 1, &outcome))))
}

/// Delivers a range of events again, in order and with their original ids. The cursor does not move.
pub(crate) async fn replay(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(range): StructuredBody<ReplayRequest>,
) -> Result<Json<ReplayResponse>, Problem> {
    let record = find(&context, &*context.directory().await?, &id)?.clone();
    let (transports, app, project) = (transports(&context)?, &context.app, context.project());
    check_range(&range, app.engine.head(project).await?.leaves)?;
    let page = app.events_since(project, range.from, &record.filter, REPLAYED_MAX).await?;
    let worker = SubscriptionWorker { app, transports, project, record: &record };
    let began = Instant::now();
    let mut deliveries = Vec::new();
    for event in page.events.iter().take_while(|event| event.n <= range.to) {
        if began.elapsed() > REPLAY_TIME_MAX {
            return Ok(Json(ReplayResponse { deliveries, next: Some(event.n) }));
        }
        let outcome = worker.deliver(event).await;
        let delivery = worker.record(event.n, 1, &outcome).await?;
        deliveries.push(view::delivery(&delivery));
        if !outcome.is_success() {
            return Ok(Json(ReplayResponse { deliveries, next: Some(event.n) }));
        }
    }
    let is_full = (page.is_cut || page.events.len() == REPLAYED_MAX) && page.next <= range.to;
    Ok(Json(ReplayResponse { deliveries, next: is_full.then_some(page.next) }))
}

/// Refuses an empty range, which would succeed without any delivery.
fn check_range(range: &ReplayRequest, count: u64) -> Result<(), Problem> {
    let ReplayRequest { from, to } = *range;
    if from >= count {
        let newest = count.saturating_sub(1);
        return Err(Problem::argument(format!("event {from} does not exist yet"))
            .hint(format!("the newest event is {newest}")));
    }
    if from > to {
        return Err(Problem::argument(format!("the range from {from} to {to} is empty"))
            .hint("`from` is the first event, `to` the last"));
    }
    Ok(())
}

fn first_eight(bytes: [u8; 32]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    eight
}

fn transports(context: &RequestContext) -> Result<&Transports, Problem> {
    let missing = || Fault::new(FaultKind::Bug, "the server has no delivery store");
    context.app.transports.as_ref().ok_or_else(|| missing().into())
}

fn is_managed(context: &RequestContext, record: &SubscriptionRecord) -> bool {
    authorization::manages_subscriptions_of(context.principal(), record.party)
}

/// Finds a subscription that the caller manages by its id, or by a unique ending of it.
fn find<'d>(
    context: &RequestContext,
    directory: &'d Directory,
    written: &str,
) -> Result<&'d SubscriptionRecord, Refusal> {
    let ending = resolve::ending_in(written, "sub_");
    let is_meant = |record: &&&std::sync::Arc<SubscriptionRecord>| {
        ending.as_ref().is_some_and(|ending| record.id.to_string().ends_with(ending.as_str()))
    };
    let mut all = directory.subscriptions();
    all.retain(|record| is_managed(context, record));
    let meant: Vec<_> = all.iter().filter(is_meant).take(2).collect();
    match meant[..] {
        [one] => Ok(one),
        [] => {
            let message = format!("no subscription is called `{written}`");
            Err(Refusal::new(RefusalCode::SubscriptionUnknown, message)
                .hint("`GET /v1/subscriptions` lists the subscriptions of this project"))
        }
        _ => {
            let message = format!("`{written}` matches several subscriptions");
            Err(Refusal::new(RefusalCode::SubscriptionUnknown, message).hint("use more digits"))
        }
    }
}
