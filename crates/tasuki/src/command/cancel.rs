//! `tasuki cancel`: take a handoff back.

use tasuki_engine::cancel::Cancel;
use tasuki_engine::command::Command;

use super::step;
use crate::exit::{Exit, Failure};
use crate::local::Exchange;
use crate::printer::Printer;
use crate::settings::Flags;

/// Take a handoff back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki cancel 1a2b3c -m \"Not needed any more\"\n\nIts sender or a person cancels. A reason is needed once somebody has claimed it."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task.
    #[arg(value_name = "ID")]
    handoff: String,
    /// Why; required once somebody has claimed it.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.caller(printer)?;
    let handoff = exchange.find(&arguments.handoff)?.id;
    let request = Cancel { handoff, reason: arguments.message.clone() };
    let answer = exchange.run(&caller, Command::Cancel(request), None)?;
    step::print("Cancelled", &answer, printer);
    Ok(Exit::Success)
}
