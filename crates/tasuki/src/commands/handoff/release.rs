//! `tasuki release`: gives claimed work back.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Release;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Give claimed work back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki release -m \"My context is full\"\n\nThe work is offered again and uses up no attempt. Save a checkpoint first: the next holder starts from it."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The reason.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
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
    command_result::print(&answer, printer, |handoff| {
        format!("Released {}. {}", name(handoff), next_sentence(handoff))
    });
    Ok(Exit::Success)
}
