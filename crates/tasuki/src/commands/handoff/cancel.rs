//! `tasuki cancel`: take a handoff back.

use tasuki_engine::command::Command;
use tasuki_engine::steps::{Cancel, SeenVersion};

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Take a handoff back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki cancel 1a2b3c -m \"Not needed any more\"\n\nIts sender or a person cancels. A reason is needed once somebody has claimed it."
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
    // Whoever names a revision means that one; anybody else takes back whatever there is by now.
    let (handoff, seen) = if arguments.handoff.contains('@') {
        let (shown, seen) = exchange.resolve_with_version(&arguments.handoff)?;
        (parse_id(&shown)?, seen)
    } else {
        (exchange.resolve_own_id(&arguments.handoff)?, SeenVersion::default())
    };
    let request = Cancel { handoff, seen, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Cancel(request), None)?;
    command_result::print("Cancelled", &answer, printer);
    Ok(Exit::Success)
}
