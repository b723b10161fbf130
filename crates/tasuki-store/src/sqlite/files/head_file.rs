//! The side file of a project: the number of leaves after the last commit.
//!
//! It is written after each commit and never synced, so it may be behind the database, but never
//! ahead of it. If it is ahead, the database has lost commits: its WAL was removed, or an older copy
//! was put in its place. A missing or unreadable side file proves nothing and is ignored.

use std::fs::File;
use std::path::{Path, PathBuf};

use tasuki_engine::error::{Fault, FaultKind};

use crate::sqlite::files::{display_path, with_suffix};

/// The number is decimal with leading zeros, so that each write has the same length.
const DIGITS: usize = 20;

/// The open side file.
#[derive(Debug)]
pub(crate) struct HeadFile {
    file: Option<File>,
}

impl HeadFile {
    /// Opens or creates the side file of a database. Without one, commits are not recorded.
    pub(crate) fn open(database: &Path) -> Self {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self { file: options.open(path_of(database)).ok() }
    }

    /// Records the number of leaves after a commit. The commit is durable, so a failure is ignored:
    /// the old number stays true.
    pub(crate) fn record(&self, leaves: u64) {
        if let Some(file) = &self.file {
            drop(write_at_start(file, format!("{leaves:0DIGITS$}").as_bytes()));
        }
    }
}

/// Returns the recorded number of leaves of a database, if there is one.
pub(crate) fn recorded(database: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path_of(database)).ok()?;
    text.get(..DIGITS)?.parse().ok()
}

/// Resets the side file before an older database is installed on purpose. The file stays the same,
/// so that a process that has it open continues with it.
pub(crate) fn reset(database: &Path) {
    if path_of(database).exists() {
        HeadFile::open(database).record(0);
    }
}

/// Checks that a database has all leaves that were recorded before it was opened.
pub(crate) fn check(database: &Path, recorded: Option<u64>, leaves: u64) -> Result<(), Fault> {
    match recorded {
        Some(recorded) if recorded > leaves => Err(is_ahead(database, recorded, leaves)),
        _ => Ok(()),
    }
}

fn is_ahead(database: &Path, recorded: u64, leaves: u64) -> Fault {
    let (place, side_file) = (display_path(database), path_of(database));
    let message = format!(
        "`{place}` has {leaves} leaves, but `{}` records {recorded}: its WAL was removed or an older \
         copy was put back",
        side_file.file_name().unwrap_or_default().to_string_lossy()
    );
    Fault::new(FaultKind::Corrupt, message).hint(
        "put `project.db-wal` back, or restore a backup with `tasuki restore`, which records the loss \
         in the log",
    )
}

fn path_of(database: &Path) -> PathBuf {
    with_suffix(database, "-head")
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::{Seek as _, SeekFrom, Write as _};
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use tasuki_engine::model::StateWord;
    use tasuki_engine::ports::Store as _;
    use tasuki_testkit::samples;

    use super::*;
    use crate::testing::{Case, now};
    use crate::{Options, SqliteStore};

    #[test]
    fn the_number_of_leaves_is_recorded_after_each_commit() {
        let mut case = Case::new();
        let path = case.project().path.clone();
        assert_eq!(recorded(&path), None);
        for number in 1..=3 {
            case.submit(samples::handoff_numbered(number, StateWord::Offered)).unwrap();
            assert_eq!(recorded(&path), Some(u64::from(number)));
        }
    }

    #[test]
    fn a_database_behind_its_side_file_is_refused_by_name() {
        let mut case = Case::new();
        let (path, id) = (case.project().path.clone(), case.log.head.project);
        case.submit(samples::handoff_numbered(1, StateWord::Offered)).unwrap();
        HeadFile::open(&path).record(7);
        let other =
            SqliteStore::open(path.ancestors().nth(3).unwrap(), Options::default()).unwrap();
        let fault = now(other.head(id)).unwrap_err();
        assert_eq!(fault.code(), "TK-STORE-CORRUPT");
        let expected = "has 1 leaves, but `project.db-head` records 7: its WAL was removed or";
        assert!(fault.message.contains(expected), "{fault}");

        for ignored in ["", "0", "no number, but long enough"] {
            std::fs::write(path_of(&path), ignored).unwrap();
            assert!(now(other.head(id)).unwrap().is_some(), "{ignored:?}");
        }
    }
}
