//! `tasuki return`: returns the result of a task.

use std::path::{Path, PathBuf};

use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Return;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;

use crate::backend;
use crate::config::Flags;
use crate::drift::{self, Finding, Outcome};
use crate::exit::{Exit, Failure};
use crate::git;
use crate::input::file;
use crate::output::command_result;
use crate::output::drift::artifact_line;
use crate::output::escape::escape;
use crate::output::handoff::{name, next_sentence, reference};
use crate::output::printer::Printer;

/// Return the result of a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki return -f return.yaml\n  tasuki return --summary \"All tests pass\"\n\nA return that lacks what the packet or its contract requires is refused with a list of what is missing. You keep the claim."
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
    let files = artifacts(&request.source);
    let answer = exchange.run(Command::Return(request), None)?;
    exchange.remove_claim(shown.handoff)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    command_result::print(&answer, printer, sentence);
    for file in &files {
        printer.loss(&format!("warning: {}", escape(&artifact_line(file))));
    }
    if let Some(handoff) = answer.handoff.as_ref().filter(|handoff| handoff.state == "returned") {
        let (judge, reference) = (judge(handoff), reference(handoff));
        printer.remark(&format!("Next: {judge} runs `tasuki show {reference}`"));
    }
    Ok(Exit::Success)
}

/// Returns the artifacts of a return packet that are not here as it states, or were not checked.
fn artifacts(source: &[u8]) -> Vec<Finding> {
    let read = Source::packet(source).and_then(|source| open(&source, OpenOptions::default()));
    let files = read.map_or_else(
        |_| Vec::new(),
        |read| drift::artifacts(&read.packet, Path::new(".")).findings,
    );
    files.into_iter().filter(|file| file.outcome != Outcome::Same).collect()
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
