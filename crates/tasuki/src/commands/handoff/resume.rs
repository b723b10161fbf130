//! `tasuki resume`: prints what the next holder needs to continue.

use serde::Serialize;
use tasuki_api as api;
use tasuki_packet::read::Form;
use tasuki_packet::render::{BUDGET_TOKENS_DEFAULT, tokens};
use tasuki_packet::write::convert;

use super::code::not_here;
use super::code::restore::{self, Restored};
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git::NotHere;
use crate::input::packet_file;
use crate::output::handoff::reference;
use crate::output::printer::{Printer, counted};

/// Print the brief of a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki resume build-42 --as hermes-worker-3\n  tasuki resume build-42 --budget 800\n  tasuki resume build-42 --as-packet > continuation.yaml\n  tasuki resume build-42 --restore\n\n`--restore` writes the files and the index of the newest snapshot here, after a snapshot of what is here, and prints the command that takes it back. It never moves `HEAD`: the work tree must be at the commit of the snapshot.\n\nThe brief combines the packet, its checkpoints and decisions, and marks them as data of another party. It always has the goal, constraints, acceptance, failure boundary, return fields and pinned items; fields that exceed the budget are listed by name. A packet of the regulated variant includes its `audit_trail`, which `tasuki log check --trail` compares with the log."
)]
pub(crate) struct Arguments {
    /// The task or the handoff.
    #[arg(value_name = "TASK")]
    handoff: String,
    /// The maximum number of tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = BUDGET_TOKENS_DEFAULT)]
    budget: usize,
    /// Print the combined packet as YAML instead.
    #[arg(long, conflicts_with = "budget")]
    as_packet: bool,
    /// Bring the work tree of the last holder here first.
    #[arg(long, conflicts_with = "as_packet")]
    restore: bool,
    /// The snapshot to restore; by default the newest one of the task.
    #[arg(long, value_name = "REFERENCE", requires = "restore")]
    from: Option<String>,
    /// Write files that can run programs or steer an agent without asking.
    #[arg(long, requires = "restore")]
    allow_sensitive: bool,
    #[command(flatten)]
    flags: Flags,
}

/// The continuation, and the files of the sender that this directory lacks.
#[derive(Serialize)]
struct ResumeOutput<'r> {
    #[serde(flatten)]
    continuation: &'r api::Continuation,
    #[serde(flatten)]
    not_here: Option<&'r NotHere>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<&'r Restored>,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    exchange.apply_due()?;
    if arguments.as_packet {
        let packet = exchange.export_packet(&arguments.handoff)?;
        if printer.is_json() {
            printer.json(&packet.to_value());
        } else {
            let text = convert::to_form(packet.members(), Form::Yaml, "")
                .map_err(|violation| packet_file::violation_failure(&violation))?;
            printer.data(&text);
        }
        return Ok(Exit::Success);
    }
    let restored =
        if arguments.restore { Some(restore(&*exchange, arguments, printer)?) } else { None };
    let continuation = exchange.continuation(&arguments.handoff, arguments.budget)?;
    let not_here = not_here::not_here(&*exchange, &continuation.handoff.id);
    if printer.is_json() {
        let not_here = not_here.as_ref();
        let restored = restored.as_ref();
        printer.json(&ResumeOutput { continuation: &continuation, not_here, restored });
    } else {
        printer.data(&continuation.text);
        let left = match continuation.left_out.len() {
            0 => String::new(),
            count => format!(", {} omitted", counted(count, "field")),
        };
        printer.remark(&format!("{} tokens ({}){left}", continuation.tokens, tokens::LABEL));
        if let Some(restored) = &restored {
            restore::print(restored, &continuation.handoff.task, printer);
        }
        if let Some(not_here) = not_here.as_ref().filter(|_| restored.is_none()) {
            not_here::print_not_here(not_here, &reference(&continuation.handoff), printer);
        }
    }
    Ok(Exit::Success)
}

/// Restores the work tree for the task of the handoff.
fn restore(
    exchange: &dyn Backend,
    arguments: &Arguments,
    printer: &Printer,
) -> Result<Restored, Failure> {
    let task = exchange.resolve(&arguments.handoff)?.task;
    let from = arguments.from.as_deref();
    let options = restore::Options { from, allows_sensitive: arguments.allow_sensitive };
    restore::restore(exchange, &task, options, printer)
}
