//! `tasuki events`: what happened, and what happens now.

use tasuki_engine::events::{Filter, Page};

use super::filter::Wanted;
use crate::door::{self, Door};
use crate::exit::{Exit, Failure};
use crate::local::event_line;
use crate::printer::Printer;
use crate::settings::Flags;

/// How many events are shown where nobody says.
const COUNT_DEFAULT: usize = 50;

/// Show events, oldest first; with `--follow` also those to come.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki events\n  tasuki events --since 118 --json\n  tasuki events --follow --task build-42 --json\n\nEvents are numbered without a gap. Whoever has seen event 118 goes on with `--since 118` and misses\nnothing. Without `--since` these are the last 50, and with `--follow` only those to come."
)]
pub(crate) struct Arguments {
    /// Go on after this event.
    #[arg(long, value_name = "NUMBER")]
    since: Option<u64>,
    /// Wait for more events, until Ctrl-C.
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// At most so many.
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = door::operator(&arguments.flags, printer)?;
    exchange.settle()?;
    let filter = arguments.wanted.filter(&*exchange)?;
    let stream = Stream { exchange: &*exchange, filter, printer };
    let mut left = arguments.limit.unwrap_or(usize::MAX);
    let mut next = match arguments.since {
        Some(number) => number.saturating_add(1),
        None if arguments.follow => exchange.next_event()?,
        None => {
            let page =
                exchange.last_events(&stream.filter, arguments.limit.unwrap_or(COUNT_DEFAULT))?;
            stream.print(&page);
            stream.say_how_to_go_on(&page);
            return Ok(Exit::Success);
        }
    };
    loop {
        let version = exchange.version()?;
        let page = exchange.events(next, &stream.filter, left)?;
        stream.print(&page);
        next = page.next;
        left -= page.events.len();
        if !arguments.follow || left == 0 || printer.is_unread() {
            stream.say_how_to_go_on(&page);
            return Ok(Exit::Success);
        }
        while exchange.version()? == version {
            std::thread::sleep(exchange.patience());
            exchange.settle()?;
        }
    }
}

/// Where events come from, which of them, and where they go.
struct Stream<'a> {
    exchange: &'a dyn Door,
    filter: Filter,
    printer: &'a Printer,
}

impl Stream<'_> {
    fn print(&self, page: &Page) {
        let moment = self.exchange.moment();
        for event in &page.events {
            if self.printer.is_json() {
                self.printer.json(event);
            } else {
                self.printer.data(&event_line(event, moment));
            }
        }
    }

    fn say_how_to_go_on(&self, page: &Page) {
        if let Some(last) = page.next.checked_sub(1).filter(|_| !self.printer.is_json()) {
            self.printer.remark(&format!("Next: tasuki events --since {last}"));
        }
    }
}
