//! `tasuki log`: checks or prints the log of the project.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Subcommand;
use serde_json::Value;
use tasuki_api::LogCheckReport;
use tasuki_engine::query::trail::{Trail, TrailEntry};
use tasuki_packet::read::Source;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::input::value_parsers::limit;
use crate::output::printer::{BAD, GOOD, Printer};

/// Check or print the log.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the integrity of the log.
    #[command(
        after_help = "Examples:\n  tasuki log check\n  tasuki log check --from 18000\n  tasuki log check --trail audit.json\n\nChecks every entry: hashes, numbers, times, the history of each handoff, every document against its commitment, and contracts, gates and rules against their publication. `--trail` compares an audit trail, as exported by `tasuki show ID --trail --json` or `tasuki resume ID --as-packet`, with the log.\n\nExit codes: 0 intact, 1 damaged, 2 the file has no audit trail, 3 there is no such entry, 7 the exchange is unavailable."
    )]
    Check {
        /// Start at this entry; earlier ones are trusted.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        from: u64,
        /// An exported audit trail to compare with the log.
        #[arg(long, value_name = "FILE")]
        trail: Option<PathBuf>,
        #[command(flatten)]
        flags: Flags,
    },
    /// Print the entries, exactly as they were hashed.
    #[command(
        after_help = "Examples:\n  tasuki log show\n  tasuki log show --from 18000 --limit 10"
    )]
    Show {
        /// Start at this entry.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        from: u64,
        /// The maximum number of entries.
        #[arg(long, value_name = "COUNT", value_parser = limit::<u64>)]
        limit: Option<u64>,
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Check { from, trail, flags } => {
            let exchange = backend::open_anonymous(flags)?;
            let trail = trail.as_deref().map(read_trail).transpose()?;
            let began = Instant::now();
            let checked = exchange.check_log(*from, trail.as_ref())?;
            Ok(print(&checked, began, printer))
        }
        Command::Show { from, limit, flags } => {
            show(&*backend::open_anonymous(flags)?, *from, *limit, printer)
        }
    }
}

fn print(checked: &LogCheckReport, began: Instant, printer: &Printer) -> Exit {
    let seconds = began.elapsed().as_secs_f64();
    let exit = if checked.intact { Exit::Success } else { Exit::Found };
    if printer.is_json() {
        printer.json(checked);
        return exit;
    }
    match &checked.problem {
        None => printer.data(&format!(
            "{GOOD}✓{GOOD:#} The log is intact: {} ({seconds:.2} s), head {}\n",
            counts(checked),
            checked.hash
        )),
        Some(problem) if checked.is_of_trail => {
            let leaf = checked.first_bad.unwrap_or_default();
            printer.data(&format!("{BAD}✗{BAD:#} entry {leaf}: {problem}\n"));
            printer
                .remark("The trail and the log differ. `tasuki log check` checks the log alone.");
        }
        Some(problem) => {
            let leaf = checked.first_bad.unwrap_or_default();
            printer.data(&format!("{BAD}✗{BAD:#} The log is damaged at entry {leaf}: {problem}\n"));
            printer.remark(&format!("{} before it are intact.", counts(checked)));
            printer.remark("Next: tasuki doctor");
        }
    }
    exit
}

/// Formats the counts: `12 entries and 4 documents`.
pub(crate) fn counts(checked: &LogCheckReport) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let (leaves, documents) = (checked.leaves, checked.documents);
    format!(
        "{leaves} {} and {documents} document{}",
        if leaves == 1 { "entry" } else { "entries" },
        plural(documents)
    )
}

/// Reads a trail: a list in JSON, or the `audit_trail` of a packet or document.
fn read_trail(file: &Path) -> Result<Trail, Failure> {
    let bytes = file::bytes(file)?;
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("{} has no audit trail: {error}", file.display()))
            .hint("`tasuki show ID --trail --json` writes one")
    };
    let mut value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        // It may be a packet in another form.
        Err(error) => packet_value(&bytes).ok_or_else(|| wrong(&error))?,
    };
    let named = value.get_mut("handoff").map(Value::take);
    let handoff = named.map(serde_json::from_value).transpose().map_err(|error| wrong(&error))?;
    if let Some(trail) = value.get_mut("audit_trail") {
        value = trail.take();
    }
    let entries: Vec<TrailEntry> = serde_json::from_value(value).map_err(|error| wrong(&error))?;
    if entries.is_empty() {
        return Err(wrong(&"it is empty"));
    }
    Ok(Trail { handoff, entries })
}

fn packet_value(bytes: &[u8]) -> Option<Value> {
    Some(Source::packet(bytes).ok()?.read_packet().ok()?.to_value())
}

fn show(
    exchange: &dyn Backend,
    from: u64,
    limit: Option<u64>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    const PAGE: u32 = 1_000;
    let mut next = from;
    let end = limit.map_or(u64::MAX, |limit| from.saturating_add(limit));
    while next < end && !printer.is_reader_gone() {
        let count = u32::try_from((end - next).min(u64::from(PAGE))).unwrap_or(PAGE);
        let leaves = exchange.leaves(next, count)?;
        if leaves.is_empty() {
            break;
        }
        // Leaves are numbered without a gap.
        next += u64::try_from(leaves.len()).unwrap_or(u64::MAX);
        for leaf in &leaves {
            printer.data(&format!("{leaf}\n"));
        }
    }
    Ok(Exit::Success)
}
