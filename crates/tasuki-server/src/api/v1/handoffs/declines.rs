//! `/v1/handoffs/{id}/declines`: a receiver declines an offer.

use tasuki_api::ReasonRequest;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Decline;

use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn decline(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ReasonRequest>,
) -> Result<CommandResponse, Problem> {
    let request = Decline { handoff: context.find(&id).await?.id, reason: body.reason };
    Ok(context.run(Command::Decline(request)).await?.created())
}
