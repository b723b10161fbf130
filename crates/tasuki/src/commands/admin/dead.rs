//! `tasuki dead`: work that nobody could go on with.

use clap::Subcommand;
use tasuki_client::HandoffQuery;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::StateWord;
use tasuki_engine::steps::{Discard, Redrive};
use tasuki_packet::id::HandoffId;

use crate::backend;
use crate::commands::query::ls;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::command_result;
use crate::output::printer::Printer;

/// List dead letters, start one again, or give one up.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the dead letters.
    List {
        /// At most so many.
        #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
        limit: u32,
        #[command(flatten)]
        flags: Flags,
    },
    /// Start one again, with its first receiver.
    #[command(after_help = "Example:\n  tasuki dead redrive 1a2b3c -m \"the worker is back\"")]
    Redrive(DeadLetterArguments),
    /// Give one up for good.
    #[command(after_help = "Example:\n  tasuki dead discard 1a2b3c -m \"no longer wanted\"")]
    Discard(DeadLetterArguments),
}

#[derive(Debug, clap::Args)]
struct DeadLetterArguments {
    /// The handoff, by id, ending or task.
    #[arg(value_name = "ID")]
    handoff: String,
    /// Why; `dead discard` needs a reason.
    #[arg(short = 'm', long = "reason", value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List { limit, flags } => list(*limit, flags, printer),
        Command::Redrive(one) => {
            let redrive = |handoff, reason| Redrive { handoff, reason }.into();
            decide(one, "Started again", redrive, printer)
        }
        Command::Discard(one) => {
            let discard = |handoff, reason| Discard { handoff, reason }.into();
            decide(one, "Gave up", discard, printer)
        }
    }
}

fn list(limit: u32, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(flags, printer)?;
    exchange.apply_due()?;
    let states = vec![StateWord::Dead.as_str().to_owned()];
    let found = exchange.handoffs(&HandoffQuery { states, ..HandoffQuery::default() }, limit)?;
    match found.first() {
        None => printer.remark("No dead letters."),
        Some(_) => ls::print(&*exchange, &found, false, printer),
    }
    Ok(Exit::Success)
}

fn decide(
    one: &DeadLetterArguments,
    word: &str,
    command: fn(HandoffId, Option<String>) -> EngineCommand,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&one.flags, printer)?;
    let handoff = exchange.resolve_id(&one.handoff)?;
    let answer = exchange.run(command(handoff, one.reason.clone()), None)?;
    command_result::print(word, &answer, printer);
    Ok(Exit::Success)
}
