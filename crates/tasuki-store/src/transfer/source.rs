//! The store that an export reads.

use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;

use crate::exchange_store::Location;
use crate::postgres::PostgresStore;
use crate::transfer::page::Cells;
use crate::transfer::tables::Table;
use crate::{Options, SqliteStore};

/// A function that takes the rows, one at a time.
pub(super) type Visit<'v> = dyn FnMut(&'static Table, Cells) -> Result<(), Fault> + 'v;

/// A store whose rows can be read.
pub(super) trait Source {
    /// Reads the rows of a project, or those that all projects share, as one snapshot. The rows of a
    /// table come in the order of its key.
    fn read(&self, project: Option<ProjectId>, visit: &mut Visit<'_>) -> Result<(), Fault>;
}

/// Opens a store for an export.
pub(super) fn open(location: &Location) -> Result<Box<dyn Source>, Fault> {
    let options = Options::default();
    Ok(match location {
        Location::Directory(path) => Box::new(SqliteStore::open(path, options)?),
        Location::Postgres(url) => Box::new(PostgresStore::open((**url).clone(), options)?),
    })
}
