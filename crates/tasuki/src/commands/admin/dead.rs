//! `tasuki dead`: lists, redrives and discards dead letters.

use clap::Subcommand;
use tasuki_client::HandoffQuery;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::StateWord;
use tasuki_engine::steps::{Attention, Discard, Redrive};
use tasuki_packet::id::HandoffId;

use crate::backend;
use crate::commands::query::list;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// List, redrive or discard dead letters.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List dead letters.
    #[command(visible_alias = "ls")]
    List {
        /// The maximum number of handoffs.
        #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
        limit: u32,
        #[command(flatten)]
        flags: Flags,
    },
    /// Offer a dead letter to its first receiver again.
    #[command(after_help = "Example:\n  tasuki dead redrive build-42 -m \"the worker is back\"")]
    Redrive(DeadLetterArguments),
    /// Discard a dead letter.
    #[command(after_help = "Example:\n  tasuki dead discard build-42 -m \"no longer wanted\"")]
    Discard(DeadLetterArguments),
}

#[derive(Debug, clap::Args)]
struct DeadLetterArguments {
    /// The handoff, by task or id.
    #[arg(value_name = "ID")]
    handoff: String,
    /// The reason; required to discard.
    #[arg(short = 'm', long = "reason", value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List { limit, flags } => list_dead(*limit, flags, printer),
        Command::Redrive(one) => {
            let redrive = |handoff, reason| {
                Redrive { handoff, reason, attention: Attention::default() }.into()
            };
            decide(one, "Redrove", redrive, printer)
        }
        Command::Discard(one) => {
            let discard = |handoff, reason| {
                Discard { handoff, reason, attention: Attention::default() }.into()
            };
            decide(one, "Discarded", discard, printer)
        }
    }
}

fn list_dead(limit: u32, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(flags, printer)?;
    exchange.apply_due()?;
    let states = vec![StateWord::Dead.as_str().to_owned()];
    let found = exchange.handoffs(&HandoffQuery { states, ..HandoffQuery::default() }, limit)?;
    match found.first() {
        None => printer.remark("No dead letters."),
        Some(_) => list::print(&*exchange, &found, false, printer),
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
    command_result::print(&answer, printer, |handoff| match handoff.state.as_str() {
        "discarded" => format!("{word} {}.", name(handoff)),
        _ => format!("{word} {}. {}", name(handoff), next_sentence(handoff)),
    });
    Ok(Exit::Success)
}
