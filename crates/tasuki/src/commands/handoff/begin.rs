//! `tasuki begin`: open a task for oneself.

use std::path::PathBuf;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Begin;
use tasuki_packet::duration::Duration;

use super::claim;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::printer::Printer;

/// Open a task for oneself: claimed at once, so that its checkpoints count.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki begin --goal \"Ship the web part\" --task build-42\n  tasuki begin task.yaml --lease 2h\n\nIf you stop without a word, the lease lapses and the work is offered from your last checkpoint: to the party that the checkpoint names, else to your own next session."
)]
pub(crate) struct Arguments {
    /// The packet that says what the task is; `-` is stdin.
    #[arg(value_name = "FILE", required_unless_present = "goal")]
    file: Option<PathBuf>,
    /// The intent behind the work, for a packet made here.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    goal: Option<String>,
    /// The task, for a packet made here.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    task: Option<String>,
    /// How long the lease shall be.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// A key of your own: repeating the command with it is safe.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let request = Begin {
        source: source(arguments, &exchange.own_name()?)?,
        lease: arguments.lease,
        is_renewed: false,
        key: None,
    };
    let answer = exchange.run(Command::Begin(request), arguments.key.clone())?;
    claim::store(&*exchange, &answer)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    claim::print_claim(&*exchange, "Begun", &answer, printer);
    printer.remark("Next: tasuki checkpoint after every major step, then tasuki return");
    Ok(Exit::Success)
}

fn source(arguments: &Arguments, own: &str) -> Result<Vec<u8>, Failure> {
    if let Some(file) = &arguments.file {
        return file::bytes(file);
    }
    let mut packet = json!({
        "handoff_version": "1.0",
        "from_agent": own,
        "to_agent": own,
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
