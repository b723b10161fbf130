//! `tasuki return`: returns the result of a task.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Return;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;

use crate::backend;
use crate::config::Flags;
use crate::drift::{self, Drift, Outcome};
use crate::exit::{Exit, Failure};
use crate::git;
use crate::input::file;
use crate::output::command_result;
use crate::output::drift::artifact_line;
use crate::output::escape::escape;
use crate::output::handoff::{name, next_sentence, reference};
use crate::output::printer::{Printer, counted};

/// Return the result of a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki return -f return.yaml\n  tasuki return --summary \"All tests pass\"\n\nA return that lacks what the packet or its contract requires is refused with a list of what is missing. You keep the claim.\n\nThe artifacts of the packet are compared with the files of this directory. A file that is missing, or has another size or digest, refuses the return; artifacts that are not in reach are reported as not checked."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The return packet, or `-` for stdin.
    #[arg(short, long, value_name = "FILE", required_unless_present = "summary")]
    file: Option<PathBuf>,
    /// A summary of the result, if there is no return packet.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    summary: Option<String>,
    /// The result: completed, blocked or failed.
    #[arg(long, value_name = "STATUS", conflicts_with = "file", default_value = "completed")]
    status: String,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
    fence: Option<u64>,
    /// Return even if artifacts are missing here, or differ from the packet.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let source = match &arguments.file {
        Some(file) => file::bytes(file)?,
        None => json!({
            "handoff_version": "1.0",
            "packet_type": "return",
            "status": arguments.status,
            "summary": arguments.summary,
        })
        .to_string()
        .into_bytes(),
    };
    let request = Return { claim: shown, source, work_tree: git::here() };
    let artifacts = artifacts(&request.source);
    if artifacts.has_drift() && !arguments.force {
        return Err(changed(&artifacts));
    }
    let answer = exchange.run(Command::Return(request), None)?;
    exchange.remove_claim(shown.handoff)?;
    if printer.is_json() {
        printer.json(&Output { answer: &answer, artifacts: artifacts.to_findings() });
        return Ok(Exit::Success);
    }
    command_result::print(&answer, printer, sentence);
    for file in artifacts.findings.iter().filter(|file| file.outcome != Outcome::Same) {
        printer.loss(&format!("warning: {}", escape(&artifact_line(file))));
    }
    if artifacts.left_out > 0 {
        printer.loss(&format!("warning: {} more artifacts: not checked", artifacts.left_out));
    }
    if let Some(handoff) = answer.handoff.as_ref().filter(|handoff| handoff.state == "returned") {
        let (judge, reference) = (judge(handoff), reference(handoff));
        printer.remark(&format!("Next: {judge} runs `tasuki show {reference}`"));
    }
    Ok(Exit::Success)
}

/// The response, and the artifacts as they are here.
#[derive(Debug, Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    answer: &'a api::CommandResponse,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<Value>,
}

/// Compares the artifacts of a return packet with the files of this directory.
fn artifacts(source: &[u8]) -> Drift {
    let read = Source::packet(source).and_then(|source| open(&source, OpenOptions::default()));
    // The exchange refuses a packet that cannot be read.
    read.map_or_else(|_| Drift::default(), |read| drift::artifacts(&read.packet, Path::new(".")))
}

fn changed(artifacts: &Drift) -> Failure {
    let changed: Vec<String> = artifacts
        .findings
        .iter()
        .filter(|file| file.is_drift())
        .map(|file| format!("\n  {}", escape(&artifact_line(file))))
        .collect();
    let count = counted(changed.len(), "artifact");
    let message =
        format!("the files here do not match {count} of the return packet:{}", changed.concat());
    Failure::refused(message)
        .hint("update `artifacts` in the packet and return again, or use `--force`; you still hold the claim")
}

fn sentence(handoff: &api::Handoff) -> String {
    let next = match handoff.state.as_str() {
        "done" => "No verification is required, so the task is done.".to_owned(),
        "returned" => format!("It waits for verification by {}.", judge(handoff)),
        _ => next_sentence(handoff),
    };
    format!("Returned {}. {next}", name(handoff))
}

/// Returns the party that verifies the return.
fn judge(handoff: &api::Handoff) -> &str {
    match &handoff.judge {
        Some(judge) => judge,
        None if handoff.person_judges => "a person",
        None => &handoff.from,
    }
}
