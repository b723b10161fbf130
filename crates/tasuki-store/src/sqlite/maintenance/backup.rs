//! Backup while the store is in use.
//!
//! SQLite copies all pages inside one read transaction, so that a backup is a consistent snapshot.
//! It gets its final name once it is durable.
//!
//! Not here: restoring a backup (see `restore`), and the blobs beside a database.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::id::ProjectId;

use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::{StoreOperation, fault};
use crate::sqlite::files::{
    create_directory, create_file, display_path, parent_of, project_file, sync_file,
};
use crate::sqlite::maintenance::atomic_dir::{AtomicDir, rename};
use crate::sqlite::maintenance::doctor::{check_exchange_rows, is_about_search};
use crate::sqlite::migrate;
use crate::sqlite::project::load_head;
use crate::sqlite::statements::Kind;

const ANOTHER_PATH_HINT: &str = "choose another path";

/// Copies one database to a new file, as one snapshot.
pub(crate) fn back_up(from: &Path, to: &Path) -> Result<(), Error> {
    refuse_if_exists(to, ANOTHER_PATH_HINT)?;
    let staged = AtomicDir::beside(to)?;
    let copy = staged.path().join("copy.db");
    copy_to(from, &copy, Kind::Project)?;
    Ok(rename(&copy, to)?)
}

/// Copies `exchange.db` and the projects it lists to a new directory.
pub(crate) fn back_up_all(from: &Path, to: &Path) -> Result<(), Error> {
    refuse_if_exists(to, ANOTHER_PATH_HINT)?;
    let staged = AtomicDir::beside(to)?;
    let exchange = staged.path().join("exchange.db");
    copy_to(&from.join("exchange.db"), &exchange, Kind::Exchange)?;
    // The list of the copy counts: a project created since is not part of this backup.
    for (_, project) in listed_projects(&exchange)? {
        let below = project_file(project);
        create_directory(parent_of(&staged.path().join(&below)))?;
        copy_to(&from.join(&below), &staged.path().join(&below), Kind::Project)?;
    }
    Ok(staged.rename(to)?)
}

/// Copies one database. Refuses a copy that could not be restored.
fn copy_to(from: &Path, to: &Path, kind: Kind) -> Result<(), Fault> {
    copy(&Database::open(from, Access::Read)?, to)?;
    if let Some(damage) = find_damage(to, kind)? {
        let message = format!("`{}` is {damage}; no backup was made", display_path(from));
        return Err(Fault::new(FaultKind::Corrupt, message).hint("run `tasuki doctor` for details"));
    }
    sync_file(to)
}

/// Returns the reason why a copy cannot be restored, if there is one.
pub(crate) fn find_damage(copy: &Path, kind: Kind) -> Result<Option<String>, Fault> {
    let database = Database::open(copy, Access::Write)?;
    if migrate::check_all(&database, kind)? == 0 {
        return Ok(Some("empty".to_owned()));
    }
    let mut problems = database.problems("quick_check")?;
    // The full-text index can be rebuilt after the restore.
    problems.retain(|problem| !is_about_search(problem));
    match kind {
        Kind::Project => drop(load_head(&database)?),
        Kind::Exchange if problems.is_empty() => {
            problems.extend(check_exchange_rows(&database)?.into_iter().map(|found| found.message));
        }
        Kind::Exchange => {}
    }
    Ok(problems.first().map(|problem| format!("damaged: {problem}")))
}

fn copy(source: &Database, to: &Path) -> Result<(), Fault> {
    create_file(to)?;
    let mut target = Connection::open(to)
        .map_err(|error| fault(&error, StoreOperation::Opening, &display_path(to)))?;
    copy_into(source, &mut target, &display_path(to))?;
    target
        .close()
        .map_err(|(_, error)| fault(&error, StoreOperation::Committing, &display_path(to)))
}

/// Copies all pages, as one transaction of the target.
pub(crate) fn copy_into(source: &Database, target: &mut Connection, to: &str) -> Result<(), Fault> {
    let copying = |error: rusqlite::Error| fault(&error, StoreOperation::Running("backup"), to);
    let backup = Backup::new(source.connection(), target).map_err(copying)?;
    // All pages in one step: the writer is not blocked, and a second read would see another state.
    if backup.step(-1).map_err(copying)? == StepResult::Done {
        return Ok(());
    }
    let message = format!("`{to}` is in use");
    Err(Fault::new(FaultKind::StoreBusy, message)
        .hint("stop the process that uses it and try again"))
}

/// Returns the projects that an `exchange.db` lists.
pub(crate) fn listed_projects(exchange: &Path) -> Result<Vec<(String, ProjectId)>, Fault> {
    Exchange::open(exchange)?.projects()
}

pub(crate) fn refuse_if_exists(path: &Path, hint: &str) -> Result<(), Refusal> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let message = format!("`{}` already exists", display_path(path));
    Err(Refusal::new(RefusalCode::StoreTaken, message).hint(hint))
}
