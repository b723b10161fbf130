//! `tasuki decline`: not take what is offered.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Decline;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Decline what is offered, and say why.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki decline 1a2b3c -m \"Needs a Windows machine\"\n\nThe work goes to the next rung of its fallback. A member of a role takes only itself out."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task.
    #[arg(value_name = "ID")]
    handoff: String,
    /// Why; required.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let handoff = exchange.resolve_id(&arguments.handoff)?;
    let request = Decline { handoff, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Decline(request), None)?;
    command_result::print("Declined", &answer, printer);
    Ok(Exit::Success)
}
