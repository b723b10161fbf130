//! `tasuki cancel`: cancels a handoff.

use tasuki_engine::command::Command;
use tasuki_engine::steps::{Cancel, SeenVersion};

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::name;
use crate::output::printer::Printer;

/// Cancel a handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki cancel build-42 -m \"Not needed any more\"\n\nThe sender or a person can cancel. Cancelling claimed work needs a reason."
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
    // Without a revision, the current one is cancelled.
    let (handoff, seen) = if arguments.handoff.contains('@') {
        let (shown, seen) = exchange.resolve_with_version(&arguments.handoff)?;
        (parse_id(&shown)?, seen)
    } else {
        (exchange.resolve_own_id(&arguments.handoff)?, SeenVersion::default())
    };
    let request = Cancel { handoff, seen, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Cancel(request), None)?;
    command_result::print(&answer, printer, |handoff| format!("Cancelled {}.", name(handoff)));
    Ok(Exit::Success)
}
