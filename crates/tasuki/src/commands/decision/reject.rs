//! `tasuki reject`: rejects a held handoff, or the action that its holder asks to run.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Reject;

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::name;
use crate::output::printer::Printer;

/// Reject a held handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki reject build-42 -m \"The alert rate is still above the baseline\"\n\nA handoff that is held before it was claimed ends as rejected. If its holder asks to run an action, only the action is rejected and the holder keeps the work."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the decision to revision 2.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The reason; required.
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
    let is_action = handoff.action.is_some();
    command_result::print(&answer, printer, |after| match &after.holder {
        Some(holder) if is_action => {
            format!("Rejected the action of {}. {holder} keeps the work.", name(after))
        }
        _ => format!("Rejected {}.", name(after)),
    });
    Ok(Exit::Success)
}
