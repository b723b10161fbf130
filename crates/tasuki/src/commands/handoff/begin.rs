//! `tasuki begin`: starts a task of the caller's own.

use std::path::PathBuf;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Begin;
use tasuki_packet::duration::Duration;

use super::claim;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::input::file;
use crate::output::printer::Printer;

/// Start a task of your own.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki begin --goal \"Ship the web part\" --task build-42\n  tasuki begin task.yaml --lease 2h\n\nThe task is claimed at once, so its checkpoints count. If you stop, the lease expires and the work is offered from your last checkpoint: to the party that it names, or to your next session."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE", required_unless_present = "goal")]
    file: Option<PathBuf>,
    /// The goal, if there is no packet.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    goal: Option<String>,
    /// The task id, if there is no packet.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    task: Option<String>,
    /// The duration of the lease.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// An idempotency key: repeating the command with it is safe.
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
        work_tree: git::here(),
        ..Begin::default()
    };
    let answer = exchange.run(Command::Begin(request), arguments.key.clone())?;
    claim::store(&*exchange, &answer)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    claim::print_claim(&*exchange, "Began", &answer, "", printer);
    printer.remark("Next: tasuki checkpoint --completed \"…\"");
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
    });
    if let Some(task) = &arguments.task {
        packet["task_id"] = json!(task);
    }
    Ok(packet.to_string().into_bytes())
}
