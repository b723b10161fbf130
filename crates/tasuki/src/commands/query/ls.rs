//! `tasuki ls`: the handoffs of the project.

use tasuki_api as api;
use tasuki_client::HandoffQuery;
use tasuki_engine::model::StateWord;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::{limit, state};
use crate::output::handoff::{short_id, table};
use crate::output::printer::{Printer, counted};

/// List handoffs, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki ls\n  tasuki ls --state held --to role:reviewer\n  tasuki ls --task build-42 --all --json\n\nWithout `--all` and `--state` these are the ones that are not over, dead letters among them."
)]
pub(crate) struct Arguments {
    /// Only in this state; may be given more than once.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<StateWord>,
    /// Only of this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only from this party.
    #[arg(long, value_name = "PARTY")]
    from: Option<String>,
    /// Only to this party.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
    limit: u32,
    /// Also those that are over.
    #[arg(long, conflicts_with = "state")]
    all: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
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
        return "No handoffs. Next: tasuki submit";
    }
    "No handoff is open. `--all` lists those that are over too. Next: tasuki submit"
}

/// A list for people or machines, with what to do next.
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
    let Some(first) = found.first() else { return };
    printer.data(&table(found, exchange.time_formatter()));
    let more = if has_more { " and more" } else { "" };
    let id = short_id(&first.id);
    printer.remark(&format!(
        "{}{more}. Next: tasuki show {}",
        counted(found.len(), "handoff"),
        id.trim_start_matches("hof_")
    ));
}
