//! `tasuki pass-on`: hand over what one holds.
//!
//! The new packet owes what the old one owed. One that is made here carries it: it is the
//! continuation of the work, for another receiver.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::PassOn;
use tasuki_packet::{Item, Members};

use super::submit;
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::handoff::short;
use crate::output::printer::Printer;

/// Pass on the work that this session holds.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "tasuki pass-on [OPTIONS] [ID] <FILE>\n       tasuki pass-on [OPTIONS] [ID] --to <PARTY>",
    after_help = "Examples:\n  tasuki pass-on next.yaml\n  tasuki pass-on build-42 next.yaml --hold\n  tasuki pass-on --to hermes-worker-3 --goal \"Write the tests\"\n\nWithout a file the packet is made of yours, your checkpoints, the decisions and what your contract wants returned; it costs what your checkpoints say. A packet of your own must carry what yours owes: return fields, acceptance, constraints, pinned items. Your claim takes no write from then on and ends when the other is claimed; if that ends otherwise, yours is offered again."
)]
pub(crate) struct Arguments {
    /// The handoff or its task, if this session holds several; then the packet, `-` is stdin.
    #[arg(value_name = "ID and FILE", num_args = 0..=2)]
    words: Vec<String>,
    /// The receiver.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// Another goal, for a packet made here.
    #[arg(long, value_name = "TEXT", requires = "to")]
    goal: Option<String>,
    /// Let a person look at it first.
    #[arg(long)]
    hold: bool,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

impl Arguments {
    /// Returns the handoff and the packet file that the arguments name.
    fn targets(&self) -> Result<(Option<&str>, Option<PathBuf>), Failure> {
        match self.words.as_slice() {
            [handoff, file] if self.goal.is_none() => Ok((Some(handoff), Some(file.into()))),
            [file] if self.to.is_none() || is_file(file) && self.goal.is_none() => {
                Ok((None, Some(file.into())))
            }
            [handoff] => Ok((Some(handoff), None)),
            [] if self.to.is_some() => Ok((None, None)),
            [] => Err(Failure::usage("nobody said what to pass on, and to whom")
                .hint("give a packet, or `--to` with a party")),
            _ => Err(Failure::usage("`--goal` is for a packet made here, and a file is given")),
        }
    }
}

fn is_file(word: &str) -> bool {
    word == "-" || Path::new(word).is_file()
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let (handoff, file) = arguments.targets()?;
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(handoff, arguments.fence)?;
    let source = match file {
        Some(file) => file::bytes(&file)?,
        None => build_packet(&*exchange, shown, arguments)?,
    };
    let request = PassOn {
        parent: shown,
        source,
        to: arguments.to.clone(),
        hold: arguments.hold,
        supersedes: None,
    };
    let answer = exchange.run(request.into(), None)?;
    submit::print(&answer, printer);
    printer.remark(&format!(
        "Your claim on {} takes no write from now on; it ends when this one is claimed. If this one ends otherwise, the work is offered again.",
        short(shown.handoff)
    ));
    Ok(Exit::Success)
}

/// Builds the packet for another receiver from the continuation of the work.
fn build_packet(
    exchange: &dyn Backend,
    shown: ClaimProof,
    arguments: &Arguments,
) -> Result<Vec<u8>, Failure> {
    let mut members = exchange.continuation_packet(shown.handoff)?.members().clone();
    // Of the old edge, not of the new one.
    for name in ["contract", "supersedes", "trigger"] {
        members.shift_remove(name);
    }
    // What the sender has spent is in the chain already. A checkpoint says what this hop has cost.
    if members.get("cost") == exchange.packet(shown.handoff)?.get("cost") {
        members.shift_remove("cost");
    }
    add_required_returns(&mut members, &required_by_contract(exchange, shown)?);
    members.insert("from_agent".to_owned(), json!(exchange.own_name()?));
    members.insert("to_agent".to_owned(), json!(arguments.to));
    if let Some(goal) = &arguments.goal {
        members.insert("goal".to_owned(), json!(goal));
    }
    Ok(Value::Object(members).to_string().into_bytes())
}

/// What the contract of the work wants returned, whatever its packet says.
fn required_by_contract(exchange: &dyn Backend, shown: ClaimProof) -> Result<Vec<Value>, Failure> {
    let Some(contract) = exchange.resolve(&shown.handoff.to_string())?.contract else {
        return Ok(Vec::new());
    };
    let document = exchange.contract(&contract)?.document;
    let required = document.pointer("/returns/require").and_then(Value::as_array);
    Ok(required.cloned().unwrap_or_default())
}

/// Adds to `return_required` what it does not name yet.
fn add_required_returns(members: &mut Members, required: &[Value]) {
    if required.is_empty() {
        return;
    }
    let mut owed = match members.get("return_required") {
        Some(Value::Array(fields)) => fields.clone(),
        Some(field @ Value::String(_)) => vec![field.clone()],
        _ => Vec::new(),
    };
    let text = |field: &Value| Item::of(field).map(|item| item.text.to_owned());
    let named: Vec<Option<String>> = owed.iter().map(text).collect();
    owed.extend(required.iter().filter(|field| !named.contains(&text(field))).cloned());
    members.insert("return_required".to_owned(), Value::Array(owed));
}
