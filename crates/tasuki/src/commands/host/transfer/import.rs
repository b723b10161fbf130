//! `tasuki import`: fills an empty store from an exported file.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek as _};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use tasuki_store::transfer::{self, ImportReport, Progress};

use super::{described, is_standard_stream, progress, result, total};
use crate::backend::local::StorePlace;
use crate::backend::refusal::engine_failure;
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{GOOD, Printer};

/// LIMIT: bytes of the file that are read at once.
const BUFFER_BYTES: usize = 256 * 1_024;

/// Import an exported exchange.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki import exchange.jsonl\n  TASUKI_STORE=postgres://db.example/tasuki tasuki import exchange.jsonl\n\nThe target must be empty: a folder without an exchange, where `.tasuki/` is created, or a database without one. The file is checked first, and the log of every project before the exchange can be used. An import that was interrupted continues when it is run again with the same file; until then, every other command refuses to use the store.\n\nExit codes: 0 imported, 2 the file cannot be read, 3 the file is truncated, changed or no export, 6 the store is not empty, 7 the store is unavailable or the disk is full."
)]
pub(crate) struct Arguments {
    /// A file that `tasuki export` wrote, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })?;
    let settings = Settings::resolve(&arguments.flags, &Environment::of_process(), &folder)?;
    require_local(&settings)?;
    let file = (!is_standard_stream(&arguments.file))
        .then(|| checked_file(&arguments.file, printer))
        .transpose()?;
    let (place, _) = StorePlace::create(&folder, &settings)?;
    let report = if let Some((mut file, length)) = file {
        import(&place, &mut file, &progress::bar("Importing", length, printer), printer)?
    } else {
        let mut stdin = BufReader::with_capacity(BUFFER_BYTES, std::io::stdin().lock());
        import(&place, &mut stdin, &progress::counter("Importing", printer), printer)?
    };
    print(&report, &arguments.file, printer);
    Ok(Exit::Success)
}

/// Opens a file and checks it, so that a bad one leaves the store as it is. Returns its length.
fn checked_file(path: &Path, printer: &Printer) -> Result<(BufReader<File>, u64), Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!("cannot read {}: {}", path.display(), reason(&error)))
    };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let bar = progress::bar("Checking the file", length, printer);
    let checked = transfer::check_file(&mut file, &mut |progress| show(&bar, progress));
    bar.finish_and_clear();
    checked.map_err(engine_failure)?;
    file.rewind().map_err(failed)?;
    Ok((file, length))
}

fn import(
    place: &StorePlace,
    from: &mut dyn BufRead,
    rows: &ProgressBar,
    printer: &Printer,
) -> Result<ImportReport, Failure> {
    let mut logs: Option<ProgressBar> = None;
    let report = transfer::import(&place.location, from, &mut |progress| {
        if let Progress::Check { all, .. } = progress {
            rows.finish_and_clear();
            let bar = logs.get_or_insert_with(|| progress::bar("Checking the log", all, printer));
            show(bar, progress);
        } else {
            show(rows, progress);
        }
    });
    rows.finish_and_clear();
    if let Some(bar) = logs {
        bar.finish_and_clear();
    }
    report.map_err(engine_failure)
}

/// Moves a bar: one with a length counts bytes, one without counts lines.
fn show(bar: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Rows { bytes, .. } if bar.length().is_some() => bar.set_position(bytes),
        Progress::Rows { lines, .. } => bar.set_position(lines),
        Progress::Check { done, all } => {
            bar.set_length(all);
            bar.set_position(done);
        }
    }
}

fn print(report: &ImportReport, file: &Path, printer: &Printer) {
    if printer.is_json() {
        let mut shown = result(file, &report.rows, &report.projects);
        shown["resumed_after_line"] = report.resumed_after.into();
        printer.json(&shown);
        return;
    }
    if let Some(line) = report.resumed_after {
        printer.remark(&format!("Continued an unfinished import after line {line}"));
    }
    for project in &report.projects {
        printer.data(&format!("{GOOD}✓{GOOD:#} Imported {}\n", described(project)));
    }
    printer.data(&format!(
        "{GOOD}✓{GOOD:#} Stored {} rows; every log is intact\n",
        total(&report.rows)
    ));
    printer.remark("Next: tasuki doctor");
}
