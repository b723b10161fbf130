//! Snapshots of work trees as git bundles.
//!
//! A snapshot is not part of the log, and no rule reads it. An exchange that loses one loses
//! uncommitted code, and no handoff. The methods may block.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::id::{PartyId, ProjectId};

use crate::error::Fault;

/// A stored snapshot, without its bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRecord {
    /// The number, counted per task.
    pub number: u64,
    /// The party that sent it.
    pub by: PartyId,
    /// The time at which it arrived.
    pub at: Timestamp,
    /// The commit of the snapshot.
    pub commit: String,
    /// The digest of the bundle.
    pub digest: String,
    /// The size of the bundle in bytes.
    pub bytes: u64,
}

/// Storage for snapshots of work trees.
pub trait Snapshots: Send + Sync + 'static {
    /// Adds a bundle under the next number of its task, durably, and removes the oldest ones beyond
    /// [`SNAPSHOTS_MAX`](crate::limits::SNAPSHOTS_MAX). A bundle that is the newest already is not
    /// added again.
    fn add_snapshot(
        &self,
        project: ProjectId,
        task: &str,
        snapshot: SnapshotRecord,
        bundle: &[u8],
    ) -> Result<SnapshotRecord, Fault>;

    /// Returns the snapshots of a task, newest first.
    fn snapshots(&self, project: ProjectId, task: &str) -> Result<Vec<SnapshotRecord>, Fault>;

    /// Returns the bundle of a snapshot.
    fn bundle(&self, project: ProjectId, task: &str, number: u64)
    -> Result<Option<Vec<u8>>, Fault>;

    /// Returns the tasks whose newest snapshot is older than an instant.
    fn tasks_with_old_snapshots(
        &self,
        project: ProjectId,
        before: Timestamp,
    ) -> Result<Vec<String>, Fault>;

    /// Removes all snapshots of a task.
    fn remove_snapshots(&self, project: ProjectId, task: &str) -> Result<(), Fault>;
}
