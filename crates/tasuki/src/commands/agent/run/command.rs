//! The command: claims, runs, and passes the exit code on.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration as StdDuration;

use tasuki_packet::duration::Duration;

use super::child::{self, Happened};
use super::keeper::Keeper;
use crate::backend;
use crate::commands::handoff::claim;
use crate::config::{Flags, SessionName};
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::Printer;

/// LIMIT: characters of a command line in a goal.
const GOAL_CHARACTERS_MAX: usize = 200;

/// The time between two looks at claim and work tree.
const STEP: StdDuration = StdDuration::from_millis(500);

/// Run a command that holds a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki run --as builder -- make release\n  tasuki run --as coder --task export-7 -- my-agent --headless\n\nUse it for agents without hooks. It begins a task, or claims the named one, and renews the lease while the command runs. If the work tree changes, it saves a checkpoint at every interval. When the command ends or is killed, a last checkpoint is saved and the task is released, unless the command has returned, parked or passed it on. The command gets `TASUKI_SESSION`, so its own `tasuki` commands use the same claim. Streams, signals and the exit code are those of the command."
)]
pub(crate) struct Arguments {
    /// The task: claimed if it is offered, else begun.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The goal of a task that is begun; by default the command.
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// The time between two checkpoints.
    #[arg(long, value_name = "DURATION", default_value = "1m")]
    interval: Duration,
    /// The command.
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<OsString>,
    #[command(flatten)]
    flags: Flags,
}

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the exit code is that of the command, which is none of ours"
)]
pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let status = supervised(arguments, printer)?;
    std::process::exit(child::code(status));
}

fn supervised(arguments: &Arguments, printer: &Printer) -> Result<ExitStatus, Failure> {
    let session = SessionName::parse(&format!(
        "run-{}-{}",
        std::process::id(),
        jiff::Timestamp::now().as_millisecond()
    ));
    let session = session.map_err(|invalid| invalid.at(&"session"))?;
    let flags =
        Flags { session: Some(session.clone()), is_own_session: true, ..arguments.flags.clone() };
    let exchange = backend::open_as_caller(&flags, printer)?;
    if let Err(failure) = exchange.record_killed_sessions(&flags) {
        printer.remark(&format!("! a killed session could not be recorded: {}", failure.message));
    }
    let line = shown(&arguments.command);
    let goal = arguments.goal.clone().unwrap_or_else(|| format!("Run {line}"));
    let named = (arguments.task.as_deref(), goal.as_str());
    let (mut keeper, answer) = Keeper::take(&*exchange, &flags, &session, named)?;
    printer.remark(claim::line(&*exchange, "Holding", &answer).trim_end());
    let child = match child::start(&arguments.command, &session) {
        Ok(child) => child,
        Err(failure) => {
            keeper.leave(failure.message.clone())?;
            return Err(failure);
        }
    };
    let id = child.id();
    let happenings = child::watch(child, std::io::stdin().is_terminal())?;
    let interval = StdDuration::from_millis(arguments.interval.milliseconds());
    let status = loop {
        match happenings.recv_timeout(STEP) {
            Ok(Happened::Ended(status)) => break status,
            Ok(Happened::Signal(name)) => child::pass_on(name, id),
            Err(RecvTimeoutError::Timeout) => keeper.tick(interval),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::usage("the command was lost"));
            }
        }
    };
    let ended = child::described(status);
    if keeper.leave(format!("`{line}` {ended}"))? {
        printer.remark(&format!("Released the task: `{line}` {ended}."));
    }
    Ok(status)
}

/// Returns a command line as people see it.
fn shown(command: &[OsString]) -> String {
    let words: Vec<String> =
        command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let line: String = words.join(" ").chars().take(GOAL_CHARACTERS_MAX).collect();
    excerpt(&line)
}
