//! Fills a store on SQLite.
//!
//! The rows of a project and the marker are in different databases. The rows are committed first: if the
//! process is killed between both commits, the page is written again, over the same rows. The transaction
//! on `exchange.db` stays open meanwhile, so that no other process imports.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ToSql, params_from_iter};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::ports::{SnapshotRecord, Store};
use tasuki_packet::id::ProjectId;

use crate::SqliteStore;
use crate::row;
use crate::row::integer;
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::fault::{StoreOperation, fault};
use crate::sqlite::files::{create_directory, parent_of, project_file};
use crate::sqlite::maintenance::orphaned_projects::projects_on_disk;
use crate::sqlite::migrate;
use crate::sqlite::statements::{self, Kind};
use crate::transfer::page::{Cell, Cells, Chunk, Page};
use crate::transfer::statements::sqlite_insert;
use crate::transfer::tables::{PROJECT, SNAPSHOT, Table};
use crate::transfer::target::{Target, moved_elsewhere, resume};

/// A store, and the project that is being written.
pub(super) struct SqliteTarget {
    store: SqliteStore,
    current: Option<Current>,
}

/// The database of a project.
struct Current {
    project: String,
    database: Database,
}

impl SqliteTarget {
    pub(super) fn new(store: SqliteStore) -> Self {
        Self { store, current: None }
    }
}

/// Writes the rows of a page. Those of projects are durable when this returns.
fn write_page(
    store: &SqliteStore,
    exchange: &Database,
    current: &mut Option<Current>,
    page: &Page,
) -> Result<(), Fault> {
    for chunk in &page.chunks {
        match &chunk.project {
            None => write_rows(exchange, chunk.table, None, &chunk.rows)?,
            Some(project) if chunk.table.name == SNAPSHOT => {
                write_snapshots(store, project, chunk)?;
            }
            Some(project) => {
                let database = in_transaction(store, current, project)?;
                write_rows(database, chunk.table, Some(project), &chunk.rows)?;
            }
        }
    }
    current.as_ref().map_or(Ok(()), |current| commit(&current.database))
}

/// Returns the database of a project with an open transaction, and commits that of another one.
fn in_transaction<'c>(
    store: &SqliteStore,
    current: &'c mut Option<Current>,
    project: &str,
) -> Result<&'c Database, Fault> {
    let next = match current.take() {
        Some(same) if same.project == project => same,
        other => {
            other.map_or(Ok(()), |other| commit(&other.database))?;
            Current { project: project.to_owned(), database: create(store, project)? }
        }
    };
    if next.database.connection().is_autocommit() {
        next.database.begin()?;
    }
    Ok(&current.insert(next).database)
}

/// Commits the transaction of a database, if one is open.
fn commit(database: &Database) -> Result<(), Fault> {
    if database.connection().is_autocommit() { Ok(()) } else { database.commit() }
}

fn create(store: &SqliteStore, project: &str) -> Result<Database, Fault> {
    let path = store.directory().join(project_file(project_id(project)?));
    create_directory(parent_of(&path))?;
    let database = Database::open(&path, Access::Write)?;
    migrate::migrate(&database, Kind::Project)?;
    Ok(database)
}

fn write_snapshots(store: &SqliteStore, project: &str, chunk: &Chunk) -> Result<(), Fault> {
    let id = project_id(project)?;
    for cells in &chunk.rows {
        let [Cell::Text(task), _, _, Cell::Text(record), Cell::Blob(bundle)] = &cells[..] else {
            return Err(Fault::new(FaultKind::Bug, "a snapshot has no bundle"));
        };
        let record: SnapshotRecord = serde_json::from_str(record).map_err(|error| {
            Fault::new(FaultKind::Bug, format!("a snapshot has an invalid record: {error}"))
        })?;
        store.put_snapshot(id, task, record, bundle)?;
    }
    Ok(())
}

impl Target for SqliteTarget {
    fn begin(&mut self, file: &str) -> Result<u64, Error> {
        let on_disk = projects_on_disk(&self.store.directory().join("projects"))?;
        let begun = self.store.exchange.with_connection(|database| {
            database.begin()?;
            let unfinished = database.first(&statements::PROJECT_IMPORT_LOAD, [], row::import)?;
            let projects = database.all(&statements::PROJECT_LIST, [], row::project)?;
            let people = database.all(&statements::PERSON_SCAN, [], row::person_name)?;
            let is_empty = projects.is_empty() && people.is_empty() && on_disk.is_empty();
            let begun = match resume(unfinished, file, is_empty) {
                Ok(Some(line)) => Ok(line),
                Ok(None) => {
                    database.run(&statements::PROJECT_IMPORT_INSERT, [file])?;
                    Ok(0)
                }
                Err(refusal) => Err(refusal),
            };
            database.commit()?;
            Ok(begun)
        })?;
        Ok(begun?)
    }

    fn write(&mut self, page: Page) -> Result<(), Fault> {
        let Self { store, current } = self;
        let written = store.exchange.with_connection(|exchange| {
            exchange.begin()?;
            let lines = [integer(page.last), integer(page.after)];
            if exchange.run(&statements::PROJECT_IMPORT_ADVANCE, lines)? != 1 {
                return Err(moved_elsewhere());
            }
            write_page(store, exchange, current, &page)?;
            exchange.commit()
        });
        if written.is_err() {
            // Closing a connection rolls its transaction back.
            self.current = None;
        }
        written
    }

    fn finish(&mut self, projects: Vec<Cells>, line: u64) -> Result<(), Fault> {
        self.current = None;
        let table = Table::named(PROJECT);
        self.store.exchange.with_connection(|database| {
            database.begin()?;
            if database.run(&statements::PROJECT_IMPORT_DELETE, [integer(line)])? != 1 {
                return Err(moved_elsewhere());
            }
            table.map_or(Ok(()), |table| write_rows(database, table, None, &projects))?;
            database.commit()
        })
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }
}

/// Writes rows in the open transaction of a database.
fn write_rows(
    database: &Database,
    table: &Table,
    project: Option<&str>,
    rows: &[Cells],
) -> Result<(), Fault> {
    let failed = |error: rusqlite::Error| {
        fault(&error, StoreOperation::Running(table.name), &database.display_path())
    };
    let mut insert = database.connection().prepare_cached(&sqlite_insert(table)).map_err(failed)?;
    // Only the head has the project as a column.
    let project = project.filter(|_| table.key.is_empty()).map(|id| Cell::Text(id.to_owned()));
    for cells in rows {
        insert.execute(params_from_iter(project.iter().chain(cells))).map_err(failed)?;
    }
    Ok(())
}

fn project_id(project: &str) -> Result<ProjectId, Fault> {
    project
        .parse()
        .ok()
        .ok_or_else(|| Fault::new(FaultKind::Bug, format!("`{project}` is not a project")))
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
