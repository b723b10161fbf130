//! The command: asks, waits, and withdraws what was not decided.

use std::path::PathBuf;
use std::time::{Duration as StdDuration, Instant};

use serde_json::json;
use tasuki_packet::duration::Duration;

use super::outcome::{Outcome, outcome};
use super::report::{self, Report};
use super::request::{Asked, Wanted, ask, withdraw};
use crate::backend::{self, Backend};
use crate::commands::query::waiter::{Poll, Waiter};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::action;
use crate::input::interrupt::Interrupt;
use crate::output::printer::Printer;

/// Ask a person to approve an action, and wait for the decision.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki request-approval \"npm publish --access public\" --as coder --timeout 30m\n  tasuki request-approval --action-file action.json --to role:release --json\n  tasuki request-approval --sign-off \"Legal approves the wording\"\n\nWithout a task the command begins one, which ends with the decision. Otherwise you keep the claim, and its lease is paused until a person decides. The decision covers exactly this action, once. Asking for the same action again finds the pending request.\n\nExit codes: 0 approved, 10 rejected, 16 approved with changes (run the action on stdout instead of yours), 20 timed out, 130 interrupted. 11 to 15 as for `tasuki wait`: the task ended or went elsewhere, so the action is not approved.\n\nA request that timed out or was interrupted is withdrawn, unless `--leave` is set."
)]
pub(crate) struct Arguments {
    /// The exact action: text, or a JSON object.
    #[arg(value_name = "ACTION", required_unless_present_any = ["action_file", "sign_off"])]
    action: Option<String>,
    /// Read the action from this file, or from stdin with `-`: JSON, or text.
    #[arg(long, value_name = "FILE", conflicts_with = "action")]
    action_file: Option<PathBuf>,
    /// Ask for a sign-off that is due, by its text in `sign_offs_due`.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["action", "action_file"])]
    sign_off: Option<String>,
    /// The task or handoff; by default the one that this session holds, or a new one.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The person or role that should decide, among those that may.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// The maximum time to wait; by default there is none.
    #[arg(long, value_name = "DURATION")]
    timeout: Option<Duration>,
    /// Leave the request open after a timeout or an interrupt.
    #[arg(long)]
    leave: bool,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let wanted = Wanted {
        action: match (&arguments.action, &arguments.action_file, &arguments.sign_off) {
            (_, _, Some(text)) => json!({ "sign_off": text }),
            (_, Some(file), _) => action::read(file)?,
            (written, ..) => action::parse(written.as_deref().unwrap_or_default())?,
        },
        task: arguments.task.clone(),
        to: arguments.to.clone(),
        fence: arguments.fence,
    };
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    // First, so that a signal cannot leave a request behind.
    let interrupt = Interrupt::listen()?;
    let asked = ask(&*exchange, &wanted, printer)?;
    report::waiting(&*exchange, &asked, printer);
    let timeout = arguments.timeout.map(|time| StdDuration::from_millis(time.milliseconds()));
    let waiter = Waiter {
        exchange: &*exchange,
        began: Instant::now(),
        timeout,
        interrupt: Some(&interrupt),
    };
    let decided = wait(&waiter, &asked, printer);
    let outcome = match decided {
        Ok(Some(outcome)) => outcome,
        Ok(None) => unfinished(&waiter, &asked, arguments.leave)?,
        Err(failure) => {
            report::lost(&asked, printer);
            return Err(failure);
        }
    };
    let is_left = arguments.leave;
    Ok(report::print(&*exchange, &Report { asked: &asked, outcome: &outcome, is_left }, printer))
}

/// Waits for the outcome. Returns none if the time is up or the command was interrupted.
pub(super) fn wait(
    waiter: &Waiter<'_>,
    asked: &Asked,
    printer: &Printer,
) -> Result<Option<Outcome>, Failure> {
    let exchange = waiter.exchange;
    let follower = exchange.follow_handoff(asked.claim.handoff, asked.n, printer)?;
    waiter.wait_until(follower, || {
        Ok(match outcome(exchange, asked)? {
            Some(outcome) => Poll::Ready(outcome),
            None => Poll::Pending(None),
        })
    })
}

/// Withdraws a request that was not decided in time. A decision that was faster counts.
pub(super) fn unfinished(
    waiter: &Waiter<'_>,
    asked: &Asked,
    is_left: bool,
) -> Result<Outcome, Failure> {
    let exchange: &dyn Backend = waiter.exchange;
    let (ended, why) = if waiter.is_interrupted() {
        (Outcome::Interrupted, "interrupted")
    } else {
        (Outcome::TimedOut, "timed out")
    };
    if is_left {
        return Ok(ended);
    }
    match withdraw(exchange, asked, why) {
        Ok(()) => Ok(ended),
        Err(failure) => outcome(exchange, asked)?.ok_or(failure),
    }
}
