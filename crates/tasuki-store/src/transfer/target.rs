//! The store that an import fills.

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::ports::Store;
use tasuki_engine::refusal::{Refusal, RefusalCode};

use crate::SqliteStore;
use crate::exchange_store::Location;
use crate::postgres::PostgresStore;
use crate::transfer::page::{Cells, Page};
use crate::transfer::sqlite_target::SqliteTarget;

/// A store that can take rows.
pub(super) trait Target {
    /// Begins an import into an empty store, or continues that of the same file. Returns the last line
    /// whose row is stored.
    fn begin(&mut self, file: &str) -> Result<u64, Error>;

    /// Stores a page and moves the marker on. If it fails, all or nothing of the page is stored, and the
    /// import can be continued.
    fn write(&mut self, page: Page) -> Result<(), Fault>;

    /// Lists the projects and removes the marker, which is at this line.
    fn finish(&mut self, projects: Vec<Cells>, line: u64) -> Result<(), Fault>;

    /// Returns the store for checks.
    fn store(&self) -> &dyn Store;
}

/// Opens a store for an import, and creates it if it is missing.
pub(super) fn open(location: &Location) -> Result<Box<dyn Target>, Fault> {
    Ok(match location {
        Location::Directory(path) => {
            Box::new(SqliteTarget::new(SqliteStore::open_for_import(path)?))
        }
        Location::Postgres(url) => Box::new(PostgresStore::open_for_import((**url).clone())?),
    })
}

/// Decides about an import into a store with or without an unfinished one. Returns the line to continue
/// after, or `None` to begin.
pub(super) fn resume(
    unfinished: Option<(String, u64)>,
    file: &str,
    is_empty: bool,
) -> Result<Option<u64>, Refusal> {
    match unfinished {
        Some((known, line)) if known == file => Ok(Some(line)),
        Some(_) => Err(Refusal::new(
            RefusalCode::StoreTaken,
            "the import of another file into this store is not finished",
        )
        .hint("run `tasuki import` with that file again to finish it, or use an empty store")),
        None if is_empty => Ok(None),
        None => Err(Refusal::new(RefusalCode::StoreTaken, "the store is not empty")
            .hint("an import needs an empty store: another directory, or another schema")),
    }
}

/// Returns the fault of an import whose marker another process moved.
pub(super) fn moved_elsewhere() -> Fault {
    Fault::new(FaultKind::StoreBusy, "another process imports into this store")
        .hint("wait until it is done")
}
