//! `tasuki verify`: passes or fails a return.

use tasuki_engine::command::Command;
use tasuki_engine::steps::{Attention, Verify};

use crate::backend;
use crate::commands::decision::reference::{Asked, seen_return};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Pass or fail a return.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("verdict").required(true)),
    after_help = "Examples:\n  tasuki verify build-42@ret_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b --pass\n  tasuki verify build-42 --fail -m \"The bundle is 400 kB\"\n\nA verdict names the return that you saw, with the reference that `tasuki show` prints. Without a reference the command shows the return on a terminal and asks. A failed return goes back to its receiver for rework."
)]
pub(crate) struct Arguments {
    /// The handoff and its return, as `tasuki show` prints them; on a terminal also its task or id.
    #[arg(value_name = "REFERENCE")]
    handoff: String,
    /// The return is complete and correct.
    #[arg(long, group = "verdict")]
    pass: bool,
    /// The return needs rework; give the reason with `-m`.
    #[arg(long, group = "verdict", requires = "message")]
    fail: bool,
    /// The reason.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let question = if arguments.pass { "Pass this return?" } else { "Fail this return?" };
    let seen = seen_return(&*exchange, &arguments.handoff, question, printer)?;
    let Asked::Decided(return_packet) = seen else {
        printer.remark("No verdict was recorded.");
        return Ok(Exit::Found);
    };
    let request = Verify {
        handoff: exchange.resolve_id(&arguments.handoff)?,
        return_packet,
        is_good: arguments.pass,
        reason: arguments.message.clone(),
        attention: Attention::default(),
    };
    let answer = exchange.run(Command::Verify(request), None)?;
    if arguments.pass || printer.is_json() {
        command_result::print(&answer, printer, |handoff| {
            format!("Verified {}. {}", name(handoff), next_sentence(handoff))
        });
    } else if let Some(handoff) = &answer.handoff {
        let next = match handoff.state.as_str() {
            "dead" => format!("{} is a dead letter: no attempt is left", name(handoff)),
            _ => format!("{} went back to {}", name(handoff), handoff.to),
        };
        printer.data(&format!("Verification failed; {next}.\n"));
        command_result::notes(&answer, printer);
    }
    Ok(Exit::Success)
}
