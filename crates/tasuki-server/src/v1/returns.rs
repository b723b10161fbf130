//! `/v1/handoffs/{id}/returns`: a holder returns what was asked for, and whoever judges it reads it.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::return_packet::Request;
use tasuki_packet::api;
use tasuki_packet::id::ReturnId;

use super::Holder;
use crate::answer::{Answered, Json};
use crate::body::Sent;
use crate::page::{self, Page};
use crate::parameters::{Named, Parameters};
use crate::problem::Problem;
use crate::visitor::Visitor;

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
    if let Some(cursor) = page::behind::<ReturnId>(said.cursor.as_deref())? {
        // Nothing comes after a return that is none of these.
        let seen = returns.iter().position(|one| one.id == cursor.to_string());
        returns.drain(..seen.map_or(returns.len(), |seen| seen + 1));
    }
    Ok(Json(Page::cut(returns, page::limit(said.limit)?, |one: &api::Return| one.id.clone())))
}
