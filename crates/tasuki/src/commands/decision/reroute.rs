//! `tasuki reroute`: sends a handoff to another receiver. The packet does not change.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Reroute;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Send a handoff to another receiver.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki reroute build-42 --to role:oncall\n  tasuki reroute build-42 --to ana -m \"The worker is stuck\"\n\nThe same rules apply as to a submit to the new receiver, and earlier approvals no longer count. Rerouting claimed work needs a reason."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the decision to revision 2.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The new receiver.
    #[arg(long, value_name = "PARTY")]
    to: String,
    /// The reason; required for claimed work.
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
    command_result::print(&answer, printer, |handoff| {
        let held = match handoff.state.as_str() {
            "offered" => String::new(),
            _ => format!(" {}", next_sentence(handoff)),
        };
        format!("Rerouted {} to {}.{held}", name(handoff), handoff.to)
    });
    Ok(Exit::Success)
}
