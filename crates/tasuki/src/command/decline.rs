//! `tasuki decline`: not take what is offered.

use tasuki_engine::command::Command;
use tasuki_engine::fallback::Decline;

use super::step;
use crate::exit::{Exit, Failure};
use crate::local::Exchange;
use crate::printer::Printer;
use crate::settings::Flags;

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
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.caller(printer)?;
    let handoff = exchange.find(&arguments.handoff)?.id;
    let request = Decline { handoff, reason: arguments.message.clone() };
    let answer = exchange.run(&caller, Command::Decline(request), None)?;
    step::print("Declined", &answer, printer);
    Ok(Exit::Success)
}
