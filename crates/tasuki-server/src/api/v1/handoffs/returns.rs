//! `/v1/handoffs/{id}/returns`: a holder returns what was asked for, and whoever judges it reads it.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::return_packet::Request;
use tasuki_packet::api;
use tasuki_packet::id::ReturnId;

use crate::api::v1::Holder;
use crate::api::v1::paging::{self, Page};
use crate::extract::body::Sent;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn give_back(
    visitor: Visitor,
    Named(id): Named,
    Parameters(holder): Parameters<Holder>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let command = |shown| Command::Return(Request { shown, source });
    Ok(visitor.run_as_holder(&id, holder.token, command).await?.made())
}

/// Which returns somebody wants to see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    visitor: Visitor,
    Named(id): Named,
    Parameters(said): Parameters<Listing>,
) -> Result<Json<Page<api::Return>>, Problem> {
    visitor.settle().await?;
    let handoff = visitor.find(&id).await?;
    let mut returns = visitor.reader().returns(&handoff).await?;
    if let Some(cursor) = paging::behind::<ReturnId>(said.cursor.as_deref())? {
        // Nothing comes after a return that is none of these.
        let seen = returns.iter().position(|one| one.id == cursor.to_string());
        returns.drain(..seen.map_or(returns.len(), |seen| seen + 1));
    }
    Ok(Json(Page::cut(returns, paging::limit(said.limit)?, |one: &api::Return| one.id.clone())))
}
