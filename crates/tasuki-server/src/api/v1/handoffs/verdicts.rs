//! `/v1/handoffs/{id}/verdicts`: verdicts on a return packet.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Verify;

use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

/// The body of a verdict.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictBody {
    result: VerdictResult,
    reason: Option<String>,
}

/// The result of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerdictResult {
    Pass,
    Fail,
}

pub(crate) async fn verify(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<VerdictBody>,
) -> Result<CommandResponse, Problem> {
    let request = Verify {
        handoff: context.find(&id).await?.id,
        is_good: body.result == VerdictResult::Pass,
        reason: body.reason,
    };
    Ok(context.run(Command::Verify(request)).await?.created())
}
