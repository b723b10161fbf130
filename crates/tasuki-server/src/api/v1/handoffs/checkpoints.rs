//! `/v1/handoffs/{id}/checkpoints`: a holder records progress, and readers follow it.

use tasuki_api::{CheckpointRecord, Page};
use tasuki_engine::command::Command;
use tasuki_engine::steps::Checkpoint;

use crate::api::v1::HolderQuery;
use crate::api::v1::paging::{self, AfterQuery};
use crate::extract::body::PacketWithWorkTree;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn checkpoint(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(holder): Parameters<HolderQuery>,
    PacketWithWorkTree { source, work_tree }: PacketWithWorkTree,
) -> Result<CommandResponse, Problem> {
    let command = |shown| Command::Checkpoint(Checkpoint { claim: shown, source, work_tree });
    Ok(context.run_as_holder(&id, holder.fence, command).await?.created())
}

pub(crate) async fn list(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<AfterQuery>,
) -> Result<Json<Page<CheckpointRecord>>, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&id).await?;
    let checkpoints = context.reader().await?.checkpoints(&handoff).await?;
    Ok(Json(paging::after(checkpoints, &query, |one| one.n)?))
}
