//! `/v1/halt`: halt a project, and lift the halt.

use tasuki_api::ReasonRequest;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Halt;

use crate::extract::body::StructuredBody;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn halt(
    context: RequestContext,
    StructuredBody(body): StructuredBody<ReasonRequest>,
) -> Result<CommandResponse, Problem> {
    let request = Halt { is_lift: false, reason: body.reason };
    context.run(Command::Halt(request)).await
}

pub(crate) async fn lift(
    context: RequestContext,
    Parameters(query): Parameters<ReasonRequest>,
) -> Result<CommandResponse, Problem> {
    let request = Halt { is_lift: true, reason: query.reason };
    context.run(Command::Halt(request)).await
}
