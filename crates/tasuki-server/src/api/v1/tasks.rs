//! `/v1/tasks`: begin a task, read its timeline, and resume it.

use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_api::{Event, Page};
use tasuki_engine::command::Command;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::model::Handoff;
use tasuki_engine::ports::{Order, Query};
use tasuki_engine::query::events::event;
use tasuki_engine::query::leaves::with_neighbours;
use tasuki_engine::rules::authorization;
use tasuki_engine::steps::Begin;
use tasuki_packet::duration::Duration;
use tasuki_packet::render::BUDGET_TOKENS_DEFAULT;

use crate::api::v1::handoffs::packet;
use crate::api::v1::paging;
use crate::extract::body::PacketWithWorkTree;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::{Json, typed};
use crate::respond::problem::Problem;

/// The form of a brief for a model.
const BRIEF: &str = "brief";

/// LIMIT: events after which a page of a timeline ends, with the handoff that it is in.
const EVENTS_MAX: usize = 1_000;

/// The query of a task to begin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeginQuery {
    lease: Option<Duration>,
    #[serde(default)]
    renewed: bool,
    key: Option<String>,
    #[serde(default)]
    automatic: bool,
}

pub(crate) async fn begin(
    context: RequestContext,
    Parameters(query): Parameters<BeginQuery>,
    PacketWithWorkTree { source, work_tree }: PacketWithWorkTree,
) -> Result<CommandResponse, Problem> {
    let BeginQuery { lease, renewed, key, automatic } = query;
    let is_automatic = automatic;
    let request = Begin { source, lease, is_renewed: renewed, key, is_automatic, work_tree };
    Ok(context.run(Command::Begin(request)).await?.created())
}

/// The query of a timeline.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimelineQuery {
    cursor: Option<String>,
}

pub(crate) async fn timeline(
    context: RequestContext,
    PathParameter(task): PathParameter,
    Parameters(page): Parameters<TimelineQuery>,
) -> Result<Json<Page<Event>>, Problem> {
    context.apply_due().await?;
    let task = Some(context.find(&task).await?.facts.task.clone());
    let (order, after) = (Order::Oldest, paging::cursor(page.cursor.as_deref())?);
    let query = Query { task, order, after, limit: PAGE_MAX, ..Query::default() };
    let directory = context.directory().await?;
    let may_know = |one: &Handoff| authorization::may_know(&directory, context.principal(), one);
    let mut handoffs = context.store().handoffs(context.project(), query).await?;
    let mut last =
        handoffs.last().map(|last| last.id).filter(|_| handoffs.len() >= PAGE_MAX as usize);
    handoffs.retain(may_know);
    let mut events = Vec::new();
    for handoff in handoffs {
        if events.len() >= EVENTS_MAX {
            break;
        }
        for row in context.store().leaves_of(context.project(), handoff.id).await? {
            events.push(event(&row)?);
        }
        if events.len() >= EVENTS_MAX {
            last = Some(handoff.id);
        }
    }
    events.sort_by_key(|event| event.n);
    Ok(Json(Page::new(events, last.map(|last| last.to_string()))))
}

/// The query of the leaves of a task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeavesQuery {
    #[serde(default)]
    from: u64,
    limit: Option<u32>,
}

pub(crate) async fn leaves(
    context: RequestContext,
    PathParameter(task): PathParameter,
    Parameters(query): Parameters<LeavesQuery>,
) -> Result<Response, Problem> {
    let limit = usize::try_from(paging::limit(query.limit)?).unwrap_or(usize::MAX);
    // A task may have many handoffs, and each of them many leaves.
    let lines = context.run_long_read(move |context| async move {
        let mut numbers = Vec::new();
        for handoff in known_handoffs(&context, &task).await? {
            let rows = context.store().leaves_of(context.project(), handoff.id).await?;
            numbers.extend(rows.iter().map(|row| row.n).filter(|n| *n >= query.from));
        }
        numbers.sort_unstable();
        numbers.truncate(limit);
        let rows = with_neighbours(context.store(), context.project(), &numbers).await?;
        Ok(rows.iter().flat_map(|row| [row.leaf.as_str(), "\n"]).collect::<String>())
    });
    Ok(typed("application/jsonl", lines.await?))
}

/// Returns the handoffs of a task that the caller may know of, oldest first.
async fn known_handoffs(context: &RequestContext, task: &str) -> Result<Vec<Handoff>, Problem> {
    let task = context.find(task).await?.facts.task.clone();
    let query =
        Query { task: Some(task), order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
    let directory = context.directory().await?;
    let mut handoffs = context.store().handoffs(context.project(), query).await?;
    handoffs.retain(|one| authorization::may_know(&directory, context.principal(), one));
    Ok(handoffs)
}

/// The query of a task to resume.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeQuery {
    #[serde(rename = "as")]
    form: Option<String>,
    budget: Option<usize>,
}

pub(crate) async fn resume(
    context: RequestContext,
    PathParameter(task): PathParameter,
    Parameters(query): Parameters<ResumeQuery>,
) -> Result<Response, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&task).await?;
    let reader = context.reader().await?;
    let form = query.form.as_deref().unwrap_or("json");
    let response = if form == BRIEF {
        let budget = query.budget.unwrap_or(BUDGET_TOKENS_DEFAULT);
        Json(reader.continuation(&handoff, budget).await?).into_response()
    } else {
        packet::in_form(&reader.exported(&handoff).await?, form, &[BRIEF])?
    };
    context.mark_delivered(&handoff);
    Ok(response)
}
