//! `tasuki timeline`: prints the history of a task across all of its handoffs.

use tasuki_api as api;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::event::describe;
use crate::output::handoff::{short_id, styled_state};
use crate::output::printer::{Printer, STRONG};

/// Show the history of a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki timeline build-42\n  tasuki timeline build-42 --json | jq .type"
)]
pub(crate) struct Arguments {
    /// The task, or one of its handoffs.
    #[arg(value_name = "TASK")]
    task: String,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    exchange.apply_due()?;
    let (handoffs, events) = exchange.timeline(&arguments.task)?;
    if printer.is_json() {
        for event in &events {
            printer.json(event);
        }
        return Ok(Exit::Success);
    }
    printer.data(&render(&*exchange, &handoffs, &events)?);
    Ok(Exit::Success)
}

/// Formats the events, one line each. Several handoffs of one task get a heading each.
fn render(
    exchange: &dyn Backend,
    handoffs: &[api::Handoff],
    events: &[api::Event],
) -> Result<String, Failure> {
    let (times, names) = (exchange.time_formatter(), exchange.event_context(events)?);
    let mut text = String::new();
    let mut current = None;
    for event in events {
        if handoffs.len() > 1 && current != event.handoff.as_ref() {
            current = event.handoff.as_ref();
            let shown = handoffs.iter().find(|one| Some(&one.id) == current);
            if let Some(handoff) = shown {
                let gap = if text.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{gap}{}\n", heading(handoff)));
            }
        }
        let at = times.clock_with_seconds(event.at);
        text.push_str(&format!("{at}  {}\n", describe(event, &names, times)));
    }
    Ok(text)
}

/// Formats the heading of a handoff: `hof_1a2b3c  planner → coder  claimed by coder`.
fn heading(handoff: &api::Handoff) -> String {
    let (id, state) = (short_id(&handoff.id), styled_state(handoff));
    format!("{STRONG}{id}{STRONG:#}  {} → {}  {state}", handoff.from, handoff.to)
}
