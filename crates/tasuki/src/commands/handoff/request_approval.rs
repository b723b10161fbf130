//! `tasuki request-approval`: asks a person to approve an exact action.

use std::path::Path;

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::steps::RequestApproval;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::handoff::{name, reference};
use crate::output::printer::Printer;

/// Ask a person to approve an action.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki request-approval --action \"Deploy checkout-api 2.4.1 to production\"\n  tasuki request-approval build-42 --action action.json\n\nYou keep the claim, and its lease is paused until a person decides. The decision covers exactly this action, once. `tasuki wait TASK --until decided` waits for it, `tasuki resume` shows it."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The exact action: a JSON file (`-` for stdin), a JSON object, or text.
    #[arg(long, value_name = "FILE|TEXT")]
    action: String,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let request = RequestApproval { claim: shown, action: action(&arguments.action)?, to: None };
    let answer = exchange.run(Command::RequestApproval(request), None)?;
    command_result::print(&answer, printer, |handoff| {
        format!("Asked a person to approve this action for {}.", name(handoff))
    });
    if let Some(handoff) = answer.handoff.as_ref().filter(|_| !printer.is_json()) {
        printer.remark(&format!("Next: tasuki wait {} --until decided", reference(handoff)));
    }
    Ok(Exit::Success)
}

fn action(written: &str) -> Result<Value, Failure> {
    let path = Path::new(written);
    if written == "-" || path.is_file() {
        let bytes = file::bytes(path)?;
        return serde_json::from_slice(&bytes)
            .map_err(|error| Failure::refused(format!("{written} is not valid JSON: {error}")));
    }
    match serde_json::from_str(written) {
        Ok(value @ Value::Object(_)) => Ok(value),
        // The exchange refuses a blank action.
        _ if written.trim().is_empty() => Ok(json!(written)),
        _ => Ok(json!({ "action": written })),
    }
}
