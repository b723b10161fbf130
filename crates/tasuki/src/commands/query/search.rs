//! `tasuki search`: finds packets, checkpoints, returns and reasons by words.

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::escape::excerpt;
use crate::output::handoff::{short_id, short_ref};
use crate::output::printer::{Printer, counted};
use crate::output::table::columns;
use crate::output::width::truncate;

/// LIMIT: columns of an excerpt.
const EXCERPT_COLUMNS_MAX: usize = 70;

/// Search packets and events.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki search checkout timeout\n  tasuki search deploy --limit 5 --json\n\nFinds texts with all words, newest first. A word also matches the start of a longer word; case does not matter. Packets that a gate hides from you are left out."
)]
pub(crate) struct Arguments {
    /// The words.
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// The maximum number of results.
    #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    let words = arguments.words.join(" ");
    let found = exchange.search(&words, arguments.limit)?;
    if printer.is_json() {
        for one in &found {
            printer.json(one);
        }
        return Ok(Exit::Success);
    }
    let Some(first) = found.first() else {
        printer.remark("No results.");
        return Ok(Exit::Success);
    };
    let mut rows = vec![["EVENT", "HANDOFF", "IN", "TEXT"].map(str::to_owned)];
    rows.extend(found.iter().map(|one| {
        let text = one.excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = truncate(&excerpt(&text), EXCERPT_COLUMNS_MAX);
        let id = one.handoff.as_deref().map(short_id).unwrap_or_default();
        [one.n.to_string(), id, one.kind.clone(), text]
    }));
    printer.data(&columns(&rows));
    let next = first.handoff.as_deref().map(|id| format!(" Next: tasuki show {}", short_ref(id)));
    printer.remark(&format!("{}.{}", counted(found.len(), "result"), next.unwrap_or_default()));
    Ok(Exit::Success)
}
