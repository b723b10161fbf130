//! `tasuki checkpoint`: leave progress behind, so that whoever comes next starts there.

use std::path::PathBuf;

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Checkpoint;

use super::claim;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::printer::{GOOD, Printer};

/// Leave progress behind.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki checkpoint -f state.yaml\n  tasuki checkpoint --completed \"Wrote the parser\" --remaining \"Add tests\"\n  tasuki checkpoint --completed \"Wrote the parser\" --to hermes-worker-3"
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The checkpoint as a packet; `-` is stdin.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Something that is done; may be given more than once.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    completed: Vec<String>,
    /// Something that is left; replaces what was left before.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    remaining: Vec<String>,
    /// Something that was decided.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    decision: Vec<String>,
    /// A trap you fell into.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pitfall: Vec<String>,
    /// How certain you are, from 0 to 1.
    #[arg(long, value_name = "NUMBER", conflicts_with = "file")]
    confidence: Option<f64>,
    /// Who should go on if you cannot.
    #[arg(long, value_name = "PARTY", conflicts_with = "file")]
    to: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
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
    let request = Checkpoint { claim: shown, source };
    let answer = exchange.run(Command::Checkpoint(request), None)?;
    claim::store(&*exchange, &answer)?;
    command_result::registered(&answer, printer);
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    if let (Some(id), Some(handoff)) = (&answer.document, &answer.handoff) {
        // In a halt the claim is over, and no lease is left.
        let until = |claim: &api::Claim| exchange.time_formatter().relative(claim.until);
        let lease = answer.claim.as_ref().map(|claim| format!(", lease ends {}", until(claim)));
        printer.data(&format!(
            "{GOOD}✓{GOOD:#} Checkpoint {} of {} left ({id}){}\n",
            handoff.checkpoints,
            handoff.task,
            lease.unwrap_or_default()
        ));
    }
    command_result::notes(&answer, printer);
    Ok(Exit::Success)
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
        return Err(Failure::usage("a checkpoint says something")
            .hint("give a file with `-f`, or at least `--completed` or `--remaining`"));
    }
    Ok(packet.to_string().into_bytes())
}
