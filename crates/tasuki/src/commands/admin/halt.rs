//! `tasuki halt`: stop everything at once, and go on later.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Halt;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Stop the project: every claim ends, and nobody claims until it is lifted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki halt -m \"the deploy key leaked\"\n  tasuki halt --lift -m \"the key was replaced\"\n\nWhat was claimed is offered again when the halt is lifted; no attempt is used up."
)]
pub(crate) struct Arguments {
    /// Let work go on.
    #[arg(long)]
    lift: bool,
    /// Why; lifting needs a reason.
    #[arg(short = 'm', long = "reason", value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let request = Halt { is_lift: arguments.lift, reason: arguments.reason.clone() };
    let answer = exchange.run(Command::Halt(request), None)?;
    let word = if arguments.lift { "Work goes on" } else { "Halted: nobody can claim" };
    command_result::print(word, &answer, printer);
    if !arguments.lift {
        printer.remark("Next: tasuki halt --lift -m \"…\"");
    }
    Ok(Exit::Success)
}
