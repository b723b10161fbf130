//! Checks the clock of this process against the exchange, and the log against the clock.

use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::limits::CLOCK_TOLERANCE;
use tasuki_engine::model::Principal;
use tasuki_engine::steps::ResetClock;

use super::checks::failed_check;
use super::finding::Finding;
use crate::backend::local::Exchange;
use crate::exit::Failure;
use crate::output::time::elapsed;

/// Reports a log whose last leaf is in the future, and a process whose clock differs from that of
/// the others. With `fix`, takes the clock of this process as right and records the step.
pub(super) fn check(exchange: &Exchange, fix: bool) -> Option<Finding> {
    let finding = match problem(exchange) {
        Ok(None) => return None,
        Ok(Some(problem)) if fix => match reset(exchange) {
            Ok(()) => Finding::good("time", format!("{problem}; set back, and recorded")),
            Err(failure) => failed_check("time", failure),
        },
        Ok(Some(problem)) => Finding::bad("time", problem).remedy(
            "compare `date` with the true time; if it is right, `tasuki doctor --fix` sets the log back",
        ),
        Err(failure) => failed_check("time", failure),
    };
    Some(finding)
}

/// Describes what is wrong with the clock.
fn problem(exchange: &Exchange) -> Result<Option<String>, Failure> {
    let head = exchange.wait(exchange.engine.head(exchange.project))?;
    let now = exchange.engine.now();
    if head.last_at.duration_since(now) > CLOCK_TOLERANCE {
        let (at, ahead) = (head.last_at, elapsed(now, head.last_at));
        return Ok(Some(format!("the last leaf is from {at:.0}, {ahead} in the future")));
    }
    Ok(exchange.wait(exchange.engine.check_clock()).err().map(|failure| failure.message))
}

fn reset(exchange: &Exchange) -> Result<(), Failure> {
    let (project, principal) = (exchange.project, Principal::system());
    let call = Call { project, principal, command: Command::ResetClock(ResetClock), key: None };
    exchange.wait(exchange.engine.run(call)).map(drop)
}
