//! `/v1/events`: events, as a list or as a stream.

pub(crate) mod inbox;
pub(crate) mod search;
pub(crate) mod stats;

use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use jiff::Timestamp;
use serde::Deserialize;
use tasuki_api::Page;
use tasuki_api::event::event_type;
use tasuki_engine::model::{EventFilter, event_filter};
use tasuki_engine::query::events::{self, Bounds, between, last};
use tasuki_packet::leaf::EventType;
use tasuki_packet::violation::suggest;

use crate::api::operations::EVENTS;
use crate::api::v1::paging;
use crate::extract::parameters::{Parameters, comma_separated};
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;
use crate::sse;

/// The query of events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    since: Option<u64>,
    after: Option<u64>,
    from: Option<u64>,
    to: Option<u64>,
    task: Option<String>,
    party: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "comma_separated")]
    kinds: Vec<String>,
    handoff: Option<String>,
    sender: Option<String>,
    receiver: Option<String>,
    contract: Option<String>,
    state: Option<String>,
    before: Option<String>,
    actor: Option<String>,
    trigger: Option<String>,
    risk: Option<String>,
    reason: Option<String>,
    earliest: Option<Timestamp>,
    latest: Option<Timestamp>,
    limit: Option<u32>,
}

impl EventsQuery {
    fn filter(&self) -> Result<EventFilter, Problem> {
        let kinds = self.kinds.iter().map(|word| kind(word)).collect::<Result<_, _>>()?;
        let filter = EventFilter {
            kinds,
            task: self.task.clone(),
            party: self.party.clone(),
            handoff: self.handoff.clone(),
            sender: self.sender.clone(),
            receiver: self.receiver.clone(),
            contract: self.contract.clone(),
            state: self.state.clone(),
            before: self.before.clone(),
            actor: self.actor.clone(),
            trigger: self.trigger.clone(),
            risk: self.risk.clone(),
            reason: self.reason.clone(),
            earliest: self.earliest,
            latest: self.latest,
        };
        event_filter::check_words(&filter)?;
        Ok(filter)
    }

    /// Returns the number of the first event. If there are several bounds, the highest one counts.
    fn first(&self) -> Option<u64> {
        let seen = self.since.max(self.after).map(|seen| seen.saturating_add(1));
        seen.max(self.from)
    }
}

pub(crate) async fn events(
    context: RequestContext,
    headers: HeaderMap,
    Parameters(mut query): Parameters<EventsQuery>,
) -> Result<Response, Problem> {
    if let Some(written) = &query.handoff {
        query.handoff = Some(context.find(written).await?.id.to_string());
    }
    let filter = query.filter()?;
    context.apply_due().await?;
    if sse::is_requested(&headers) {
        if query.to.is_some() {
            return Err(Problem::argument("`to` is not valid for a stream"));
        }
        if query.limit.is_some() {
            return Err(Problem::argument("`limit` is not valid for a stream")
                .hint("close the connection when done, or request a list"));
        }
        // A client that reconnects sends its original query, and the last event it received.
        let seen = sse::last_seen(&headers)?.map(|seen| seen.saturating_add(1));
        return sse::respond(context, &EVENTS, headers, filter, seen.or(query.first())).await;
    }
    let limit = usize::try_from(paging::limit(query.limit)?).unwrap_or(usize::MAX);
    let page = context.read(move |context| async move {
        let (store, project) = (context.store(), context.project());
        let (end, bounds) = (query.to.unwrap_or(u64::MAX), Bounds::of_request(limit));
        Ok(match query.first() {
            Some(first) => between(store, project, first..end, &filter, bounds).await?,
            None => last(store, project, query.to, &filter, bounds).await?,
        })
    });
    let events::Page { events: items, next, is_cut: more, earlier } = page.await?;
    // `since` is exclusive: the next page begins after the event before `next`.
    let next = next.checked_sub(1).map(|seen| seen.to_string());
    Ok(Json(Page { items, next, more, earlier }).into_response())
}

fn kind(word: &str) -> Result<EventType, Problem> {
    event_type(word).ok_or_else(|| {
        let names = EventType::ALL.iter().map(|kind| kind.name());
        let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
        let hint = match suggest(word, names.chain(short)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "an example is `handoff.claimed`".to_owned(),
        };
        Problem::argument(format!("unknown event type `{word}`")).hint(hint)
    })
}
