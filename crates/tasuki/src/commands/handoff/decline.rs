//! `tasuki decline`: refuses offered work.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Decline;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Decline offered work.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki decline 1a2b3c -m \"Needs a Windows machine\"\n\nThe work goes to the next receiver of its fallback. If it is offered to a role, the other members can still claim it."
)]
pub(crate) struct Arguments {
    /// The handoff: its task, its id, or the last digits of its id.
    #[arg(value_name = "ID")]
    handoff: String,
    /// The reason; required.
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
    command_result::print(&answer, printer, |handoff| {
        format!("Declined {}. {}", name(handoff), next_sentence(handoff))
    });
    Ok(Exit::Success)
}
