//! `tasuki revise`: a new revision by the sender.

use std::path::PathBuf;

use tasuki_engine::command::Command;
use tasuki_engine::steps::Revise;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::printer::Printer;

/// Send a new revision of a packet, before anybody has claimed it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki revise 1a2b3c handoff.yaml\n  tasuki revise 1a2b3c@2 handoff.yaml\n\nEvery approval of the old revision is void; `tasuki show 1a2b3c@1` still prints it. With `@2` the command is refused if another revision is the newest by now."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The packet; `-` is stdin.
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
    command_result::print("Revised", &answer, printer);
    Ok(Exit::Success)
}
