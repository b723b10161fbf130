//! Snapshots of work trees, as rows.

use jiff::Timestamp;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::limits::SNAPSHOTS_MAX;
use tasuki_engine::ports::{SnapshotRecord, Snapshots};
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::ProjectId;
use tokio_postgres::Row;

use crate::postgres::PostgresStore;
use crate::postgres::connection::pool::{OpenTransaction, Pooled};
use crate::postgres::connection::{Connection, Param};
use crate::postgres::statements;
use crate::row;
use crate::row::integer;

impl Snapshots for PostgresStore {
    fn add_snapshot(
        &self,
        project: ProjectId,
        task: &str,
        snapshot: SnapshotRecord,
        bundle: &[u8],
    ) -> Result<SnapshotRecord, Fault> {
        let (project, task, bundle) = (project.to_string(), task.to_owned(), bundle.to_vec());
        self.wait(
            |connection| async move { add(connection, &project, &task, snapshot, &bundle).await },
        )
    }

    fn snapshots(&self, project: ProjectId, task: &str) -> Result<Vec<SnapshotRecord>, Fault> {
        let (project, task) = (project.to_string(), task.to_owned());
        self.wait(|connection| async move { list(&connection, &project, &task).await })
    }

    fn bundle(
        &self,
        project: ProjectId,
        task: &str,
        number: u64,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let (project, task) = (project.to_string(), task.to_owned());
        self.wait(|connection| async move {
            let params: [Param<'_>; 3] = [&project, &task, &integer(number)];
            let rows = connection.rows(&statements::SNAPSHOT_LOAD, &params).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let bytes: Vec<u8> = row.get(1);
            if digest_of_bytes(&bytes) != record(row)?.digest {
                let message = format!("the bundle of snapshot {number} does not match its digest");
                return Err(Fault::new(FaultKind::Corrupt, message));
            }
            Ok(Some(bytes))
        })
    }

    fn tasks_with_old_snapshots(
        &self,
        project: ProjectId,
        before: Timestamp,
    ) -> Result<Vec<String>, Fault> {
        let (project, before) = (project.to_string(), before.as_microsecond());
        self.wait(|connection| async move {
            let rows =
                connection.rows(&statements::SNAPSHOT_LIST_OLD, &[&project, &before]).await?;
            Ok(rows.iter().map(|row| row.get(0)).collect())
        })
    }

    fn remove_snapshots(&self, project: ProjectId, task: &str) -> Result<(), Fault> {
        let (project, task) = (project.to_string(), task.to_owned());
        self.wait(|connection| async move {
            connection.run(&statements::SNAPSHOT_DELETE_ALL, &[&project, &task]).await.map(drop)
        })
    }
}

async fn add(
    connection: Pooled,
    project: &str,
    task: &str,
    snapshot: SnapshotRecord,
    bundle: &[u8],
) -> Result<SnapshotRecord, Fault> {
    let open = OpenTransaction::begin(connection).await?;
    // The number follows from the rows, so writers take turns.
    open.rows(&statements::SNAPSHOT_LOCK, &[&project, &task]).await?;
    let known = list(&open, project, task).await?;
    if let Some(newest) = known.first().filter(|newest| newest.digest == snapshot.digest) {
        return Ok(newest.clone());
    }
    let number = known.first().map_or(1, |newest| newest.number + 1);
    let snapshot = SnapshotRecord { number, ..snapshot };
    let record = serde_json::to_string(&snapshot)
        .map_err(|error| Fault::new(FaultKind::Bug, format!("cannot write a snapshot: {error}")))?;
    let (place, at) = (integer(number), snapshot.at.as_microsecond());
    let params: [Param<'_>; 6] = [&project, &task, &place, &at, &record, &bundle];
    open.run(&statements::SNAPSHOT_INSERT, &params).await?;
    let last_deleted = place.saturating_sub(i64::try_from(SNAPSHOTS_MAX).unwrap_or(i64::MAX));
    open.run(&statements::SNAPSHOT_TRIM, &[&project, &task, &last_deleted]).await?;
    open.commit().await?;
    Ok(snapshot)
}

/// Returns the snapshots of a task, newest first.
async fn list(
    connection: &Connection,
    project: &str,
    task: &str,
) -> Result<Vec<SnapshotRecord>, Fault> {
    let rows = connection.rows(&statements::SNAPSHOT_LIST, &[&project, &task]).await?;
    rows.iter().map(record).collect()
}

fn record(row: &Row) -> Result<SnapshotRecord, Fault> {
    row::snapshot(row)
}
