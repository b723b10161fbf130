//! `tasuki pass-on`: passes claimed work on to another receiver.
//!
//! The new packet inherits the obligations of the old one. A packet that is built here carries them,
//! because it is the continuation of the work.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::PassOn;
use tasuki_packet::chain::next_packet;

use super::code::snapshot;
use super::submit;
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::git::snapshot::Cause;
use crate::input::{file, packet_file};
use crate::output::printer::Printer;

/// Pass claimed work on to another receiver.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "tasuki pass-on [OPTIONS] [ID] <FILE>\n       tasuki pass-on [OPTIONS] [ID] --to <PARTY>",
    after_help = "Examples:\n  tasuki pass-on next.yaml\n  tasuki pass-on build-42 next.yaml --hold\n  tasuki pass-on --to hermes-worker-3 --goal \"Write the tests\"\n\nWithout a file, the packet is built from yours, its checkpoints and decisions, and the return fields of your contract; its cost is the one in your checkpoints. Your own packet must carry the obligations of the old one: return fields, acceptance, constraints and pinned items. Your claim becomes read-only and ends when the new handoff is claimed. If the new handoff ends unclaimed, the work is offered again."
)]
pub(crate) struct Arguments {
    /// The handoff or its task, if this session holds several; then the packet, or `-` for stdin.
    #[arg(value_name = "ID and FILE", num_args = 0..=2)]
    words: Vec<String>,
    /// The receiver.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// A new goal, if there is no packet.
    #[arg(long, value_name = "TEXT", requires = "to")]
    goal: Option<String>,
    /// Hold it until a person approves it.
    #[arg(long)]
    hold: bool,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
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
            [] => Err(Failure::usage("no packet and no receiver given")
                .hint("name a packet file, or the receiver with `--to PARTY`")),
            _ => Err(Failure::usage("`--goal` cannot be combined with a packet file")),
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
    let notice = packet_file::brief_notice(&source);
    let request = PassOn {
        parent: shown,
        source,
        to: arguments.to.clone(),
        hold: arguments.hold,
        supersedes: None,
        work_tree: git::here(),
    };
    let answer = exchange.run(request.into(), None)?;
    snapshot::start(&*exchange, &answer, Cause::PassOn);
    let note = "your claim is read-only now, and ends when the new handoff is claimed";
    submit::print("Passed on", &answer, Some(note), printer);
    if let Some(notice) = notice.filter(|_| !printer.is_json()) {
        printer.remark(&format!("note: {notice}"));
    }
    Ok(Exit::Success)
}

/// Builds the packet for another receiver from the continuation of the work.
fn build_packet(
    exchange: &dyn Backend,
    shown: ClaimProof,
    arguments: &Arguments,
) -> Result<Vec<u8>, Failure> {
    let continuation = exchange.continuation_packet(shown.handoff)?;
    let sent = exchange.packet(shown.handoff)?;
    let required = required_by_contract(exchange, shown)?;
    let mut members = next_packet(&continuation, &sent, &required);
    members.insert("from_agent".to_owned(), json!(exchange.own_name()?));
    members.insert("to_agent".to_owned(), json!(arguments.to));
    if let Some(goal) = &arguments.goal {
        members.insert("goal".to_owned(), json!(goal));
    }
    Ok(Value::Object(members).to_string().into_bytes())
}

/// Returns the return fields that the contract of the work requires.
fn required_by_contract(exchange: &dyn Backend, shown: ClaimProof) -> Result<Vec<Value>, Failure> {
    let Some(contract) = exchange.resolve(&shown.handoff.to_string())?.contract else {
        return Ok(Vec::new());
    };
    let document = exchange.contract(&contract)?.document;
    let required = document.pointer("/returns/require").and_then(Value::as_array);
    Ok(required.cloned().unwrap_or_default())
}
