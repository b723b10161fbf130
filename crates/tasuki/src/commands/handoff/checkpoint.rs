//! `tasuki checkpoint`: records progress, from which the next holder continues.

use std::path::PathBuf;

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Checkpoint;
use tasuki_packet::id::HandoffId;

use super::claim;
use super::code::snapshot;
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::git::snapshot::Cause;
use crate::input::file;
use crate::output::command_result;
use crate::output::escape::excerpt;
use crate::output::handoff::{name, reference};
use crate::output::printer::{GOOD, Printer};

/// Record progress.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki checkpoint -f state.yaml\n  tasuki checkpoint --completed \"Wrote the parser\" --remaining \"Add tests\"\n  tasuki checkpoint --done 2,3\n  tasuki checkpoint --completed \"Wrote the parser\" --to hermes-worker-3\n\n`tasuki claim` and `tasuki show` print the steps with their numbers. A number stays the same while other steps are completed."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The checkpoint as a packet, or `-` for stdin.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A completed step; may be repeated. A remaining step with the same text is then done.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    completed: Vec<String>,
    /// The numbers of steps that are done, as the brief shows them: `--done 2,3`.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', conflicts_with = "file")]
    done: Vec<u32>,
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
        None => build_packet(arguments, &numbered(&*exchange, shown.handoff, &arguments.done)?)?,
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
            counts(handoff),
            lease.unwrap_or_default()
        ));
        if let Some(left) = still_left(&*exchange, arguments, handoff) {
            printer.remark(&left);
        }
    }
    command_result::notes(&answer, printer);
    Ok(Exit::Success)
}

/// Formats the steps after the checkpoint: `: 1 done, 2 left`.
fn counts(handoff: &api::Handoff) -> String {
    let counts = |steps: api::StepCounts| format!(": {} done, {} left", steps.done, steps.left);
    handoff.steps.map(counts).unwrap_or_default()
}

/// Returns the texts of the steps with these numbers.
fn numbered(
    exchange: &dyn Backend,
    handoff: HandoffId,
    numbers: &[u32],
) -> Result<Vec<String>, Failure> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let progress = exchange.details(&handoff.to_string(), None)?.progress.unwrap_or_default();
    let text = |number: &u32| {
        let has_number = |step: &&api::Step| step.number == *number;
        if let Some(step) = progress.left.iter().find(has_number) {
            return Ok(step.text.clone());
        }
        let (message, left) = match progress.done.iter().find(has_number) {
            Some(step) => {
                (format!("step {number} is done already: {}", excerpt(&step.text)), &progress.left)
            }
            None => (format!("there is no step {number}"), &progress.left),
        };
        Err(Failure::usage(message).hint(match left.as_slice() {
            [] => "nothing is left; state a new step with `--completed`".to_owned(),
            left => format!("left: {}", list(left)),
        }))
    };
    numbers.iter().map(text).collect()
}

fn list(steps: &[api::Step]) -> String {
    let step = |step: &api::Step| format!("{}. {}", step.number, excerpt(&step.text));
    steps.iter().map(step).collect::<Vec<_>>().join(", ")
}

/// Returns a note of the steps that are left by number, if the caller stated completed texts only.
fn still_left(
    exchange: &dyn Backend,
    arguments: &Arguments,
    handoff: &api::Handoff,
) -> Option<String> {
    let is_stated = !arguments.completed.is_empty() && arguments.remaining.is_empty();
    if !is_stated || handoff.steps?.left == 0 {
        return None;
    }
    let left = exchange.details(&handoff.id, None).ok()?.progress?.left;
    // The goal stands for steps that were never stated.
    let left: Vec<api::Step> = left.into_iter().filter(|step| step.text != handoff.goal).collect();
    if left.is_empty() {
        return None;
    }
    let reference = reference(handoff);
    Some(format!(
        "Still left: {} (close them by number: tasuki checkpoint {reference} --done {})",
        list(&left),
        left[0].number
    ))
}

fn build_packet(arguments: &Arguments, done: &[String]) -> Result<Vec<u8>, Failure> {
    let mut packet = json!({ "handoff_version": "1.0", "packet_type": "checkpoint" });
    let completed = [&arguments.completed[..], done].concat();
    let lists = [
        ("completed", &completed),
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
            .hint("use `-f FILE`, or at least `--completed`, `--done` or `--remaining`"));
    }
    Ok(packet.to_string().into_bytes())
}
