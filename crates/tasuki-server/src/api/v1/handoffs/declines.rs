//! `/v1/handoffs/{id}/declines`: a receiver does not take it.

use tasuki_engine::command::Command;
use tasuki_engine::fallback::Decline;

use crate::api::v1::Reason;
use crate::extract::body::Said;
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

pub(crate) async fn decline(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Reason>,
) -> Result<Answered, Problem> {
    let request = Decline { handoff: visitor.find(&id).await?.id, reason: said.reason };
    Ok(visitor.run(Command::Decline(request)).await?.made())
}
