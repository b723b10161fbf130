//! `tasuki accept`: let a handoff, or the action that its holder asked leave for, go on.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Accept;

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Let what is held go on.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki accept 1a2b3c --as ana\n  tasuki accept 1a2b3c@2 -m \"Watch the error rate for ten minutes\"\n\nOne accept clears every reason but the gates, which are signed with `tasuki sign-off`. With `@2` the command is refused if another revision is the newest by now, with `@2:ben` also if it is for somebody else. Where a holder asks leave for an action, `@2:ben:0123456789abcdef` names that action too, by the first 16 digits of its digest."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw, `@2:ben` the receiver too.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// A remark.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_with_version(&arguments.handoff)?;
    let request = Accept { handoff: parse_id(&handoff)?, seen, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Accept(request), None)?;
    command_result::print("Accepted", &answer, printer);
    Ok(Exit::Success)
}
