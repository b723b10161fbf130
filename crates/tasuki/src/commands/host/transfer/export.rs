//! `tasuki export`: writes all rows of the exchange to a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tasuki_store::transfer::{self, ExportReport, Origin};

use super::{described, is_standard_stream, progress, result, total};
use crate::backend::local::StorePlace;
use crate::backend::refusal::fault_failure;
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::{create_private_file, sync_dir};
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{GOOD, Printer};

/// Export the exchange to a file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki export exchange.jsonl\n  tasuki export - | TASUKI_STORE=postgres://db.example/tasuki tasuki import -\n\nThe file has all projects, with their logs and snapshots, and the passwords of people as hashes; `tasuki import` reads it into an empty store. Sessions are left out, so people sign in again. The exchange stays in use, and what is written after the export is not in the file; stop servers and agents before a move.\n\nThe file contains secrets. It is created for its owner only (mode 0600); delete it after the move.\n\nExit codes: 0 exported, 2 the file exists or cannot be written, 7 the exchange is unavailable, damaged, or the disk is full."
)]
pub(crate) struct Arguments {
    /// The new file to write, or `-` for stdout.
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
    let place = StorePlace::find(&folder, &settings)?;
    let is_stdout = is_standard_stream(&arguments.file);
    let report = if is_stdout {
        write(&place, &mut std::io::stdout().lock(), "stdout", printer)?
    } else {
        write_file(&place, &arguments.file, printer)?
    };
    print(&report, &arguments.file, is_stdout, printer);
    Ok(Exit::Success)
}

/// Writes a new file. If the export fails, no file is left.
fn write_file(place: &StorePlace, path: &Path, printer: &Printer) -> Result<ExportReport, Failure> {
    let failed = |error: std::io::Error| {
        let failure = Failure::of_file(format!("cannot write {}", path.display()), &error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                failure.hint("choose another name, or remove the file")
            }
            _ => failure,
        }
    };
    let mut file = create_private_file(path).map_err(failed)?;
    let written = write(place, &mut file, &path.display().to_string(), printer)
        .and_then(|report| keep(&file, path).map(|()| report).map_err(failed));
    if written.is_err() {
        // The error of the export is the one to report.
        drop(std::fs::remove_file(path));
    }
    written
}

/// Makes a file and its name durable.
fn keep(file: &File, path: &Path) -> std::io::Result<()> {
    file.sync_all()?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_dir(folder),
        _ => sync_dir(Path::new(".")),
    }
}

fn write(
    place: &StorePlace,
    to: &mut dyn Write,
    name: &str,
    printer: &Printer,
) -> Result<ExportReport, Failure> {
    let origin = Origin { program: env!("CARGO_PKG_VERSION").to_owned(), at: Timestamp::now() };
    let bar = progress::counter("Exporting", printer);
    let mut to = BufWriter::with_capacity(256 * 1_024, to);
    let report = transfer::export(&place.location, &origin, &mut to, name, &mut |rows| {
        bar.set_position(rows);
    });
    bar.finish_and_clear();
    report.map_err(|fault| fault_failure(&fault))
}

fn print(report: &ExportReport, file: &Path, is_stdout: bool, printer: &Printer) {
    let rows = total(&report.rows);
    if is_stdout {
        // Stdout has the rows.
        printer.remark(&format!("Exported {rows} rows"));
        for project in &report.projects {
            printer.remark(&format!("Exported {}", described(project)));
        }
        return;
    }
    if printer.is_json() {
        printer.json(&result(file, &report.rows, &report.projects));
        return;
    }
    for project in &report.projects {
        printer.data(&format!("{GOOD}✓{GOOD:#} Exported {}\n", described(project)));
    }
    printer.data(&format!(
        "{GOOD}✓{GOOD:#} Wrote {rows} rows to {}, which contains secrets\n",
        file.display()
    ));
    printer.remark("Next: tasuki import FILE, in a new folder or with TASUKI_STORE=postgres://…");
}
