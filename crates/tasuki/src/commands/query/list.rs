//! `tasuki list`: lists the handoffs of the project.

use tasuki_api as api;
use tasuki_client::HandoffQuery;
use tasuki_engine::model::StateWord;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::{limit, state};
use crate::output::handoff::{Line, reference, table};
use crate::output::printer::{Printer, counted};

/// List handoffs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki list\n  tasuki list --state held --to role:reviewer\n  tasuki list --task build-42 --all --json\n\nLists open handoffs and dead letters, newest first. `--all` and `--state` include closed ones. Work that was passed on is one line, with every party that it went through; `--json` has each handoff."
)]
pub(crate) struct Arguments {
    /// Only handoffs in this state; may be repeated.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<StateWord>,
    /// Only handoffs of this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only handoffs from this party.
    #[arg(long, value_name = "PARTY")]
    from: Option<String>,
    /// Only handoffs to this party.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// The maximum number of handoffs.
    #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
    limit: u32,
    /// Include closed handoffs.
    #[arg(long, conflicts_with = "state")]
    all: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    exchange.apply_due()?;
    let listing = HandoffQuery {
        states: arguments.state.iter().map(|state| state.as_str().to_owned()).collect(),
        task: arguments.task.clone(),
        from: arguments.from.clone(),
        to: arguments.to.clone(),
        all: arguments.all,
        ..HandoffQuery::default()
    };
    let mut found = exchange.handoffs(&listing, arguments.limit.saturating_add(1))?;
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let has_more = found.len() > limit;
    found.truncate(limit);
    if found.is_empty() {
        printer.remark(empty_message(arguments));
    }
    print(&*exchange, &found, has_more, printer);
    Ok(Exit::Success)
}

/// Returns the message for an empty list.
fn empty_message(arguments: &Arguments) -> &'static str {
    if arguments.all || !arguments.state.is_empty() {
        return "No handoffs.";
    }
    "No open handoffs; `--all` includes closed ones."
}

/// Prints a list, and the next command.
pub(crate) fn print(
    exchange: &dyn Backend,
    found: &[api::Handoff],
    has_more: bool,
    printer: &Printer,
) {
    if printer.is_json() {
        for handoff in found {
            printer.json(handoff);
        }
        return;
    }
    let lines = chains(exchange, found);
    let Some(first) = lines.first().map(|line| line.handoff) else { return };
    printer.data(&table(&lines, exchange.time_formatter()));
    if has_more {
        let count = counted(found.len(), "handoff");
        printer.remark(&format!("Showing {count}; use `--limit` for more."));
    }
    let redrive = match first.state.as_str() {
        "dead" => format!(" · tasuki dead redrive {}", reference(first)),
        _ => String::new(),
    };
    printer.remark(&format!("Next: tasuki show {}{redrive}", reference(first)));
}

/// LIMIT: handoffs of a chain before the last one, which bounds the reads of a list.
const CHAIN_MAX: usize = 8;

/// Returns one line for each chain: its last handoff, with the parties that the work went through.
fn chains<'h>(exchange: &dyn Backend, found: &'h [api::Handoff]) -> Vec<Line<'h>> {
    let is_listed = |id: &String| found.iter().any(|one| one.id == *id);
    let last = found.iter().filter(|one| !one.child.as_ref().is_some_and(is_listed));
    last.map(|handoff| Line { handoff, before: senders(exchange, found, handoff) }).collect()
}

/// Returns the senders of the handoffs that passed the work on, oldest first.
fn senders(exchange: &dyn Backend, found: &[api::Handoff], last: &api::Handoff) -> Vec<String> {
    let mut senders = Vec::new();
    let mut parent = last.parent.clone();
    while let Some(id) = parent.take().filter(|_| senders.len() < CHAIN_MAX) {
        let listed = found.iter().find(|one| one.id == id).cloned();
        // A handoff that is closed or hidden ends the chain as far as it is shown.
        let Some(above) = listed.or_else(|| exchange.resolve(&id).ok()) else { break };
        senders.push(above.from);
        parent = above.parent;
    }
    senders.reverse();
    senders
}
