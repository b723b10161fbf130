//! `tasuki halt`: stops all work of a project, and lifts the stop.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Halt;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::{GOOD, Printer};

/// Halt the project, or lift the halt.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki halt -m \"the deploy key leaked\"\n  tasuki halt --lift -m \"the key was replaced\"\n\nA halt ends every claim, and nothing can be claimed until it is lifted. Then the work is offered again, without using up an attempt."
)]
pub(crate) struct Arguments {
    /// Lift the halt.
    #[arg(long)]
    lift: bool,
    /// The reason; required to lift a halt.
    #[arg(short = 'm', long = "reason", value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let request = Halt { is_lift: arguments.lift, reason: arguments.reason.clone() };
    let answer = exchange.run(Command::Halt(request), None)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    let text = match (arguments.lift, answer.repeated) {
        (false, false) => "Halted the project: every claim has ended, and nothing can be claimed.",
        (false, true) => "Nothing changed: the project is already halted.",
        (true, false) => "Lifted the halt: work is offered again.",
        (true, true) => "Nothing changed: the project is not halted.",
    };
    printer.data(&format!("{GOOD}✓{GOOD:#} {text}\n"));
    command_result::notes(&answer, printer);
    if !arguments.lift {
        printer.remark("Next: tasuki halt --lift -m \"why\"");
    }
    Ok(Exit::Success)
}
