//! `/v1/subscriptions`: who is told of which events, what became of it, and telling again.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tasuki_engine::command::Command;
use tasuki_engine::delivery;
use tasuki_engine::directory::Directory;
use tasuki_engine::enrol::{
    AddSubscription, DisableSubscription, EnableSubscription, NewChannel, RemoveSubscription,
    RotateSecret,
};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::events::{self, Filter};
use tasuki_engine::find;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::subscription::{Because, Channel, Signing, SubscriptionRecord};
use tasuki_engine::view;
use tasuki_packet::api;

use crate::api::v1::paging::{self, Page};
use crate::background::subscription_worker::Courier;
use crate::delivery::channel::{must_be_open, must_send_mail};
use crate::delivery::email;
use crate::delivery::transports::Means;
use crate::delivery::webhook;
use crate::extract::body::{Said, or_default};
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// LIMIT: events that one request delivers again.
const REPLAYED_MAX: usize = 256;

/// LIMIT: how long one request goes on delivering.
const REPLAY_TIME_MAX: Duration = Duration::from_secs(30);

/// A subscription to be added: by webhook or by mail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adding {
    party: Option<String>,
    url: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    signing: Signing,
    address: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    filter: Filter,
}

/// Which attempts somebody wants to see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Looking {
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Events to be delivered again, both ends included.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    from: u64,
    to: u64,
}

