//! `/v1/handoffs/{id}/checkpoints`: a holder leaves progress behind.

use tasuki_engine::checkpoint::Request;
use tasuki_engine::command::Command;

use crate::api::v1::Holder;
use crate::extract::body::Sent;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

pub(crate) async fn checkpoint(
    visitor: Visitor,
    Named(id): Named,
    Parameters(holder): Parameters<Holder>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let command = |shown| Command::Checkpoint(Request { shown, source });
    Ok(visitor.run_as_holder(&id, holder.token, command).await?.made())
}
