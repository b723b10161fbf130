//! `tasuki inbox`: lists what waits for the caller and what failed, and acknowledges failures.

use clap::Subcommand;
use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;

use super::inbox_ack;
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::escape::excerpt;
use crate::output::handoff::{claimable_from, due, goal, name, state};
use crate::output::next_steps::{failure_steps, inbox_steps};
use crate::output::printer::{Printer, counted};
use crate::output::progress::done_of;
use crate::output::table::columns;
use crate::output::time::TimeFormatter;

/// List what waits for you, and what failed.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  tasuki inbox --as hermes-worker-3\n  tasuki inbox --fields id,state,goal\n  tasuki inbox --json | jq -r '.handoffs[].id'\n  tasuki inbox ack crawl-8 --as ana\n\nThe most urgent handoff comes first. Failures follow: rejections, dead letters and failed notifications of what you sent or, for a person who operates the project, of every handoff. They stay until you acknowledge them. JSON also has the event and the time as of which the inbox was read."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The maximum number of handoffs.
    #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Acknowledge failures, which removes them from your inbox.
    #[command(
        after_help = "Examples:\n  tasuki inbox ack crawl-8 --as ana\n  tasuki inbox ack --all\n\nThey stay in the inbox of others, and a later failure of the same handoff is listed again."
    )]
    Ack(inbox_ack::Arguments),
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if let Some(Command::Ack(failures)) = &arguments.command {
        return inbox_ack::run(failures, printer);
    }
    let exchange = backend::open_own(&arguments.flags, printer)?;
    let inbox = read(&*exchange, arguments.limit)?;
    if printer.is_json() {
        printer.json_list(&inbox, &inbox.handoffs);
        return Ok(Exit::Success);
    }
    let times = exchange.time_formatter_at(inbox.as_of);
    if inbox.handoffs.is_empty() && inbox.failures.is_empty() {
        printer.remark(&format!("Nothing waits for {}.", inbox.party));
        return Ok(Exit::Success);
    }
    if !inbox.handoffs.is_empty() {
        printer.data(&table(&inbox.handoffs, times));
    }
    if !inbox.failures.is_empty() {
        printer.data(&failure_table(&inbox.failures, times));
    }
    if inbox.more || inbox.more_failures {
        let count = counted(inbox.handoffs.len() + inbox.failures.len(), "handoff");
        printer.remark(&format!("Showing {count}; use `--limit` for more."));
    }
    let context = exchange.next_steps_context();
    let next = [inbox_steps(&inbox.handoffs, &context), failure_steps(&inbox.failures, &context)];
    let next: Vec<&str> = next.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
    printer.remark(&format!("Next: {}", next.join(" · ")));
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
        let what = match &handoff.in_place_of {
            Some(person) => format!("{what}, for {}", excerpt(person)),
            None => what,
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
        "offered" => match done_of(handoff).filter(|_| handoff.checkpoints > 0) {
            Some(done) => format!("claim ({done})"),
            None => "claim".to_owned(),
        },
        "claimed" => match (&handoff.holder, done_of(handoff)) {
            (Some(holder), Some(done)) => format!("claimed by {holder}, {done}"),
            _ => state(handoff),
        },
        "returned" => format!(
            "verify the return of {}",
            handoff.returned_by.as_deref().unwrap_or(&handoff.to)
        ),
        _ => state(handoff),
    }
}

/// Formats the failures that the caller has not acknowledged.
fn failure_table(failures: &[api::InboxFailure], times: TimeFormatter) -> String {
    let mut rows = vec![["TASK", "FAILED", "FROM", "SINCE", "GOAL"].map(str::to_owned)];
    rows.extend(failures.iter().map(|one| {
        let handoff = &one.handoff;
        let since = times.clock(one.since);
        [name(handoff), failure(one), handoff.from.clone(), since, goal(handoff)]
    }));
    columns(&rows)
}

/// Returns what failed, and why: `rejected by ana: "too risky"`, `dead letter: declined by coder`.
fn failure(one: &api::InboxFailure) -> String {
    let (by, cause) = (one.by.as_deref().map(excerpt), one.cause.as_deref().unwrap_or("unknown"));
    let mut text = match (one.kind.as_str(), by) {
        ("rejected", Some(by)) => format!("rejected by {by}"),
        ("rejected", None) => "rejected".to_owned(),
        ("dead", Some(by)) if cause == "declined" => format!("dead letter: {by} declined"),
        ("dead", _) => format!("dead letter: {}", dead_cause(cause)),
        (_, Some(by)) => format!("could not notify {by}: {}", notification_cause(cause)),
        (_, None) => format!("could not notify anyone: {}", notification_cause(cause)),
    };
    if let Some(reason) = &one.reason {
        text.push_str(&format!(" (\"{}\")", excerpt(reason)));
    }
    text
}

fn dead_cause(cause: &str) -> String {
    match cause {
        "no_progress" => "a deadline passed".to_owned(),
        "rejected" => "the return failed too often".to_owned(),
        "expired" => "it expired".to_owned(),
        "lapsed" => "the lease expired too often".to_owned(),
        other => other.replace('_', " "),
    }
}

fn notification_cause(cause: &str) -> String {
    match cause {
        "no_channel" => "no channel".to_owned(),
        "failed" => "every channel failed".to_owned(),
        "mail_failed" => "email failed".to_owned(),
        other => other.replace('_', " "),
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
