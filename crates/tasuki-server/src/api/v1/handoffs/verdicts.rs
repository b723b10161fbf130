//! `/v1/handoffs/{id}/verdicts`: somebody judges what came back.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::verify::Request;

use crate::extract::body::Said;
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

/// What somebody judges, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judging {
    result: Word,
    reason: Option<String>,
}

/// What can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Pass,
    Fail,
}

pub(crate) async fn verify(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Judging>,
) -> Result<Answered, Problem> {
    let request = Request {
        handoff: visitor.find(&id).await?.id,
        is_good: said.result == Word::Pass,
        reason: said.reason,
    };
    Ok(visitor.run(Command::Verify(request)).await?.made())
}
