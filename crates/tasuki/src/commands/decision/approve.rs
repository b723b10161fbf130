//! `tasuki approve`: approves a held handoff, or the action that its holder asks to run.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Accept;

use super::reference::{Asked, seen_handoff};
use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Approve a held handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki approve build-42@1:82a7b20f5d3c1e0a --as ana\n  tasuki approve build-42 -m \"Watch the error rate for ten minutes\"\n\nOne approval clears every reason except gates, which need `tasuki sign-off`. An approval names what you saw: the reference that `tasuki show` prints covers the packet, its receiver and the action that the holder asks to run, and the command fails if one of them has changed. Without a reference the command shows the handoff on a terminal and asks."
)]
pub(crate) struct Arguments {
    /// The handoff, as `tasuki show` prints it; on a terminal also its task or id.
    #[arg(value_name = "REFERENCE")]
    handoff: String,
    /// A comment for the receiver.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let seen = seen_handoff(&*exchange, &arguments.handoff, "Approve this?", printer)?;
    let Asked::Decided((handoff, seen)) = seen else {
        printer.remark("Nothing was approved.");
        return Ok(Exit::Found);
    };
    let request = Accept { handoff: parse_id(&handoff)?, seen, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Accept(request), None)?;
    let is_action = handoff.action.is_some();
    command_result::print(&answer, printer, |after| {
        let next = match &after.holder {
            Some(holder) if is_action => format!("{holder} may run exactly this action, once."),
            _ => next_sentence(after),
        };
        format!("Approved {}. {next}", name(after))
    });
    Ok(Exit::Success)
}
