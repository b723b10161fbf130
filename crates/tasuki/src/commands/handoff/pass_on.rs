//! `tasuki pass-on`: passes claimed work on to another receiver.
//!
//! The new packet inherits the obligations of the old one. A packet that `draft` builds carries them,
//! because it is the continuation of the work.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tasuki_engine::steps::PassOn;

use super::code::snapshot;
use super::draft::{self, Stated};
use super::submit::{self, Sent};
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::git::snapshot::Cause;
use crate::input::{file, packet_file};
use crate::output::printer::Printer;

/// Pass claimed work on to another receiver.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "tasuki pass-on [OPTIONS] [ID] <FILE>\n       tasuki pass-on [OPTIONS] [ID] --to <PARTY>\n       tasuki pass-on [OPTIONS] [ID] --draft",
    after_help = "Examples:\n  tasuki pass-on --draft > next.yaml\n  tasuki pass-on next.yaml\n  tasuki pass-on build-42 next.yaml --hold\n  tasuki pass-on --to hermes-worker-3 --goal \"Write the tests\"\n\nWithout a file, the packet is built from yours, its checkpoints and decisions, and the return fields of your contract; its cost is the one in your checkpoints. Your own packet must carry the obligations of the old one: return fields, acceptance, constraints and pinned items. Your claim becomes read-only and ends when the new handoff is claimed. If the new handoff ends unclaimed, the work is offered again."
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
    /// Print the packet instead of sending it, so that you can change it.
    #[arg(long, conflicts_with = "hold")]
    draft: bool,
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
    if arguments.draft {
        return print_draft(arguments, printer);
    }
    let (handoff, file) = arguments.targets()?;
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(handoff, arguments.fence)?;
    let source = if let Some(file) = file {
        file::bytes(&file)?
    } else {
        let members = draft::next_of_task(&*exchange, shown, stated(arguments))?;
        Value::Object(members).to_string().into_bytes()
    };
    let notice = packet_file::brief_notice(&source);
    let request = PassOn {
        to: arguments.to.clone(),
        hold: arguments.hold,
        work_tree: git::here(),
        ..PassOn::new(shown, source)
    };
    let answer = exchange.run(request.into(), None)?;
    snapshot::start(&*exchange, &answer, Cause::PassOn);
    submit::print(Sent::PassedOn, &answer, notice.as_deref(), printer);
    Ok(Exit::Success)
}

/// Prints the packet that passes the work on, for the caller to change.
fn print_draft(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let handoff = match arguments.words.as_slice() {
        [] => None,
        [handoff] => Some(handoff.as_str()),
        _ => {
            return Err(Failure::usage("`--draft` takes no packet file")
                .hint("use the form `tasuki pass-on --draft > next.yaml`"));
        }
    };
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let held = exchange.current_claim(handoff, arguments.fence)?;
    draft::print(&*exchange, held, stated(arguments), printer)
}

/// Returns the members that the flags state.
fn stated(arguments: &Arguments) -> Stated<'_> {
    Stated { to: arguments.to.as_deref(), goal: arguments.goal.as_deref(), ..Stated::default() }
}
