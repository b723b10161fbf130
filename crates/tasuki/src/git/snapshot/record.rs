//! The last failure of a snapshot, for `tasuki doctor`. The process that takes snapshots has no reader.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::git::head::Repository;

/// A snapshot that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotFailure {
    pub(crate) at: Timestamp,
    pub(crate) task: String,
    pub(crate) reason: String,
}

/// The name of the file in the folder of the repository.
const FILE: &str = "tasuki-snapshot-failure.json";

/// Records a failure in the repository, or removes the record after a success.
pub(crate) fn record_outcome(
    repository: &Repository,
    task: &str,
    at: Timestamp,
    failure: Option<&str>,
) {
    let path = repository.common.join(FILE);
    // No one reads an error of this process, and the next snapshot tries again.
    let _unwritten = match failure {
        None => std::fs::remove_file(path),
        Some(reason) => {
            let failure = SnapshotFailure { at, task: task.to_owned(), reason: reason.to_owned() };
            std::fs::write(path, serde_json::to_vec(&failure).unwrap_or_default())
        }
    }
    .is_err();
}

/// Returns the failure of the last snapshot of a repository.
pub(crate) fn last_failure(repository: &Repository) -> Option<SnapshotFailure> {
    let text = std::fs::read(repository.common.join(FILE)).ok()?;
    serde_json::from_slice(&text).ok()
}
