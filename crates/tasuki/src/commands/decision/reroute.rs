//! `tasuki reroute`: send a handoff to another receiver. The packet's bytes stay as they are.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Reroute;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Send a handoff to another receiver.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki reroute 1a2b3c --to role:oncall\n  tasuki reroute 1a2b3c --to ana -m \"The worker is stuck\"\n\nIt is decided like a submit to the other party, and approvals do not come along. A reason is needed once somebody has claimed it."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The new receiver.
    #[arg(long, value_name = "PARTY")]
    to: String,
    /// Why; required once somebody has claimed it.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_own_with_version(&arguments.handoff)?;
    let (to, reason) = (arguments.to.clone(), arguments.message.clone());
    let request = Reroute { handoff, to, seen, reason };
    let answer = exchange.run(Command::Reroute(request), None)?;
    command_result::print("Rerouted", &answer, printer);
    Ok(Exit::Success)
}
