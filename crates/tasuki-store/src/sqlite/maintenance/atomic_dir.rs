//! A temporary directory that gets its final name once it is complete.
//!
//! The process that creates it holds a lock on it, which the system releases when the process ends.
//! The next temporary directory created beside it removes abandoned ones.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tasuki_engine::error::Fault;

use crate::sqlite::fault::file_fault;
use crate::sqlite::files::{create_directory, display_path, parent_of, sync_directory};

const MARK: &str = ".partial-";

/// An incomplete directory. It is removed if it is dropped before it is renamed, unless it is kept.
#[derive(Debug)]
pub(crate) struct AtomicDir {
    path: PathBuf,
    is_kept: bool,
    _lock: Option<File>,
}

impl AtomicDir {
    /// Creates a temporary directory beside a target.
    pub(crate) fn beside(target: &Path) -> Result<Self, Fault> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = parent_of(target);
        create_directory(folder)?;
        for left in abandoned_in(folder) {
            remove(&left);
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(format!(".{name}{MARK}{process}-{number}"));
        create_directory(&path)?;
        // Where directories cannot be locked, the directory of a live process may look abandoned.
        let lock = File::open(&path).ok().filter(|directory| directory.try_lock().is_ok());
        Ok(Self { path, is_kept: false, _lock: lock })
    }

    /// Takes over a directory that an ended process left. Returns `None` if another process has.
    pub(crate) fn adopt(path: PathBuf) -> Option<Self> {
        let lock = File::open(&path).ok().filter(|directory| directory.try_lock().is_ok())?;
        Some(Self { path, is_kept: false, _lock: Some(lock) })
    }

    /// Keeps or removes it when it is dropped.
    pub(crate) fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn rename(self, target: &Path) -> Result<(), Fault> {
        rename(&self.path, target)
    }
}

impl Drop for AtomicDir {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path);
        }
    }
}

/// Renames a file or directory durably.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Fault> {
    std::fs::rename(from, to)
        .map_err(|error| file_fault(&error, "renaming the copy", &display_path(to)))?;
    sync_directory(parent_of(to))
}

/// Lists what ended processes left in a directory.
pub(crate) fn abandoned_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_partial = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') && name.contains(MARK)
    };
    let is_left = |path: &PathBuf| File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(is_partial).filter(is_left).collect()
}

/// Removes a file or directory. A failure is ignored: the name is never reused.
pub(crate) fn remove(path: &Path) {
    drop(std::fs::remove_dir_all(path).or_else(|_| std::fs::remove_file(path)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;

    #[test]
    fn an_abandoned_directory_is_removed_by_the_next_and_a_locked_one_is_not() {
        let case = Case::new();
        let folder = parent_of(&case.project().path).to_owned();
        let left = folder.join(".copy.partial-1-0");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("exchange.db"), "half").unwrap();
        std::fs::write(folder.join(".copy.partial-1"), "half").unwrap();

        let first = AtomicDir::beside(&folder.join("copy")).unwrap();
        let second = AtomicDir::beside(&folder.join("copy")).unwrap();
        assert!(!left.exists() && !folder.join(".copy.partial-1").exists());
        assert!(first.path().exists() && second.path().exists());
        assert_eq!(abandoned_in(&folder), Vec::<PathBuf>::new());

        let (first_path, second_path) = (first.path().to_owned(), second.path().to_owned());
        first.rename(&folder.join("copy")).unwrap();
        drop(second);
        assert!(folder.join("copy").is_dir() && !first_path.exists() && !second_path.exists());
    }
}
