//! `tasuki intercept`: lets a person take over a task, with the brief of its whole chain.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Intercept;

use crate::backend::{self, parse_id};
use crate::commands::handoff::claim;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;

/// Take over a task as a person.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki intercept build-42 --as ana > brief.txt\n  tasuki intercept build-42 -m \"The worker is in a loop\"\n\nPrints one brief of the whole chain as plain text, with every value exactly as it was sent: packets, checkpoints, questions, decisions and files. Your claim lasts eight hours, and the former holder can no longer write. Taking over claimed work needs a reason."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the decision to revision 2.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The reason; required for claimed work.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_with_version(&arguments.handoff)?;
    let handoff = parse_id(&handoff)?;
    let request = Intercept { handoff, seen, reason: arguments.message.clone() };
    let mut answer = exchange.run(Command::Intercept(request), None)?;
    claim::store(&*exchange, &answer)?;
    let brief = exchange.chain_brief(handoff, &answer)?;
    if printer.is_json() {
        answer.brief = Some(brief);
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    // Only the brief goes to stdout, so that `> brief.txt` saves it.
    printer.data(&brief);
    printer.remark(claim::line(&*exchange, "Took over", &answer).trim_end());
    printer.remark("Next: tasuki return --summary \"…\" · tasuki reroute TASK --to PARTY");
    Ok(Exit::Success)
}
