//! `tasuki inbox`: lists what waits for the caller.

use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::handoff::{claimable_from, due, goal, name, state};
use crate::output::next_steps::inbox_steps;
use crate::output::printer::{Printer, counted};
use crate::output::table::columns;
use crate::output::time::TimeFormatter;

/// List what waits for you.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki inbox --as hermes-worker-3\n  tasuki inbox --fields id,state,goal\n  tasuki inbox --json | jq -r '.handoffs[].id'\n\nThe most urgent handoff comes first. JSON also has the event and the time as of which the inbox was read."
)]
pub(crate) struct Arguments {
    /// The maximum number of handoffs.
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
    if inbox.handoffs.is_empty() {
        printer.remark(&format!("Nothing waits for {}.", inbox.party));
        return Ok(Exit::Success);
    }
    printer.data(&table(&inbox.handoffs, times));
    if inbox.more {
        let count = counted(inbox.handoffs.len(), "handoff");
        printer.remark(&format!("Showing {count}; use `--limit` for more."));
    }
    let next = inbox_steps(&inbox.handoffs, &exchange.next_steps_context());
    printer.remark(&format!("Next: {next}"));
    Ok(Exit::Success)
}

/// Formats the inbox by what the caller is expected to do.
pub(super) fn table(handoffs: &[api::Handoff], times: TimeFormatter) -> String {
    let mut rows = vec![["TASK", "WHAT", "FROM", "RISK", "DUE", "GOAL"].map(str::to_owned)];
    rows.extend(handoffs.iter().map(|handoff| {
        let (from, risk) = (handoff.from.clone(), handoff.risk.clone());
        let what = match claimable_from(handoff, times) {
            Some(when) => format!("parked, claimable {when}"),
            None => what(handoff),
        };
        [name(handoff), what, from, risk, due(handoff, times), goal(handoff)]
    }));
    columns(&rows)
}

/// Returns what is expected of the caller: `approve an action`, `claim`.
fn what(handoff: &api::Handoff) -> String {
    match handoff.state.as_str() {
        "held" if handoff.action.is_some() => {
            let holder = handoff.holder.as_deref().unwrap_or(&handoff.to);
            format!("approve an action of {holder}")
        }
        "offered" if !handoff.questions.is_empty() => "offered, with an open question".to_owned(),
        "offered" => "claim".to_owned(),
        "returned" => format!(
            "verify the return of {}",
            handoff.returned_by.as_deref().unwrap_or(&handoff.to)
        ),
        _ => state(handoff),
    }
}

/// Reads as many handoffs as requested, page by page. The time of the first page counts.
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
