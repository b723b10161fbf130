//! `/v1/handoffs/{id}/returns`: a holder returns what was asked for.

use tasuki_engine::command::Command;
use tasuki_engine::return_packet::Request;

use super::Holder;
use crate::answer::Answered;
use crate::body::Sent;
use crate::parameters::{Named, Parameters};
use crate::problem::Problem;
use crate::visitor::Visitor;

pub(crate) async fn give_back(
    visitor: Visitor,
    Named(id): Named,
    Parameters(holder): Parameters<Holder>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let command = |shown| Command::Return(Request { shown, source });
    Ok(visitor.run_as_holder(&id, holder.token, command).await?.made())
}
