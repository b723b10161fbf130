//! `tasuki revise`: sends a new revision of a packet.

use std::path::PathBuf;

use tasuki_engine::command::Command;
use tasuki_engine::steps::Revise;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Send a new revision of a packet.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki revise build-42 handoff.yaml\n  tasuki revise build-42@2 handoff.yaml\n\nOnly unclaimed work can be revised. Approvals of the old revision no longer count; `tasuki show build-42@1` still prints it. With `@2` the command fails unless revision 2 is the current one."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` names the revision to replace.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let (handoff, seen) = exchange.resolve_own_with_version(&arguments.handoff)?;
    let source = file::bytes(&arguments.file)?;
    let request = Revise { handoff, source, seen };
    let answer = exchange.run(Command::Revise(request), None)?;
    command_result::print(&answer, printer, |handoff| {
        let revision = handoff.revision;
        format!("Sent revision {revision} of {}. {}", name(handoff), next_sentence(handoff))
    });
    Ok(Exit::Success)
}
