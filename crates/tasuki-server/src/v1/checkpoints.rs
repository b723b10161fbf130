//! `/v1/handoffs/{id}/checkpoints`: a holder leaves progress behind.

use tasuki_engine::checkpoint::Request;
use tasuki_engine::command::Command;

use super::Holder;
use crate::answer::Answered;
use crate::body::Sent;
use crate::parameters::{Named, Parameters};
use crate::problem::Problem;
use crate::visitor::Visitor;

pub(crate) async fn checkpoint(
    visitor: Visitor,
    Named(id): Named,
    Parameters(holder): Parameters<Holder>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let command = |shown| Command::Checkpoint(Request { shown, source });
    Ok(visitor.run_as_holder(&id, holder.token, command).await?.made())
}