/// What became of a replay.
#[derive(Debug, Serialize)]
pub(crate) struct Replayed {
    deliveries: Vec<api::Delivery>,
    /// Where to go on: an attempt failed, or there was more than one request delivers.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

pub(crate) async fn list(visitor: Visitor) -> Result<Json<Page<api::Subscription>>, Problem> {
    let directory = visitor.directory().await?;
    let all = directory.subscriptions();
    let shown = all.into_iter().map(|record| view::subscription(&directory, record));
    Ok(Json(Page::whole(shown.collect())))
}

pub(crate) async fn show(
    visitor: Visitor,
    Named(id): Named,
) -> Result<Json<api::Subscription>, Problem> {
    let directory = visitor.directory().await?;
    Ok(Json(view::subscription(&directory, find(&directory, &id)?)))
}

pub(crate) async fn add(visitor: Visitor, Said(said): Said<Adding>) -> Result<Answered, Problem> {
    let means = means(&visitor)?;
    let channel = match (said.url, said.address) {
        (Some(url), None) => NewChannel::Webhook { url, signing: said.signing },
        (None, Some(address)) => NewChannel::Email { address },
        _ => {
            return Err(Problem::argument("say either `url` or `address`")
                .hint("`url` is for a webhook, `address` for mail"));
        }
    };
    must_be_open(&means.webhooks, means.mailer.as_ref(), &channel).await?;
    let party = match said.party {
        Some(party) => party,
        None => visitor.directory().await?.name(visitor.principal().party),
    };
    let mut filter = said.filter;
    if let Some(written) = &filter.handoff {
        filter.handoff = Some(visitor.find(written).await?.id.to_string());
    }
    let request = AddSubscription { party, channel, filter };
    Ok(visitor.run(Command::AddSubscription(request)).await?.made())
}

pub(crate) async fn disable(visitor: Visitor, Named(id): Named) -> Result<Answered, Problem> {
    let subscription = find(&*visitor.directory().await?, &id)?.id;
    let request = DisableSubscription { subscription, because: Because::Asked };
    visitor.run(Command::DisableSubscription(request)).await
}

pub(crate) async fn enable(visitor: Visitor, Named(id): Named) -> Result<Answered, Problem> {
    let subscription = find(&*visitor.directory().await?, &id)?.id;
    let deliveries = &means(&visitor)?.deliveries;
    delivery::begin_anew(&**deliveries, visitor.project(), subscription).await?;
    visitor.run(Command::EnableSubscription(EnableSubscription { subscription })).await
}

pub(crate) async fn rotate(visitor: Visitor, Named(id): Named) -> Result<Answered, Problem> {
    let subscription = find(&*visitor.directory().await?, &id)?.id;
    visitor.run(Command::RotateSecret(RotateSecret { subscription })).await
}

pub(crate) async fn remove(visitor: Visitor, Named(id): Named) -> Result<Answered, Problem> {
    let subscription = find(&*visitor.directory().await?, &id)?.id;
    let answer =
        visitor.run(Command::RemoveSubscription(RemoveSubscription { subscription })).await?;
    means(&visitor)?.deliveries.forget_deliveries(visitor.project(), subscription).await?;
    Ok(answer)
}

pub(crate) async fn deliveries(
    visitor: Visitor,
    Named(id): Named,
    Parameters(said): Parameters<Looking>,
) -> Result<Json<Page<api::Delivery>>, Problem> {
    let subscription = find(&*visitor.directory().await?, &id)?.id;
    let limit = paging::limit(said.limit)?;
    let behind = paging::behind(said.cursor.as_deref())?;
    let deliveries = &*means(&visitor)?.deliveries;
    let page = delivery::page(deliveries, visitor.project(), subscription, behind, limit);
    let (attempts, next) = page.await?;
    let items = attempts.iter().map(view::delivery).collect();
    Ok(Json(Page { items, next: next.map(|last| last.to_string()) }))
}

/// Sends one message that says nothing, and what the receiver said to it.
pub(crate) async fn test(
    visitor: Visitor,
    Named(id): Named,
) -> Result<Json<api::Delivery>, Problem> {
    let record = find(&*visitor.directory().await?, &id)?.clone();
    let (means, app, project) = (means(&visitor)?, &visitor.app, visitor.project());
    let courier = Courier { app, means, project, record: &record };
    let now = app.engine.now();
    let outcome = match &record.channel {
        Channel::Email { address } => {
            must_send_mail(means.mailer.as_ref()).await?;
            let links = app.email_links(project).await;
            let letter = email::test(&links, now);
            match &means.mailer {
                Some(mailer) => mailer.send(address, &letter).await,
                None => email::unset(),
            }
        }
        Channel::Webhook { .. } | Channel::None {} => {
            let nonce = u64::from_be_bytes(first_eight(app.engine.draw().salt("ping")));
            let nonce = format!("{nonce:016x}");
            let message = webhook::ping(project, &record.id.to_string(), now, &nonce);
            courier.send(&message).await
        }
    };
    Ok(Json(view::delivery(&courier.attempt(0, 1, &outcome))))
}

/// Delivers a range of events again, in order, each with the id that it had; the cursor stays.
pub(crate) async fn replay(
    visitor: Visitor,
    Named(id): Named,
    Said(range): Said<Range>,
) -> Result<Json<Replayed>, Problem> {
    let record = find(&*visitor.directory().await?, &id)?.clone();
    let (means, app, project) = (means(&visitor)?, &visitor.app, visitor.project());
    must_be_there(&range, app.engine.head(project).await?.leaves)?;
    let page =
        events::since(visitor.store(), project, range.from, &record.filter, REPLAYED_MAX).await?;
    let courier = Courier { app, means, project, record: &record };
    let began = Instant::now();
    let mut deliveries = Vec::new();
    for event in page.events.iter().take_while(|event| event.n <= range.to) {
        if began.elapsed() > REPLAY_TIME_MAX {
            return Ok(Json(Replayed { deliveries, next: Some(event.n) }));
        }
        let outcome = courier.carry(event).await;
        let noted = courier.note(event.n, 1, &outcome).await?;
        deliveries.push(view::delivery(&noted));
        if !outcome.is_success() {
            return Ok(Json(Replayed { deliveries, next: Some(event.n) }));
        }
    }
    let is_full = page.events.len() == REPLAYED_MAX && page.next <= range.to;
    Ok(Json(Replayed { deliveries, next: is_full.then_some(page.next) }))
}

/// A range without any event would be delivered in full without delivering anything.
fn must_be_there(range: &Range, count: u64) -> Result<(), Problem> {
    let Range { from, to } = *range;
    if from >= count {
        let newest = count.saturating_sub(1);
        return Err(Problem::argument(format!("event {from} has not happened yet"))
            .hint(format!("the newest event is {newest}")));
    }
    if from > to {
        return Err(Problem::argument(format!("the range ends with {to}, before {from}"))
            .hint("`from` is the first event, `to` the last"));
    }
    Ok(())
}

fn first_eight(bytes: [u8; 32]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    eight
}

fn means(visitor: &Visitor) -> Result<&Means, Problem> {
    let missing = || Fault::new(FaultKind::Bug, "this server has no memory for deliveries");
    visitor.app.means.as_ref().ok_or_else(|| missing().into())
}

/// The subscription that is meant: a whole id, or a unique ending of it.
fn find<'d>(directory: &'d Directory, written: &str) -> Result<&'d SubscriptionRecord, Refusal> {
    let ending = find::ending_in(written, "sub_");
    let is_meant = |record: &&&std::sync::Arc<SubscriptionRecord>| {
        ending.as_ref().is_some_and(|ending| record.id.to_string().ends_with(ending.as_str()))
    };
    let all = directory.subscriptions();
    let meant: Vec<_> = all.iter().filter(is_meant).take(2).collect();
    match meant[..] {
        [one] => Ok(one),
        [] => {
            let message = format!("no subscription is called `{written}`");
            Err(Refusal::new(RefusalCode::SubscriptionUnknown, message)
                .hint("`GET /v1/subscriptions` lists the subscriptions of this project"))
        }
        _ => {
            let message = format!("`{written}` may be any of several subscriptions");
            Err(Refusal::new(RefusalCode::SubscriptionUnknown, message).hint("use more digits"))
        }
    }
}
