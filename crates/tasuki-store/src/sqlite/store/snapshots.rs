//! Snapshots of work trees as files: `projects/<project>/snapshots/<hash of the task>/`.
//!
//! Each snapshot is a bundle and a document about it. The document is written last, so that a snapshot is
//! whole once it is listed. Both are staged, synced and renamed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::limits::SNAPSHOTS_MAX;
use tasuki_engine::ports::{SnapshotRecord, Snapshots};
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::ProjectId;

use super::SqliteStore;
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::{
    create_directory, create_file, display_path, parent_of, project_file, sync_directory, sync_file,
};

/// Held while a snapshot is added.
static WRITING: Mutex<()> = Mutex::new(());

/// The document about a snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSnapshot {
    task: String,
    #[serde(flatten)]
    snapshot: SnapshotRecord,
}

impl Snapshots for SqliteStore {
    fn add_snapshot(
        &self,
        project: ProjectId,
        task: &str,
        snapshot: SnapshotRecord,
        bundle: &[u8],
    ) -> Result<SnapshotRecord, Fault> {
        let folder = self.task_folder(project, task);
        // The number follows from the files, so writers take turns.
        let _turn = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        create_directory(&folder)?;
        let known = listed(&folder)?;
        let newest = known.last().map(|newest| &newest.snapshot);
        if let Some(newest) = newest.filter(|newest| newest.digest == snapshot.digest) {
            return Ok(newest.clone());
        }
        let number = newest.map_or(1, |newest| newest.number + 1);
        let stored = StoredSnapshot {
            task: task.to_owned(),
            snapshot: SnapshotRecord { number, ..snapshot },
        };
        write_snapshot(&folder, &stored, bundle)?;
        let surplus = (known.len() + 1).saturating_sub(SNAPSHOTS_MAX);
        for old in known.iter().take(surplus) {
            remove(&document_file(&folder, old.snapshot.number))?;
            remove(&bundle_file(&folder, old.snapshot.number))?;
        }
        Ok(stored.snapshot)
    }

    fn snapshots(&self, project: ProjectId, task: &str) -> Result<Vec<SnapshotRecord>, Fault> {
        let all = listed(&self.task_folder(project, task))?;
        Ok(all.into_iter().rev().map(|one| one.snapshot).collect())
    }

    fn bundle(
        &self,
        project: ProjectId,
        task: &str,
        number: u64,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let folder = self.task_folder(project, task);
        let Some(one) = listed(&folder)?.into_iter().find(|one| one.snapshot.number == number)
        else {
            return Ok(None);
        };
        let path = bundle_file(&folder, number);
        let bytes = std::fs::read(&path)
            .map_err(|error| file_fault(&error, "reading the file", &display_path(&path)))?;
        if digest_of_bytes(&bytes) != one.snapshot.digest {
            let message = format!("the bundle {} does not match its digest", display_path(&path));
            return Err(Fault::new(FaultKind::Corrupt, message));
        }
        Ok(Some(bytes))
    }

    fn tasks_with_old_snapshots(
        &self,
        project: ProjectId,
        before: Timestamp,
    ) -> Result<Vec<String>, Fault> {
        let mut tasks = Vec::new();
        for folder in entries(&self.snapshots_folder(project))? {
            if let Some(newest) = listed(&folder)?.pop().filter(|one| one.snapshot.at < before) {
                tasks.push(newest.task);
            }
        }
        Ok(tasks)
    }

    fn remove_snapshots(&self, project: ProjectId, task: &str) -> Result<(), Fault> {
        let folder = self.task_folder(project, task);
        std::fs::remove_dir_all(&folder).map_err(|error| {
            file_fault(&error, "removing the directory", &display_path(&folder))
        })?;
        sync_directory(parent_of(&folder))
    }
}

impl SqliteStore {
    /// Returns all snapshots of a project in the order of task and number.
    pub(crate) fn all_snapshots(
        &self,
        project: ProjectId,
    ) -> Result<Vec<(String, SnapshotRecord)>, Fault> {
        let mut all = Vec::new();
        for folder in entries(&self.snapshots_folder(project))? {
            all.extend(listed(&folder)?.into_iter().map(|one| (one.task, one.snapshot)));
        }
        all.sort_by(|one, other| (&one.0, one.1.number).cmp(&(&other.0, other.1.number)));
        Ok(all)
    }

