//! `tasuki events`: lists events and follows new ones.

use tasuki_api as api;
use tasuki_engine::model::EventFilter;

use super::event_filter::{EventFilterFlags, described};
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::event::event_line;
use crate::output::printer::Printer;

/// The default number of events.
const COUNT_DEFAULT: usize = 50;

/// List or follow events.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki events\n  tasuki events --since 118 --json\n  tasuki events --follow --task build-42 --json\n\nPrints the last 50 events, oldest first; with `--follow` only new ones. Events are numbered without gaps, so `--since 118` continues after event 118 and misses nothing."
)]
pub(crate) struct Arguments {
    /// Continue after this event.
    #[arg(long, value_name = "NUMBER")]
    since: Option<u64>,
    /// Wait for new events, until Ctrl-C.
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    filter_flags: EventFilterFlags,
    /// The maximum number of events.
    #[arg(long, value_name = "COUNT", value_parser = limit::<usize>)]
    limit: Option<usize>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    exchange.apply_due()?;
    let filter = arguments.filter_flags.filter(&*exchange)?;
    let stream = EventPrinter { exchange: &*exchange, filter, printer };
    match (arguments.since, arguments.follow) {
        (Some(seen), true) => stream.follow(seen.saturating_add(1), arguments.limit)?,
        (None, true) => stream.follow(exchange.next_event_number()?, arguments.limit)?,
        (Some(seen), false) => {
            let limit = arguments.limit.unwrap_or(usize::MAX);
            let page = exchange.events(seen.saturating_add(1), &stream.filter, limit)?;
            stream.print(&page.events)?;
            stream.print_next_command(page.next);
        }
        (None, false) => {
            let limit = arguments.limit.unwrap_or(COUNT_DEFAULT);
            let page = exchange.last_events(&stream.filter, limit)?;
            stream.print(&page.events)?;
            stream.print_next_command(page.next);
        }
    }
    Ok(Exit::Success)
}

/// Prints the events that match a filter.
struct EventPrinter<'a> {
    exchange: &'a dyn Backend,
    filter: EventFilter,
    printer: &'a Printer,
}

impl EventPrinter<'_> {
    /// Prints events from a number on, and new ones, up to the limit.
    fn follow(&self, from: u64, limit: Option<usize>) -> Result<(), Failure> {
        let mut follower = self.exchange.follow_events(from, &self.filter, self.printer)?;
        if !self.printer.is_json() {
            let project = self.exchange.settings().project.value.as_str();
            let what = described(&self.filter);
            self.printer.remark(&format!("Following {what} in project {project}. Ctrl-C to stop."));
        }
        let (mut next, mut left) = (from, limit.unwrap_or(usize::MAX));
        while left > 0 && !self.printer.is_reader_gone() {
            let mut events = follower.next(None)?;
            events.truncate(left);
            self.print(&events)?;
            left -= events.len();
            next = events.last().map_or(next, |last| last.n + 1);
        }
        self.print_next_command(next);
        Ok(())
    }

    fn print(&self, events: &[api::Event]) -> Result<(), Failure> {
        if self.printer.is_json() {
            for event in events {
                self.printer.json(event);
            }
            return Ok(());
        }
        let (times, names) = (self.exchange.time_formatter(), self.exchange.event_context(events)?);
        for event in events {
            self.printer.data(&event_line(event, &names, times));
        }
        Ok(())
    }

    fn print_next_command(&self, next: u64) {
        if let Some(last) = next.checked_sub(1).filter(|_| !self.printer.is_json()) {
            self.printer.remark(&format!("Next: tasuki events --since {last}"));
        }
    }
}
