//! `tasuki checkpoint`: records progress, from which the next holder continues.

use std::path::PathBuf;

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Checkpoint;

use super::claim;
use super::code::snapshot;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::git::snapshot::Cause;
use crate::input::file;
use crate::output::command_result;
use crate::output::handoff::name;
use crate::output::printer::{GOOD, Printer};

/// Record progress.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki checkpoint -f state.yaml\n  tasuki checkpoint --completed \"Wrote the parser\" --remaining \"Add tests\"\n  tasuki checkpoint --completed \"Wrote the parser\" --to hermes-worker-3"
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The checkpoint as a packet, or `-` for stdin.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A completed step; may be repeated.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    completed: Vec<String>,
    /// A remaining step; may be repeated. Replaces the remaining steps so far.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    remaining: Vec<String>,
    /// A decision; may be repeated.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    decision: Vec<String>,
    /// A pitfall; may be repeated.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pitfall: Vec<String>,
    /// Your confidence, from 0 to 1.
    #[arg(long, value_name = "NUMBER", conflicts_with = "file")]
    confidence: Option<f64>,
    /// The party that should continue if you stop.
    #[arg(long, value_name = "PARTY", conflicts_with = "file")]
    to: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let source = match &arguments.file {
        Some(file) => file::bytes(file)?,
        None => build_packet(arguments)?,
    };
    let request = Checkpoint { claim: shown, source, work_tree: git::here() };
    let answer = exchange.run(Command::Checkpoint(request), None)?;
    claim::store(&*exchange, &answer)?;
    snapshot::start(&*exchange, &answer, Cause::Checkpoint);
    command_result::registered(&answer, printer);
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    if let Some(handoff) = &answer.handoff {
        // A halt ends the claim, and its lease with it.
        let until = |claim: &api::Claim| exchange.time_formatter().clock(claim.until);
        let lease =
            answer.claim.as_ref().map(|one| format!(" Lease renewed until {}.", until(one)));
        printer.data(&format!(
            "{GOOD}✓{GOOD:#} Checkpoint {} saved for {}{}.{}\n",
            handoff.checkpoints,
            name(handoff),
            counts(arguments),
            lease.unwrap_or_default()
        ));
    }
    command_result::notes(&answer, printer);
    Ok(Exit::Success)
}

/// Formats the steps that the flags state: `: 1 done, 2 left`.
fn counts(arguments: &Arguments) -> String {
    let part = |list: &[String], word: &str| match list.len() {
        0 => None,
        count => Some(format!("{count} {word}")),
    };
    let parts = [part(&arguments.completed, "done"), part(&arguments.remaining, "left")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

fn build_packet(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    let mut packet = json!({ "handoff_version": "1.0", "packet_type": "checkpoint" });
    let lists = [
        ("completed", &arguments.completed),
        ("remaining", &arguments.remaining),
        ("decisions", &arguments.decision),
        ("pitfalls_hit", &arguments.pitfall),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            packet[name] = json!(list);
        }
    }
    if let Some(confidence) = arguments.confidence {
        packet["confidence"] = json!(confidence);
    }
    if let Some(to) = &arguments.to {
        packet["to_agent"] = Value::from(to.as_str());
    }
    if packet.as_object().is_some_and(|members| members.len() == 2) {
        return Err(Failure::usage("the checkpoint is empty")
            .hint("use `-f FILE`, or at least `--completed` or `--remaining`"));
    }
    Ok(packet.to_string().into_bytes())
}
