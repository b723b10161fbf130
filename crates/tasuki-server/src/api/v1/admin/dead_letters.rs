//! `/v1/dead`: work that nobody could go on with.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::fallback::Dead;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::store::Query;
use tasuki_packet::api;

use crate::api::v1::paging::Page;
use crate::api::v1::{Reason, handoffs};
use crate::extract::body::Said;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// Which page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    visitor: Visitor,
    Parameters(said): Parameters<Listing>,
) -> Result<Json<Page<api::Handoff>>, Problem> {
    visitor.settle().await?;
    let query = Query { states: vec![StateWord::Dead], ..Query::default() };
    handoffs::handoffs(&visitor, query, said.limit, said.cursor.as_deref()).await
}

pub(crate) async fn redrive(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Reason>,
) -> Result<Answered, Problem> {
    let handoff = visitor.find(&id).await?.id;
    visitor.run(Command::Redrive(Dead { handoff, reason: said.reason })).await
}

pub(crate) async fn discard(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Reason>,
) -> Result<Answered, Problem> {
    let handoff = visitor.find(&id).await?.id;
    visitor.run(Command::Discard(Dead { handoff, reason: said.reason })).await
}
