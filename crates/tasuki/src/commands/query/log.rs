//! `tasuki log`: the project's log, and whether everything still holds to it.

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

/// Check the log, or print it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Recompute everything, and name the first leaf that is wrong.
    #[command(
        after_help = "Examples:\n  tasuki log check\n  tasuki log check --from 18000\n  tasuki log check --trail audit.json\n\nEvery leaf is read again: hashes, numbers, times, the history of each handoff, every document against its commitment, contracts, gates and rules against their publication. `--trail` compares the audit trail that `tasuki show ID --trail --json` or `tasuki resume ID --as-packet` has exported with the log.\n\nExit codes: 0 intact, 1 something is wrong, 2 the file holds no audit trail, 3 there is no such leaf, 7 the exchange is away."
    )]
    Check {
        /// Begin with this leaf; those before it are believed.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        from: u64,
        /// An audit trail that somebody has kept.
        #[arg(long, value_name = "FILE")]
        trail: Option<PathBuf>,
        #[command(flatten)]
        flags: Flags,
    },
    /// Print the leaves, exactly as they were hashed.
    #[command(
        after_help = "Examples:\n  tasuki log show\n  tasuki log show --from 18000 --limit 10"
    )]
    Show {
        /// Begin with this leaf.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        from: u64,
        /// At most so many.
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
            "{GOOD}✓{GOOD:#} {}, log intact, ends with {}  ({seconds:.2} s)\n",
            counts(checked),
            checked.hash
        )),
        Some(problem) if checked.is_of_trail => {
            let leaf = checked.first_bad.unwrap_or_default();
            printer.data(&format!("{BAD}✗{BAD:#} leaf {leaf}: {problem}\n"));
            printer.remark("One of the two was changed. `tasuki log check` alone says whether the log is whole.");
        }
        Some(problem) => {
            let leaf = checked.first_bad.unwrap_or_default();
            printer.data(&format!("{BAD}✗{BAD:#} leaf {leaf}: {problem}\n"));
            printer.remark(&format!("{} before it are good", counts(checked)));
            printer.remark("Next: tasuki doctor says what can be repaired");
        }
    }
    exit
}

/// `12 leaves and 4 documents`.
pub(crate) fn counts(checked: &LogCheckReport) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let (leaves, documents) = (checked.leaves, checked.documents);
    format!(
        "{leaves} {} and {documents} document{}",
        if leaves == 1 { "leaf" } else { "leaves" },
        plural(documents)
    )
}

/// The entries of a trail: a list in JSON, or a packet or document that has one as `audit_trail`.
fn read_trail(file: &Path) -> Result<Trail, Failure> {
    let bytes = file::bytes(file)?;
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("{} holds no audit trail: {error}", file.display()))
            .hint("`tasuki show ID --trail --json` writes one")
    };
    let mut value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        // A packet may be written in other forms.
        Err(error) => packet_value(&bytes).ok_or_else(|| wrong(&error))?,
    };
    let named = value.get_mut("handoff").map(Value::take);
    let handoff = named.map(serde_json::from_value).transpose().map_err(|error| wrong(&error))?;
    if let Some(trail) = value.get_mut("audit_trail") {
        value = trail.take();
    }
    let entries: Vec<TrailEntry> = serde_json::from_value(value).map_err(|error| wrong(&error))?;
    if entries.is_empty() {
        return Err(wrong(&"it has no entry"));
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
