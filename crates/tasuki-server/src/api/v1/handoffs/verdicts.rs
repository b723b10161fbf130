//! `/v1/handoffs/{id}/verdicts`: verdicts on a return packet.

use tasuki_api::{VerdictRequest, VerdictResult};
use tasuki_engine::command::Command;
use tasuki_engine::steps::{Attention, Verify};
use tasuki_packet::id::ReturnId;

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
        return_packet: body.return_packet.as_deref().map(return_id).transpose()?,
        is_good: body.result == VerdictResult::Pass,
        reason: body.reason,
        attention: Attention { seconds: body.seconds, opened: body.opened },
    };
    Ok(context.run(Command::Verify(request)).await?.created())
}

fn return_id(named: &str) -> Result<ReturnId, Problem> {
    named.parse().ok().ok_or_else(|| {
        Problem::argument("`return` is not the id of a return packet")
            .hint("send the `return_id` of the handoff")
    })
}
