//! Backup while the store is in use.
//!
//! A backup is made by SQLite page by page inside one read transaction, so that it is the state of
//! one moment, and gets its name when it is on the disk.
//!
//! Not here: bringing it back (see `restore`), and the blobs beside a database.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::id::ProjectId;

use crate::maintenance::atomic_dir::{Partial, rename};
use crate::maintenance::doctor::{is_about_words, wrong_shared_rows};
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::{Doing, fault};
use crate::sqlite::files::{folder_of, make_directory, make_file, place, project_file, sync_file};
use crate::sqlite::migrate;
use crate::sqlite::project::load_head;
use crate::sqlite::statements::Kind;

const ANOTHER_PLACE: &str = "name another place";

/// Copies one database, as it is at one moment, to a file that is not there yet.
pub(crate) fn back_up(from: &Path, to: &Path) -> Result<(), Error> {
    refuse_if_there(to, ANOTHER_PLACE)?;
    let partial = Partial::beside(to)?;
    let copy = partial.path().join("copy.db");
    copy_to(from, &copy, Kind::Project)?;
    Ok(rename(&copy, to)?)
}

/// Copies `exchange.db` and the projects it lists to a directory that is not there yet.
pub(crate) fn back_up_all(from: &Path, to: &Path) -> Result<(), Error> {
    refuse_if_there(to, ANOTHER_PLACE)?;
    let partial = Partial::beside(to)?;
    let exchange = partial.path().join("exchange.db");
    copy_to(&from.join("exchange.db"), &exchange, Kind::Exchange)?;
    // Those that the copy lists: one that was made since then is not in this backup.
    for (_, project) in listed(&exchange)? {
        let below = project_file(project);
        make_directory(folder_of(&partial.path().join(&below)))?;
        copy_to(&from.join(&below), &partial.path().join(&below), Kind::Project)?;
    }
    Ok(partial.rename(to)?)
}

/// A copy that could not be brought back is no backup.
fn copy_to(from: &Path, to: &Path, kind: Kind) -> Result<(), Fault> {
    copy(&Database::open(from, Access::Read)?, to)?;
    if let Some(damage) = damage(to, kind)? {
        let message = format!("`{}` is {damage}; no backup was made", place(from));
        return Err(Fault::new(FaultKind::Corrupt, message).hint("`tasuki doctor` says more"));
    }
    sync_file(to)
}

/// Why a copy cannot be brought back, if that is so.
pub(crate) fn damage(copy: &Path, kind: Kind) -> Result<Option<String>, Fault> {
    let database = Database::open(copy, Access::Write)?;
    if migrate::check_all(&database, kind)? == 0 {
        return Ok(Some("empty".to_owned()));
    }
    let mut problems = database.problems("quick_check")?;
    // The index of words can be made anew after it was brought back.
    problems.retain(|problem| !is_about_words(problem));
    match kind {
        Kind::Project => drop(load_head(&database)?),
        Kind::Exchange if problems.is_empty() => {
            problems.extend(wrong_shared_rows(&database)?.into_iter().map(|found| found.message));
        }
        Kind::Exchange => {}
    }
    Ok(problems.first().map(|problem| format!("damaged: {problem}")))
}

fn copy(source: &Database, to: &Path) -> Result<(), Fault> {
    make_file(to)?;
    let mut target =
        Connection::open(to).map_err(|error| fault(&error, Doing::Opening, &place(to)))?;
    copy_into(source, &mut target, &place(to))?;
    target.close().map_err(|(_, error)| fault(&error, Doing::Committing, &place(to)))
}

/// Copies all pages, as one transaction of the target.
pub(crate) fn copy_into(source: &Database, target: &mut Connection, to: &str) -> Result<(), Fault> {
    let copying = |error: rusqlite::Error| fault(&error, Doing::Running("backup"), to);
    let backup = Backup::new(source.connection(), target).map_err(copying)?;
    // All pages in one go: the writer is not in the way, and a second read would see another state.
    if backup.step(-1).map_err(copying)? == StepResult::Done {
        return Ok(());
    }
    let message = format!("`{to}`: it is in use");
    Err(Fault::new(FaultKind::StoreBusy, message).hint("stop what uses it and try again"))
}

/// The projects that a file lists.
pub(crate) fn listed(exchange: &Path) -> Result<Vec<(String, ProjectId)>, Fault> {
    Exchange::open(exchange)?.projects()
}

pub(crate) fn refuse_if_there(path: &Path, hint: &str) -> Result<(), Refusal> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let message = format!("`{}` is there already", place(path));
    Err(Refusal::new(RefusalCode::StoreTaken, message).hint(hint))
}