    /// Writes a snapshot with its number, and replaces an existing one.
    pub(crate) fn put_snapshot(
        &self,
        project: ProjectId,
        task: &str,
        snapshot: SnapshotRecord,
        bundle: &[u8],
    ) -> Result<(), Fault> {
        let folder = self.task_folder(project, task);
        create_directory(&folder)?;
        write_snapshot(&folder, &StoredSnapshot { task: task.to_owned(), snapshot }, bundle)
    }

    fn snapshots_folder(&self, project: ProjectId) -> PathBuf {
        parent_of(&self.directory().join(project_file(project))).join("snapshots")
    }

    /// A task may have characters that a path must not have.
    fn task_folder(&self, project: ProjectId, task: &str) -> PathBuf {
        let digest = digest_of_bytes(task.as_bytes());
        self.snapshots_folder(project).join(digest.trim_start_matches("sha256:"))
    }
}

/// Writes the bundle of a snapshot, then the document about it.
fn write_snapshot(folder: &Path, stored: &StoredSnapshot, bundle: &[u8]) -> Result<(), Fault> {
    let number = stored.snapshot.number;
    write(&bundle_file(folder, number), bundle)?;
    let document = serde_json::to_vec(stored)
        .map_err(|error| Fault::new(FaultKind::Bug, format!("cannot write a snapshot: {error}")))?;
    write(&document_file(folder, number), &document)
}

/// Returns the snapshots in a folder, oldest first.
fn listed(folder: &Path) -> Result<Vec<StoredSnapshot>, Fault> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read(&path)
                .map_err(|error| file_fault(&error, "reading the file", &display_path(&path)))?;
            let stored: StoredSnapshot = serde_json::from_slice(&text).map_err(|error| {
                let message = format!("cannot read {}: {error}", display_path(&path));
                Fault::new(FaultKind::Corrupt, message)
            })?;
            found.push(stored);
        }
    }
    found.sort_by_key(|one| one.snapshot.number);
    Ok(found)
}

/// Returns the paths in a folder; a missing one is empty.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    match std::fs::read_dir(folder) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(file_fault(&error, "reading the directory", &display_path(folder))),
    }
}

fn bundle_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number}.bundle"))
}

fn document_file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number}.json"))
}

/// Stages a file, syncs it and renames it.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let staged = path.with_extension(format!("staged-{}", std::process::id()));
    create_file(&staged)?;
    std::fs::write(&staged, bytes)
        .map_err(|error| file_fault(&error, "writing the file", &display_path(&staged)))?;
    sync_file(&staged)?;
    std::fs::rename(&staged, path)
        .map_err(|error| file_fault(&error, "renaming the file", &display_path(&staged)))?;
    sync_directory(parent_of(path))
}

fn remove(path: &Path) -> Result<(), Fault> {
    std::fs::remove_file(path)
        .map_err(|error| file_fault(&error, "removing the file", &display_path(path)))
}

#[cfg(test)]
mod tests {
    use tasuki_testkit::samples;

    use super::*;
    use crate::testing::Case;

    #[test]
    fn snapshots_that_arrive_together_have_different_numbers() {
        let case = Case::new();
        let project = case.log.head.project;
        let add = |content: u8| {
            let bundle = vec![content; 1_000];
            let snapshot = SnapshotRecord {
                number: 0,
                by: samples::party("receiver"),
                at: Timestamp::UNIX_EPOCH,
                commit: "1".repeat(40),
                digest: digest_of_bytes(&bundle),
                bytes: 1_000,
            };
            case.store.add_snapshot(project, "build-42", snapshot, &bundle).unwrap().number
        };
        let mut numbers: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|content| scope.spawn(move || add(content))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=8).collect::<Vec<u64>>());
        for number in numbers {
            let bundle = case.store.bundle(project, "build-42", number).unwrap().unwrap();
            assert_eq!(bundle.len(), 1_000);
        }
    }
}
