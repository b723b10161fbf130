//! `/v1/handoffs/{id}/verdicts`: somebody judges what came back.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::verify::Request;

use crate::answer::Answered;
use crate::body::Said;
use crate::parameters::Named;
use crate::problem::Problem;
use crate::visitor::Visitor;

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
