//! `tasuki inbox`: what waits for me, and when the exchange looked.

use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::handoff::table;
use crate::output::next_steps::inbox_steps;
use crate::output::printer::{Printer, counted};

/// Show what waits for me.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki inbox --as hermes-worker-3\n  tasuki inbox --fields id,state,goal\n  tasuki inbox --json | jq -r '.handoffs[].id'\n\nAn inbox says at which event and time the exchange looked; if it could not look, that is an error."
)]
pub(crate) struct Arguments {
    /// At most so many.
    #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let inbox = read(&*exchange, arguments.limit)?;
    if printer.is_json() {
        printer.json_list(&inbox, &inbox.handoffs);
        return Ok(Exit::Success);
    }
    let times = exchange.time_formatter_at(inbox.as_of);
    let as_of = format!("Looked at event {}, {:.0}.", inbox.as_of_n, inbox.as_of);
    if inbox.handoffs.is_empty() {
        printer.remark(&format!("Nothing waits for {}. {as_of}", inbox.party));
        return Ok(Exit::Success);
    }
    printer.data(&table(&inbox.handoffs, times));
    let more = if inbox.more { " and more" } else { "" };
    let count = counted(inbox.handoffs.len(), "handoff");
    let next = inbox_steps(&inbox.handoffs, &exchange.next_steps_context());
    printer.remark(&format!("{count}{more}. Next: {next}"));
    printer.remark(&as_of);
    Ok(Exit::Success)
}

/// As many as are asked for, page by page; what says when it was looked is of the first.
fn read(exchange: &dyn Backend, limit: u32) -> Result<api::Inbox, Failure> {
    let mut inbox = exchange.inbox(limit.min(PAGE_MAX), None)?;
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    while inbox.handoffs.len() < wanted && inbox.next.is_some() {
        let left = u32::try_from(wanted - inbox.handoffs.len()).unwrap_or(PAGE_MAX).min(PAGE_MAX);
        let page = exchange.inbox(left, inbox.next.as_deref())?;
        inbox.handoffs.extend(page.handoffs);
        (inbox.more, inbox.next) = (page.more, page.next);
    }
    Ok(inbox)
}
