//! A directory under a name of its own, in which something is made until it is whole.
//!
//! Its maker holds a lock on it, which ends with the process whatever ends that. So whoever makes the
//! next one beside it can tell what was left behind, and removes it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tasuki_engine::error::Fault;

use crate::sqlite::fault::file_fault;
use crate::sqlite::files::{folder_of, make_directory, place, sync_directory};

const MARK: &str = ".partial-";

/// A directory for what is not whole yet. Dropped before it got its name, it is removed.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    _lock: Option<File>,
}

impl Partial {
    /// A new one beside a target.
    pub(crate) fn beside(target: &Path) -> Result<Self, Fault> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = folder_of(target);
        make_directory(folder)?;
        for left in left_in(folder) {
            remove(&left);
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(format!(".{name}{MARK}{process}-{number}"));
        make_directory(&path)?;
        // Where directories cannot be locked, one of a living process may look abandoned.
        let lock = File::open(&path).ok().filter(|directory| directory.try_lock().is_ok());
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the whole of it its name.
    pub(crate) fn rename(self, target: &Path) -> Result<(), Fault> {
        rename(&self.path, target)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Gives a file or directory its name, durably.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Fault> {
    std::fs::rename(from, to).map_err(|error| file_fault(&error, "naming the copy", &place(to)))?;
    sync_directory(folder_of(to))
}

/// What processes that are no more have left in a directory.
pub(crate) fn left_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_partial = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') && name.contains(MARK)
    };
    let is_left = |path: &PathBuf| File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(is_partial).filter(is_left).collect()
}

/// What is not there need not be removed; what cannot be is in the way of nobody.
pub(crate) fn remove(path: &Path) {
    drop(std::fs::remove_dir_all(path).or_else(|_| std::fs::remove_file(path)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;

    #[test]
    fn what_a_process_left_behind_is_removed_by_the_next_and_what_it_holds_is_not() {
        let case = Case::new();
        let folder = folder_of(&case.project().path).to_owned();
        let left = folder.join(".copy.partial-1-0");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("exchange.db"), "half").unwrap();
        std::fs::write(folder.join(".copy.partial-1"), "half").unwrap();

        let first = Partial::beside(&folder.join("copy")).unwrap();
        let second = Partial::beside(&folder.join("copy")).unwrap();
        assert!(!left.exists() && !folder.join(".copy.partial-1").exists());
        assert!(first.path().exists() && second.path().exists());
        assert_eq!(left_in(&folder), Vec::<PathBuf>::new());

        let (first_path, second_path) = (first.path().to_owned(), second.path().to_owned());
        first.rename(&folder.join("copy")).unwrap();
        drop(second);
        assert!(folder.join("copy").is_dir() && !first_path.exists() && !second_path.exists());
    }
}
