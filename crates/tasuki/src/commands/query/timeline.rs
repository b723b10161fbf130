//! `tasuki timeline`: everything that happened to one task, from its first handoff on.

use tasuki_api as api;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::event::describe;
use crate::output::handoff::{headline, short_id};
use crate::output::printer::{FAINT, Printer};

/// Show all handoffs and events of a task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki timeline build-42\n  tasuki timeline build-42 --json | jq .type"
)]
pub(crate) struct Arguments {
    /// The task, or any handoff of it.
    #[arg(value_name = "TASK")]
    task: String,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
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

/// The handoffs as they are now, then what happened, a mark where another handoff goes on.
fn render(
    exchange: &dyn Backend,
    handoffs: &[api::Handoff],
    events: &[api::Event],
) -> Result<String, Failure> {
    let (times, names) = (exchange.time_formatter(), exchange.party_names(events)?);
    let mut text = String::new();
    for handoff in handoffs {
        text.push_str(&format!("{}\n", headline(handoff)));
    }
    let mut current = None;
    for event in events {
        if current != event.handoff.as_ref() {
            let id = event.handoff.as_deref().map(short_id).unwrap_or_default();
            text.push_str(&format!("\n{FAINT}{id}{FAINT:#}\n"));
            current = event.handoff.as_ref();
        }
        let at = times.past(event.at);
        text.push_str(&format!("{:>6}  {at:<11}  {}\n", event.n, describe(event, &names)));
    }
    Ok(text)
}
