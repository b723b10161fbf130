//! `/v1/handoffs/{id}/verdicts`: verdicts on a return packet.

use tasuki_api::{VerdictRequest, VerdictResult};
use tasuki_engine::command::Command;
use tasuki_engine::steps::Verify;

use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn verify(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<VerdictRequest>,
) -> Result<CommandResponse, Problem> {
    let request = Verify {
        handoff: context.find(&id).await?.id,
        is_good: body.result == VerdictResult::Pass,
        reason: body.reason,
    };
    Ok(context.run(Command::Verify(request)).await?.created())
}
