//! `/v1/handoffs/{id}/declines`: a receiver does not take it.

use tasuki_engine::command::Command;
use tasuki_engine::fallback::Decline;

use super::Reason;
use crate::answer::Answered;
use crate::body::Said;
use crate::parameters::Named;
use crate::problem::Problem;
use crate::visitor::Visitor;

pub(crate) async fn decline(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Reason>,
) -> Result<Answered, Problem> {
    let request = Decline { handoff: visitor.find(&id).await?.id, reason: said.reason };
    Ok(visitor.run(Command::Decline(request)).await?.made())
}
