//! Files that a restore would overwrite although no snapshot has them.
//!
//! Git protects untracked files, but overwrites ignored ones. Here an ignored file, or one that was left out,
//! may be the only copy of a secret or of generated data.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::paths::to_path;
use super::restore::{FileChange, REMOVED, WRITTEN};

/// Fails if a file that a restore writes takes the place of one that no snapshot has.
pub(super) fn check(root: &Path, changes: &[FileChange]) -> Result<(), String> {
    let removed: HashSet<PathBuf> =
        changes.iter().filter(|one| one.change == REMOVED).map(|one| to_path(&one.bytes)).collect();
    let written = changes.iter().filter(|one| one.change == WRITTEN);
    let blocking: Vec<&str> = written
        .filter(|one| is_blocked(root, &to_path(&one.bytes), &removed))
        .map(|one| one.path.as_str())
        .collect();
    if blocking.is_empty() {
        return Ok(());
    }
    Err(format!("ignored or left-out files are in the way: {}", blocking.join(", ")))
}

/// Returns `true` if something that stays is at a path or in place of a folder above it.
fn is_blocked(root: &Path, path: &Path, removed: &HashSet<PathBuf>) -> bool {
    let is_file = |path: &Path| root.join(path).symlink_metadata().is_ok_and(|data| !data.is_dir());
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let is_folder_blocked =
        above.into_iter().any(|folder| is_file(folder) && !removed.contains(folder));
    is_folder_blocked || stays(root, path, removed)
}

/// Returns `true` if a file at or below a path is not removed.
fn stays(root: &Path, path: &Path, removed: &HashSet<PathBuf>) -> bool {
    let Ok(metadata) = root.join(path).symlink_metadata() else { return false };
    if !metadata.is_dir() {
        return !removed.contains(path);
    }
    let Ok(entries) = std::fs::read_dir(root.join(path)) else { return true };
    entries.flatten().any(|entry| stays(root, &path.join(entry.file_name()), removed))
}
