//! `/v1/handoffs/{id}/checkpoints`: a holder records progress.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Checkpoint;

use crate::api::v1::HolderQuery;
use crate::extract::body::PacketBody;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn checkpoint(
    context: RequestContext,
    PathParameter(id): PathParameter,
    Parameters(holder): Parameters<HolderQuery>,
    PacketBody(source): PacketBody,
) -> Result<CommandResponse, Problem> {
    let command = |shown| Command::Checkpoint(Checkpoint { claim: shown, source });
    Ok(context.run_as_holder(&id, holder.fence, command).await?.created())
}
