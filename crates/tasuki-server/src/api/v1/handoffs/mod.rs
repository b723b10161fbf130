//! `/v1/handoffs`: submit, list and show handoffs.

pub(crate) mod actions;
pub(crate) mod checkpoints;
pub(crate) mod claims;
pub(crate) mod decisions;
pub(crate) mod declines;
pub(crate) mod packet;
pub(crate) mod questions;
pub(crate) mod returns;
pub(crate) mod revisions;
pub(crate) mod verdicts;

use axum::http::header::ETAG;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::Value;
use tasuki_api::{Handoff, HandoffDetails, Page};
use tasuki_engine::command::Command;
use tasuki_engine::model::{Directory, StateWord};
use tasuki_engine::ports::Query;
use tasuki_engine::query::listing;
use tasuki_engine::rules::scopes::{self, ReadOperation};
use tasuki_engine::steps::{PassOn, Submit};
use tasuki_packet::id::PartyId;

use crate::api::v1::paging;
use crate::extract::body::SubmittedPacket;
use crate::extract::parameters::{Parameters, PathParameter, comma_separated};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;
use crate::respond::{etag, headers};

/// The query of a submission.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmitQuery {
    to: Option<String>,
    #[serde(default)]
    hold: bool,
    supersedes: Option<String>,
    parent: Option<String>,
    fence: Option<u64>,
}

pub(crate) async fn submit(
    context: RequestContext,
    Parameters(query): Parameters<SubmitQuery>,
    SubmittedPacket { source, work_tree, variant }: SubmittedPacket,
) -> Result<CommandResponse, Problem> {
    let supersedes = match &query.supersedes {
        Some(written) => Some(context.find(written).await?.id),
        None => None,
    };
    let parent = match &query.parent {
        Some(written) => Some(context.claim_proof(written, query.fence).await?),
        None if query.fence.is_some() => {
            return Err(Problem::argument("`fence` without `parent`")
                .hint("name the handoff that is passed on with `parent`"));
        }
        None => None,
    };
    let SubmitQuery { to, hold, .. } = query;
    let command = match parent {
        Some(parent) => PassOn { parent, source, to, hold, supersedes, variant, work_tree }.into(),
        None => Command::Submit(Submit { source, to, hold, supersedes, variant, work_tree }),
    };
    Ok(context.run(command).await?.created())
}

/// The query of the list of handoffs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HandoffsQuery {
    #[serde(default, deserialize_with = "comma_separated")]
    state: Vec<String>,
    task: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    all: bool,
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    context: RequestContext,
    Parameters(query): Parameters<HandoffsQuery>,
) -> Result<Json<Page<Handoff>>, Problem> {
    context.apply_due().await?;
    let directory = context.directory().await?;
    let selection = Query {
        states: states(&query)?,
        task: query.task,
        senders: party(&directory, query.from.as_deref())?,
        receivers: party(&directory, query.to.as_deref())?,
        ..Query::default()
    };
    handoffs(&context, selection, query.limit, query.cursor.as_deref()).await
}

/// Returns a page of handoffs.
pub(crate) async fn handoffs(
    context: &RequestContext,
    mut query: Query,
    limit: Option<u32>,
    cursor: Option<&str>,
) -> Result<Json<Page<Handoff>>, Problem> {
    query.limit = paging::limit(limit)?;
    query.after = paging::cursor(cursor)?;
    let page = listing::page(context.store(), context.project(), query).await?;
    let items = context.reader().await?.cards(&page.found);
    Ok(Json(Page::new(items, page.next.map(|last| last.to_string()))))
}

/// Returns the requested states, no state for all, or the unfinished ones by default.
fn states(query: &HandoffsQuery) -> Result<Vec<StateWord>, Problem> {
    let unfinished = || StateWord::ALL.into_iter().filter(|s| s.is_open() || *s == StateWord::Dead);
    match query.state.as_slice() {
        [] if query.all => Ok(Vec::new()),
        [] => Ok(unfinished().collect()),
        named => named.iter().map(|word| state(word)).collect(),
    }
}

fn state(word: &str) -> Result<StateWord, Problem> {
    StateWord::named(word).ok_or_else(|| {
        let words: Vec<&str> = StateWord::ALL.iter().map(|state| state.as_str()).collect();
        Problem::argument(format!("unknown state `{word}`"))
            .hint(format!("the states are {}", words.join(", ")))
    })
}

fn party(directory: &Directory, name: Option<&str>) -> Result<Vec<PartyId>, Problem> {
    let Some(name) = name else { return Ok(Vec::new()) };
    Ok(vec![directory.find(name)?.id])
}

/// The query of a handoff.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HandoffQuery {
    packet: Option<bool>,
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<HandoffQuery>,
) -> Result<Response, Problem> {
    if query.packet == Some(false) {
        return card(&context, &id).await;
    }
    scopes::require(context.principal(), ReadOperation::Handoff.required_scopes())?;
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let (project, principal) = (context.project(), context.principal());
    let revision = handoff.facts.revision;
    let details = context.engine().details(project, principal, &handoff, revision).await?;
    context.mark_delivered(&handoff);
    Ok(tagged(details))
}

/// Returns a handoff without its packet. It does not count as delivered. The approved action is part of
/// it, because a holder must read it even without the scope `read`.
async fn card(context: &RequestContext, id: &str) -> Result<Response, Problem> {
    context.apply_due().await?;
    let handoff = context.find(id).await?;
    let reader = context.reader().await?;
    let is_reviewed = handoff.progress.reviewed.is_some();
    let approval = if is_reviewed && reader.may_read(&handoff, handoff.facts.revision) {
        reader.approval(&handoff).await?
    } else {
        None
    };
    let card = reader.cards(&[handoff]).swap_remove(0);
    Ok(tagged(HandoffDetails {
        reference: card.reference(),
        handoff: card,
        packet: Value::Null,
        action: None,
        approval,
        decisions: Vec::new(),
        questions: Vec::new(),
        ladder: Vec::new(),
        claim: None,
        allowed: Vec::new(),
        progress: None,
        claim_statement: None,
        returned: None,
        work_tree: None,
    }))
}

fn tagged(details: HandoffDetails) -> Response {
    let tag = etag::of_handoff(&details.handoff);
    let mut response = Json(details).into_response();
    headers::insert(response.headers_mut(), ETAG, tag);
    response
}
