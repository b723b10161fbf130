//! `tasuki release`: give the work back.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Release;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Give the work back: it is offered again, with the last checkpoint.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki release -m \"My context is full\"\n\nNo attempt is used up. Leave a checkpoint first: whoever comes next starts there."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let request = Release { claim: shown, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Release(request), None)?;
    exchange.remove_claim(shown.handoff)?;
    command_result::print("Released", &answer, printer);
    Ok(Exit::Success)
}
