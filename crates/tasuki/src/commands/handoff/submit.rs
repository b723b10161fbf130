//! `tasuki submit`: hand work over.

use std::path::PathBuf;

use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Submit;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::handoff::headline;
use crate::output::printer::{GOOD, Printer};

/// Hand work over.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki submit handoff.yaml --as hermes-main\n  tasuki submit --to role:reviewer --goal \"Check the README\" --hold\n  tasuki submit handoff.yaml --supersedes 1a2b3c\n\nThe same packet from the same sender while the first is open is the first: submitting again is safe."
)]
pub(crate) struct Arguments {
    /// The packet; `-` is stdin. Without it, a packet is made of `--to` and `--goal`.
    #[arg(value_name = "FILE", required_unless_present = "goal")]
    file: Option<PathBuf>,
    /// The receiver, if it is another one than the packet names.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// The intent behind the work, for a packet made here.
    #[arg(long, value_name = "TEXT", conflicts_with = "file", requires = "to")]
    goal: Option<String>,
    /// The task, for a packet made here.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    task: Option<String>,
    /// Let a person look at it first.
    #[arg(long)]
    hold: bool,
    /// The live handoff of the task that this one replaces.
    #[arg(long, value_name = "ID")]
    supersedes: Option<String>,
    /// A key of your own: repeating the command with it is safe for ever.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let supersedes =
        arguments.supersedes.as_deref().map(|id| exchange.resolve_own_id(id)).transpose()?;
    let request = Submit {
        source: source(arguments)?,
        to: arguments.to.clone(),
        hold: arguments.hold,
        supersedes,
    };
    let answer = exchange.run(Command::Submit(request), arguments.key.clone())?;
    print(&answer, printer);
    Ok(Exit::Success)
}

/// What was submitted, and what becomes of it.
pub(crate) fn print(answer: &api::CommandResponse, printer: &Printer) {
    command_result::registered(answer, printer);
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let Some(handoff) = &answer.handoff else { return };
    let word = if answer.repeated { "Submitted before" } else { "Submitted" };
    printer.data(&format!("{GOOD}✓{GOOD:#} {word} {}\n", headline(handoff)));
    command_result::notes(answer, printer);
}

fn source(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    if let Some(file) = &arguments.file {
        return file::bytes(file);
    }
    let mut packet = json!({
        "handoff_version": "1.0",
        "to_agent": arguments.to,
        "status": "in_progress",
        "goal": arguments.goal,
        "completed": [],
        "remaining": [],
    });
    if let Some(task) = &arguments.task {
        packet["task_id"] = json!(task);
    }
    Ok(packet.to_string().into_bytes())
}
