//! `tasuki ask`: want to know something before taking the work.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Ask;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::short_ref;
use crate::output::printer::Printer;

/// Ask the sender something before taking the work.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki ask 1a2b3c --field acceptance -m \"Which browsers?\"\n  tasuki ask 1a2b3c -m \"May I change the schema?\" --blocking\n\nA question of yours is progress. Nobody claims before a blocking one is answered."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task.
    #[arg(value_name = "ID")]
    handoff: String,
    /// The field of the packet that the question is about.
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// What you want to know.
    #[arg(short, long, value_name = "TEXT")]
    message: String,
    /// Nobody may claim it before there is an answer.
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
    command_result::print("Asked about", &answer, printer);
    if let (Some(handoff), Some(question)) = (&answer.handoff, &answer.document) {
        let id = short_ref(&handoff.id);
        printer.remark(&format!(
            "Next: {} answers with tasuki answer {id} --question {question} -m …",
            handoff.from
        ));
    }
    Ok(Exit::Success)
}
