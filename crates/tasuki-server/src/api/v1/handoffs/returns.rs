//! `/v1/handoffs/{id}/returns`: return packets of holders, with their verdicts.

use serde::Deserialize;
use tasuki_api as api;
use tasuki_api::Page;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Return;
use tasuki_packet::id::ReturnId;

use crate::api::v1::HolderQuery;
use crate::api::v1::paging;
use crate::extract::body::PacketWithWorkTree;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn submit(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(holder): Parameters<HolderQuery>,
    PacketWithWorkTree { source, work_tree }: PacketWithWorkTree,
) -> Result<CommandResponse, Problem> {
    let command = |shown| Command::Return(Return { claim: shown, source, work_tree });
    Ok(context.run_as_holder(&id, holder.fence, command).await?.created())
}

/// The query of the list of returns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnsQuery {
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<ReturnsQuery>,
) -> Result<Json<Page<api::Return>>, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let mut returns = context.reader().await?.returns(&handoff).await?;
    if let Some(cursor) = paging::cursor::<ReturnId>(query.cursor.as_deref())? {
        // An unknown return has no successors.
        let seen = returns.iter().position(|one| one.id == cursor.to_string());
        returns.drain(..seen.map_or(returns.len(), |seen| seen + 1));
    }
    Ok(Json(paging::truncated(returns, paging::limit(query.limit)?, |one: &api::Return| {
        one.id.clone()
    })))
}
