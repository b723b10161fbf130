//! `tasuki timeline`: everything that happened to one task, from its first handoff on.

use tasuki_engine::events::event;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::store::{Order, Query, Store as _};
use tasuki_engine::view;
use tasuki_packet::api;

use crate::exit::{Exit, Failure};
use crate::local::{Exchange, Moment, fault, happened, headline, short_of};
use crate::printer::{FAINT, Printer};
use crate::settings::Flags;

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
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.operator(printer)?;
    exchange.settle(&caller)?;
    let task = exchange.find(&arguments.task)?.facts.task.clone();
    let query =
        Query { task: Some(task), order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
    let handoffs = exchange.read(exchange.store.handoffs(exchange.project, query))?;
    let events = events_of(&exchange, &handoffs)?;
    if printer.is_json() {
        for event in &events {
            printer.json(event);
        }
        return Ok(Exit::Success);
    }
    printer.data(&drawn(&exchange, &handoffs, &events)?);
    Ok(Exit::Success)
}

fn events_of(exchange: &Exchange, handoffs: &[Handoff]) -> Result<Vec<api::Event>, Failure> {
    let mut events = Vec::new();
    for handoff in handoffs {
        for row in exchange.read(exchange.store.leaves_of(exchange.project, handoff.id))? {
            events.push(event(&row).map_err(|error| fault(&error))?);
        }
    }
    events.sort_by_key(|event| event.n);
    Ok(events)
}

/// The handoffs as they are now, then what happened, a mark where another handoff goes on.
fn drawn(
    exchange: &Exchange,
    handoffs: &[Handoff],
    events: &[api::Event],
) -> Result<String, Failure> {
    let directory = exchange.directory()?;
    let moment = Moment::new(exchange.engine.now(), &exchange.settings);
    let mut text = String::new();
    for handoff in handoffs {
        text.push_str(&format!("{}\n", headline(&view::handoff(&directory, handoff))));
    }
    let mut current = None;
    for event in events {
        if current != event.handoff.as_ref() {
            let id = event.handoff.as_deref().map(short_of).unwrap_or_default();
            text.push_str(&format!("\n{FAINT}{id}{FAINT:#}\n"));
            current = event.handoff.as_ref();
        }
        let at = moment.past(event.at);
        text.push_str(&format!("{:>6}  {at:<11}  {}\n", event.n, happened(event)));
    }
    Ok(text)
}
