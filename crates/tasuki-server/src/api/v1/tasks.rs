//! `/v1/tasks`: open a task for oneself, see all that happened to one, go on with it.

use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tasuki_engine::authority;
use tasuki_engine::begin::Request;
use tasuki_engine::command::Command;
use tasuki_engine::events::event;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::store::{Order, Query};
use tasuki_packet::api;
use tasuki_packet::duration::Duration;

use crate::api::v1::handoffs::packet;
use crate::api::v1::paging::Page;
use crate::extract::body::Sent;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// LIMIT: what a brief has unless the caller says otherwise, as on the command line.
const BUDGET_TOKENS: usize = 1_500;

/// The form that is no packet.
const BRIEF: &str = "brief";

/// What is said beside the packet of a task that is begun.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beginning {
    lease: Option<Duration>,
    #[serde(default)]
    renewed: bool,
    key: Option<String>,
}

pub(crate) async fn begin(
    visitor: Visitor,
    Parameters(said): Parameters<Beginning>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let Beginning { lease, renewed, key } = said;
    let request = Request { source, lease, is_renewed: renewed, key };
    Ok(visitor.run(Command::Begin(request)).await?.made())
}

pub(crate) async fn timeline(
    visitor: Visitor,
    Named(task): Named,
) -> Result<Json<Page<api::Event>>, Problem> {
    visitor.settle().await?;
    let task = visitor.find(&task).await?.facts.task.clone();
    let query =
        Query { task: Some(task), order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
    let directory = visitor.directory().await?;
    let may_know = |one: &Handoff| authority::may_know(&directory, visitor.principal(), one);
    let mut handoffs = visitor.store().handoffs(visitor.project(), query).await?;
    handoffs.retain(may_know);
    let mut events = Vec::new();
    for handoff in handoffs {
        for row in visitor.store().leaves_of(visitor.project(), handoff.id).await? {
            events.push(event(&row)?);
        }
    }
    events.sort_by_key(|event| event.n);
    Ok(Json(Page::whole(events)))
}

/// How somebody wants to go on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resuming {
    #[serde(rename = "as")]
    form: Option<String>,
    budget: Option<usize>,
}

pub(crate) async fn resume(
    visitor: Visitor,
    Named(task): Named,
    Parameters(said): Parameters<Resuming>,
) -> Result<Response, Problem> {
    visitor.settle().await?;
    let handoff = visitor.find(&task).await?;
    let reader = visitor.reader();
    let form = said.form.as_deref().unwrap_or("json");
    let response = if form == BRIEF {
        let budget = said.budget.unwrap_or(BUDGET_TOKENS);
        Json(reader.continuation(&handoff, budget).await?).into_response()
    } else {
        packet::in_form(&reader.exported(&handoff).await?, form, &[BRIEF])?
    };
    visitor.delivered(&handoff);
    Ok(response)
}
