//! Reads the rows of a store on SQLite.

use rusqlite::Row;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::Snapshots as _;
use tasuki_packet::id::ProjectId;

use crate::SqliteStore;
use crate::row;
use crate::row::integer;
use crate::sqlite::connection::Database;
use crate::sqlite::fault::{StoreOperation, fault};
use crate::transfer::page::{Cell, cells};
use crate::transfer::source::{Source, Visit};
use crate::transfer::statements::sqlite_select;
use crate::transfer::tables::{SNAPSHOT, Scope, Table};

impl Source for SqliteStore {
    fn read(&self, project: Option<ProjectId>, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let Some(id) = project else {
            let database = self.exchange.open_for_check()?;
            database.begin_read()?;
            return read_tables(&database, Scope::Exchange, visit);
        };
        self.project(id)?.check(|database| read_tables(database, Scope::Project, visit))?;
        read_snapshots(self, id, visit)
    }
}

fn read_tables(database: &Database, scope: Scope, visit: &mut Visit<'_>) -> Result<(), Fault> {
    for table in Table::of(scope).filter(|table| table.name != SNAPSHOT) {
        let failed = |error: rusqlite::Error| {
            fault(&error, StoreOperation::Running(table.name), &database.display_path())
        };
        let mut select = database.connection().prepare(&sqlite_select(table)).map_err(failed)?;
        let mut rows = select.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            check(table, row)?;
            visit(table, cells(table, row)?)?;
        }
    }
    Ok(())
}

/// Refuses a damaged row: the import would compute a new checksum for it.
fn check(table: &'static Table, row: &Row<'_>) -> Result<(), Fault> {
    if row.get(table.columns.len()).unwrap_or(false) {
        return Ok(());
    }
    let key = table.key.iter().map(|name| match row.get_ref(*name) {
        Ok(rusqlite::types::ValueRef::Integer(integer)) => integer.to_string(),
        Ok(rusqlite::types::ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        _ => "?".to_owned(),
    });
    let key: Vec<String> = key.collect();
    Err(row::corrupt(table.name, &key.join("@"), "checksum", "does not match the row"))
}

/// Reads the snapshots of work trees, which are files beside the database. One that is removed
/// meanwhile is left out.
fn read_snapshots(
    store: &SqliteStore,
    project: ProjectId,
    visit: &mut Visit<'_>,
) -> Result<(), Fault> {
    let Some(table) = Table::named(SNAPSHOT) else { return Ok(()) };
    for (task, snapshot) in store.all_snapshots(project)? {
        let Some(bundle) = store.bundle(project, &task, snapshot.number)? else { continue };
        let record = serde_json::to_string(&snapshot).map_err(|error| {
            Fault::new(FaultKind::Bug, format!("cannot write a snapshot: {error}"))
        })?;
        let cells = vec![
            Cell::Text(task),
            Cell::Integer(integer(snapshot.number)),
            Cell::Integer(snapshot.at.as_microsecond()),
            Cell::Text(record),
            Cell::Blob(bundle),
        ];
        visit(table, cells)?;
    }
    Ok(())
}
