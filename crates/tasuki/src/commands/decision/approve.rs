//! `tasuki approve`: approves a held handoff, or the action that its holder asks to run.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Accept;

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Approve a held handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki approve build-42 --as ana\n  tasuki approve build-42@2 -m \"Watch the error rate for ten minutes\"\n\nOne approval clears every reason except gates, which need `tasuki sign-off`. With `@2` the command fails unless revision 2 is the current one, with `@2:ben` also unless ben is the receiver. `@2:ben:0123456789abcdef` also names the action that the holder asks to run, by the first 16 digits of its digest."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the decision to revision 2, `@2:ben` also to the receiver.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// A comment for the receiver.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_with_version(&arguments.handoff)?;
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
