//! Fills an empty store from a file.

use std::collections::BTreeMap;
use std::io::BufRead;

use tasuki_engine::audit::log_check;
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::ports::Store;
use tasuki_engine::query::trail::Trail;

use crate::exchange_store::Location;
use crate::transfer::export::{MovedProject, listed};
use crate::transfer::line_reader::{LineReader, invalid};
use crate::transfer::page::{Cells, Page};
use crate::transfer::tables::PROJECT;
use crate::transfer::target::{self, Target};

/// Lines between two reports of progress.
const LINES_PER_REPORT: u64 = 1_000;

/// The progress of an import.
#[derive(Debug, Clone, Copy)]
pub enum Progress {
    /// Rows were read.
    Rows {
        /// The lines of the file that were read.
        lines: u64,
        /// The bytes of the file that were read.
        bytes: u64,
    },
    /// The log of a project is checked.
    Check {
        /// The leaves that were checked.
        done: u64,
        /// The leaves of the log.
        all: u64,
    },
}

/// A function that is told of progress.
type Report<'p> = dyn FnMut(Progress) + 'p;

/// The result of an import.
#[derive(Debug, Clone)]
pub struct ImportReport {
    /// The number of rows of each table in the file.
    pub rows: BTreeMap<String, u64>,
    /// The projects.
    pub projects: Vec<MovedProject>,
    /// The last line that an earlier, unfinished import had stored.
    pub resumed_after: Option<u64>,
}

/// Checks that a file is complete and unchanged.
///
/// # Errors
///
/// Fails if it is not, if it cannot be read, or if a newer program wrote it.
pub fn check_file(from: &mut dyn BufRead, report: &mut Report<'_>) -> Result<(), Error> {
    let (mut reader, _, _) = LineReader::open(from)?;
    while reader.skip()? {
        report_lines(&reader, report);
    }
    Ok(())
}

/// Fills an empty store with the rows of a file, or continues to. The log of every project is checked
/// before the store can be used.
///
/// This blocks, and must not be called on a thread that runs futures.
///
/// # Errors
///
/// Fails if the store is not empty, if the file is changed, truncated or of another kind, if the store
/// cannot be written, or if a log does not check out. The same file continues the import then.
pub fn import(
    into: &Location,
    from: &mut dyn BufRead,
    report: &mut Report<'_>,
) -> Result<ImportReport, Error> {
    let (mut reader, _, file) = LineReader::open(from)?;
    let mut target = target::open(into)?;
    let stored = target.begin(&file)?;
    let copied = copy(&mut reader, &mut *target, stored, report)?;
    let moved = check_logs(target.store(), &copied.projects, report)?;
    target.finish(copied.projects, copied.line)?;
    let resumed_after = (stored > 0).then_some(stored);
    Ok(ImportReport { rows: reader.rows(), projects: moved, resumed_after })
}

/// The result of copying the rows.
struct Copied {
    /// The rows that list the projects, which are stored last.
    projects: Vec<Cells>,
    /// The last line whose row is stored.
    line: u64,
}

/// Stores the rows after a line.
fn copy(
    reader: &mut LineReader<'_>,
    target: &mut dyn Target,
    stored: u64,
    report: &mut Report<'_>,
) -> Result<Copied, Error> {
    let mut projects = Vec::new();
    let mut page = Page::after(stored);
    while let Some(row) = reader.row()? {
        report_lines(reader, report);
        if row.table.name == PROJECT {
            projects.push(row.cells);
            continue;
        }
        if row.number <= stored {
            continue;
        }
        let project = row.project.map(|id| id.to_string());
        page.push(row.table, project.as_deref(), row.cells, row.number);
        if page.is_full() {
            let next = Page::after(page.last);
            write(target, std::mem::replace(&mut page, next))?;
        }
    }
    let line = page.last;
    if !page.is_empty() {
        write(target, page)?;
    }
    Ok(Copied { projects, line })
}

fn write(target: &mut dyn Target, page: Page) -> Result<(), Error> {
    let (first, last) = (page.after + 1, page.last);
    target.write(page).map_err(|fault| match fault.kind {
        // The database refused a value, although the line matches its check.
        FaultKind::Bug => {
            let message =
                format!("lines {first} to {last} of the file cannot be stored: {}", fault.message);
            invalid(message).hint("export again with this version of the program").into()
        }
        _ => fault.into(),
    })
}

fn report_lines(reader: &LineReader<'_>, report: &mut Report<'_>) {
    let lines = reader.number();
    if lines.is_multiple_of(LINES_PER_REPORT) {
        report(Progress::Rows { lines, bytes: reader.bytes() });
    }
}

/// Checks the log of every project.
fn check_logs(
    store: &dyn Store,
    projects: &[Cells],
    report: &mut Report<'_>,
) -> Result<Vec<MovedProject>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| {
        Fault::new(FaultKind::StoreUnavailable, format!("cannot start the runtime: {error}"))
    })?;
    let checked = projects.iter().map(|cells| {
        let (name, id) = listed(cells)?;
        let mut progress = |done, all| report(Progress::Check { done, all });
        let trail = Trail::default();
        let checked = runtime.block_on(log_check::check(store, id, 0, &trail, &mut progress))?;
        match checked.problem {
            None => Ok(MovedProject { name, id, leaves: checked.leaves, hash: checked.hash }),
            Some(problem) => {
                let message = format!(
                    "the log of project `{name}` is damaged at leaf {}: {}",
                    problem.n, problem.what
                );
                Err(invalid(message)
                    .hint("check the exported store with `tasuki log check`")
                    .into())
            }
        }
    });
    checked.collect()
}
