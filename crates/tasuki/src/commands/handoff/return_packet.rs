//! `tasuki return`: give back what was asked for.

use std::path::PathBuf;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::steps::Return;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::handoff::headline;
use crate::output::printer::{GOOD, Printer};

/// Return what was asked for.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki return -f return.yaml\n  tasuki return --summary \"All tests pass\"\n\nA return that lacks what packet or contract require is refused and says what is missing; the claim stays yours."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The return packet; `-` is stdin.
    #[arg(short, long, value_name = "FILE", required_unless_present = "summary")]
    file: Option<PathBuf>,
    /// What came of it, for a return packet made here.
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    summary: Option<String>,
    /// How it went: completed, blocked or failed.
    #[arg(long, value_name = "STATUS", conflicts_with = "file", default_value = "completed")]
    status: String,
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
        None => json!({
            "handoff_version": "1.0",
            "packet_type": "return",
            "status": arguments.status,
            "summary": arguments.summary,
        })
        .to_string()
        .into_bytes(),
    };
    let request = Return { claim: shown, source };
    let answer = exchange.run(Command::Return(request), None)?;
    exchange.remove_claim(shown.handoff)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    if let Some(handoff) = &answer.handoff {
        printer.data(&format!("{GOOD}✓{GOOD:#} Returned {}\n", headline(handoff)));
    }
    for note in &answer.notes {
        printer.remark(&format!("note: {note}"));
    }
    Ok(Exit::Success)
}
