//! `tasuki verify`: judge a return.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Verify;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Judge a return: it is good, or it goes back for rework.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("verdict").required(true)),
    after_help = "Examples:\n  tasuki verify 1a2b3c --pass\n  tasuki verify 1a2b3c --fail -m \"The bundle is 400 kB\""
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task.
    #[arg(value_name = "ID")]
    handoff: String,
    /// The return is good.
    #[arg(long, group = "verdict")]
    pass: bool,
    /// The return is not good; say why with `-m`.
    #[arg(long, group = "verdict", requires = "message")]
    fail: bool,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let request = Verify {
        handoff: exchange.resolve_id(&arguments.handoff)?,
        is_good: arguments.pass,
        reason: arguments.message.clone(),
    };
    let answer = exchange.run(Command::Verify(request), None)?;
    let word = if arguments.pass { "Verified" } else { "Failed" };
    command_result::print(word, &answer, printer);
    Ok(Exit::Success)
}
