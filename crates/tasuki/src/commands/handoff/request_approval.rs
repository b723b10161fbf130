//! `tasuki request-approval`: request approval for an exact action.

use std::path::Path;

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::steps::RequestApproval;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::handoff::short_ref;
use crate::output::printer::Printer;

/// Ask a person's leave for an exact action.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki request-approval --action \"Deploy checkout-api 2.4.1 to production\"\n  tasuki request-approval build-42 --action action.json\n\nThe claim stays yours and its lease does not run while a person looks. What they decide is about exactly this action; `tasuki resume` says what it was."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// What would be run, sent or changed: a file with JSON (`-` is stdin), a JSON object, or words.
    #[arg(long, value_name = "FILE or TEXT")]
    action: String,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let request = RequestApproval { claim: shown, action: action(&arguments.action)?, to: None };
    let answer = exchange.run(Command::RequestApproval(request), None)?;
    command_result::print("Asked leave in", &answer, printer);
    if let Some(handoff) = &answer.handoff {
        let id = short_ref(&handoff.id);
        printer.remark(&format!("Next: a person says tasuki accept {id}, edit or reject"));
    }
    Ok(Exit::Success)
}

fn action(written: &str) -> Result<Value, Failure> {
    let path = Path::new(written);
    if written == "-" || path.is_file() {
        let bytes = file::bytes(path)?;
        return serde_json::from_slice(&bytes)
            .map_err(|error| Failure::refused(format!("{written} does not hold JSON: {error}")));
    }
    match serde_json::from_str(written) {
        Ok(value @ Value::Object(_)) => Ok(value),
        // As it is, so that the exchange sees that it says nothing.
        _ if written.trim().is_empty() => Ok(json!(written)),
        _ => Ok(json!({ "action": written })),
    }
}
