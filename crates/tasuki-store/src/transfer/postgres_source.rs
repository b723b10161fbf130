//! Reads the rows of a store on PostgreSQL.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::ProjectId;
use tokio::sync::mpsc::{Sender, channel};
use tokio_postgres::types::Type;

use crate::postgres::PostgresStore;
use crate::postgres::connection::pool::{OpenTransaction, Pooled};
use crate::postgres::connection::{Connection, Param};
use crate::postgres::fault::fault;
use crate::transfer::page::{Cell, Cells, cells};
use crate::transfer::source::{Source, Visit};
use crate::transfer::statements::postgres_select;
use crate::transfer::tables::{Scope, Table};

/// LIMIT: bytes of the rows that are passed on at once, unless a single row is larger.
const BATCH_BYTES_MAX: usize = 256 * 1_024;

/// LIMIT: batches that wait for the caller.
const BATCHES_MAX: usize = 2;

/// Begins a snapshot. The settings of a session are for short transactions, and an export takes as long
/// as its reader needs.
const BEGIN: &str = "
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL idle_in_transaction_session_timeout = '10min';
SET LOCAL statement_timeout = 0;
";

/// Rows of one table.
type Batch = (&'static Table, Vec<Cells>);

impl Source for PostgresStore {
    /// The database sends rows while the caller takes those before, on another thread.
    fn read(&self, project: Option<ProjectId>, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let (sender, mut receiver) = channel(BATCHES_MAX);
        std::thread::scope(|scope| {
            let project = project.map(|id| id.to_string());
            let reading = scope.spawn(move || {
                self.wait(|connection| async move { read_all(connection, project, sender).await })
            });
            let mut taken = Ok(());
            while let Some((table, rows)) = receiver.blocking_recv() {
                taken = rows.into_iter().try_for_each(|cells| visit(table, cells));
                if taken.is_err() {
                    break;
                }
            }
            // Without a receiver, the reader stops.
            drop(receiver);
            let stopped = || Fault::new(FaultKind::Bug, "the reader of the export panicked");
            let read = reading.join().unwrap_or_else(|_| Err(stopped()));
            taken.and(read)
        })
    }
}

async fn read_all(
    connection: Pooled,
    project: Option<String>,
    sender: Sender<Batch>,
) -> Result<(), Fault> {
    let open = OpenTransaction::new(connection);
    open.script("begin", BEGIN).await?;
    let scope = if project.is_some() { Scope::Project } else { Scope::Exchange };
    for table in Table::of(scope) {
        if !read_table(&open, table, project.as_deref(), &sender).await? {
            break;
        }
    }
    Ok(())
}

/// Sends the rows of a table in batches. Returns `false` if no one receives them.
async fn read_table(
    connection: &Connection,
    table: &'static Table,
    project: Option<&str>,
    sender: &Sender<Batch>,
) -> Result<bool, Fault> {
    let failed = |error: tokio_postgres::Error| fault(&error, table.name);
    let params = project.iter().map(|project| (project as Param<'_>, Type::TEXT));
    let rows = connection.client().query_typed_raw(&postgres_select(table), params).await;
    let mut rows = pin!(rows.map_err(failed)?);
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        let cells = cells(table, &row)?;
        bytes += cells.iter().map(Cell::bytes).sum::<usize>();
        batch.push(cells);
        if bytes >= BATCH_BYTES_MAX {
            bytes = 0;
            if sender.send((table, std::mem::take(&mut batch))).await.is_err() {
                return Ok(false);
            }
        }
    }
    Ok(sender.send((table, batch)).await.is_ok())
}
