//! `tasuki ask`: asks the sender a question before the work is claimed.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Ask;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, reference};
use crate::output::printer::Printer;

/// Ask the sender a question.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki ask build-42 --field acceptance -m \"Which browsers?\"\n  tasuki ask build-42 -m \"May I change the schema?\" --blocking\n\nA question counts as progress. The work cannot be claimed while a blocking question is open."
)]
pub(crate) struct Arguments {
    /// The handoff: its task, its id, or the last digits of its id.
    #[arg(value_name = "ID")]
    handoff: String,
    /// The field of the packet that the question is about.
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// The question.
    #[arg(short, long, value_name = "TEXT")]
    message: String,
    /// Prevent claims until the question is answered.
    #[arg(long)]
    blocking: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let request = Ask {
        handoff: exchange.resolve_id(&arguments.handoff)?,
        field: arguments.field.clone(),
        text: arguments.message.clone(),
        is_blocking: arguments.blocking,
    };
    let answer = exchange.run(Command::Ask(request), None)?;
    command_result::print(&answer, printer, |handoff| {
        let from = &handoff.from;
        let effect = if handoff.blocked {
            format!(" It cannot be claimed until {from} answers.")
        } else {
            String::new()
        };
        format!("Asked {from} about {}.{effect}", name(handoff))
    });
    if let Some(handoff) = answer.handoff.as_ref().filter(|_| !printer.is_json()) {
        printer.remark(&format!(
            "Next: {} runs `tasuki answer {} -m \"…\"`",
            handoff.from,
            reference(handoff)
        ));
    }
    Ok(Exit::Success)
}
