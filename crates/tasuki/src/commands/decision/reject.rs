//! `tasuki reject`: refuse a handoff, or the action that its holder asked leave for.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Reject;

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Refuse what is held, and say why.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki reject 1a2b3c -m \"The alert rate is still above the baseline\"\n\nA handoff that was held at submit ends as rejected. Where its holder asked leave for an action, the action is refused and the holder goes on."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Why; required.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_with_version(&arguments.handoff)?;
    let request = Reject { handoff: parse_id(&handoff)?, seen, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Reject(request), None)?;
    command_result::print("Rejected", &answer, printer);
    Ok(Exit::Success)
}
