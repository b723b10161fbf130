//! `tasuki intercept`: a person takes the work over, and reads what they need to finish it.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Intercept;

use crate::backend::{self, parse_id};
use crate::commands::handoff::claim;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;

/// Take the work over as a person: prints the whole chain as one brief.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki intercept 1a2b3c --as ana > brief.md\n  tasuki intercept build-42 -m \"The worker is in a loop\"\n\nThe brief has packets, checkpoints, questions, decisions and files of the whole chain. The claim is yours for eight hours; whoever held the work before is refused from now on. A reason is needed once somebody has claimed it."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Why; required once somebody has claimed it.
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
    // The brief is the data: `> brief.md` keeps it and nothing else.
    printer.data(&brief);
    printer.remark(claim::line(&*exchange, "Intercepted", &answer).trim_end());
    printer.remark("Next: finish it with tasuki return, or send it on with tasuki reroute");
    Ok(Exit::Success)
}
