//! `/v1/dead`: dead letters, to redrive or to discard.

use serde::Deserialize;
use tasuki_api::{DeadLetterRequest, Handoff, Page};
use tasuki_engine::command::Command;
use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Query;
use tasuki_engine::steps::{Attention, Discard, Redrive};

use crate::api::v1::handoffs;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// The query of the list of dead letters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeadLettersQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    context: RequestContext,
    Parameters(page): Parameters<DeadLettersQuery>,
) -> Result<Json<Page<Handoff>>, Problem> {
    context.apply_due().await?;
    let query = Query { states: vec![StateWord::Dead], ..Query::default() };
    handoffs::handoffs(&context, query, page.limit, page.cursor.as_deref()).await
}

pub(crate) async fn redrive(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<DeadLetterRequest>,
) -> Result<CommandResponse, Problem> {
    let handoff = context.find(&id).await?.id;
    let attention = Attention { seconds: body.seconds, opened: body.opened };
    context.run(Command::Redrive(Redrive { handoff, reason: body.reason, attention })).await
}

pub(crate) async fn discard(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<DeadLetterRequest>,
) -> Result<CommandResponse, Problem> {
    let handoff = context.find(&id).await?.id;
    let attention = Attention { seconds: body.seconds, opened: body.opened };
    context.run(Command::Discard(Discard { handoff, reason: body.reason, attention })).await
}
