//! `/v1/halt`: stop everything at once, and go on later.

use tasuki_engine::cancel::HaltRequest;
use tasuki_engine::command::Command;

use crate::api::v1::Reason;
use crate::extract::body::Said;
use crate::extract::parameters::Parameters;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

pub(crate) async fn halt(visitor: Visitor, Said(said): Said<Reason>) -> Result<Answered, Problem> {
    let request = HaltRequest { is_lift: false, reason: said.reason };
    visitor.run(Command::Halt(request)).await
}

pub(crate) async fn lift(
    visitor: Visitor,
    Parameters(said): Parameters<Reason>,
) -> Result<Answered, Problem> {
    let request = HaltRequest { is_lift: true, reason: said.reason };
    visitor.run(Command::Halt(request)).await
}
