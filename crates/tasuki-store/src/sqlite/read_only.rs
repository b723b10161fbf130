//! Opens the databases of a store that this process cannot write: a read-only mount, a snapshot, a
//! directory of another user, or a disk without free space.
//!
//! SQLite reads a database in WAL mode through the shared-memory file beside it, and cannot create
//! one here. Which way leads around it depends on the files that exist:
//!
//! - with `-wal` and `-shm`, a process may be writing: SQLite's own read-only mode, with locks
//! - without a WAL, the database is complete: `immutable`, without locks
//! - with a WAL alone, no process has it open: the index of the WAL is built in this process
//!
//! INVARIANT: every process that writes creates the shared-memory file first. A query without locks
//! therefore read a consistent state if that file is still missing after it.

use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tasuki_engine::error::{Fault, FaultKind};

use crate::sqlite::files::{display_path, with_suffix};

/// The size of a shared-memory file that is in use, at least. A process that finds no space for it
/// leaves a shorter one behind.
const INDEX_BYTES: u64 = 32 * 1024;

/// The reason why a store cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwritable {
    /// The directory or the database refuses it.
    Refused,
    /// The disk has no space for the files that a writer needs.
    FullDisk,
}

/// Returns `true` if a directory or the database in it cannot be written by this process.
pub(crate) fn is_read_only(directory: &Path, database: &Path) -> bool {
    let probe = directory.join(format!(".write-probe-{}", std::process::id()));
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe);
    if created.is_ok() {
        drop(std::fs::remove_file(&probe));
    }
    let opened = std::fs::OpenOptions::new().append(true).open(database);
    [created, opened].into_iter().any(|result| result.is_err_and(|error| is_refused(&error)))
}

fn is_refused(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
}

/// Opens a database file that cannot be written. Returns `true` with it if it reads without locks.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<(Connection, bool)> {
    match length(path, "-wal") {
        Some(_) if is_in_use(path) => Ok((Connection::open_with_flags(path, flags)?, false)),
        Some(1..) if cfg!(unix) => {
            let connection = Connection::open_with_flags_and_vfs(path, flags, c"unix-none")?;
            connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE;")?;
            Ok((connection, true))
        }
        _ => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Ok((Connection::open_with_flags(immutable(path), flags)?, true))
        }
    }
}

/// Returns `true` if the database has a complete shared-memory file, so that a process may be
/// writing.
fn is_in_use(path: &Path) -> bool {
    length(path, "-shm").is_some_and(|bytes| bytes >= INDEX_BYTES)
}

fn length(path: &Path, suffix: &str) -> Option<u64> {
    std::fs::metadata(with_suffix(path, suffix)).map(|file| file.len()).ok()
}

/// Checks that no process began to write during a query without locks.
pub(crate) fn check_unused(path: &Path) -> Result<(), Fault> {
    if !is_in_use(path) {
        return Ok(());
    }
    let message = format!("`{}`: another process opened it for writing", display_path(path));
    Err(Fault::new(FaultKind::StoreBusy, message).hint("try again"))
}

/// Returns the URI of a database file that does not change while it is open.
fn immutable(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            letter if letter.is_ascii_alphanumeric() => uri.push(char::from(*letter)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Returns the fault of a write to a store that cannot be written.
pub(crate) fn refused(path: &Path, reason: Unwritable) -> Fault {
    let place = display_path(path);
    match reason {
        Unwritable::Refused => {
            let message = format!("`{place}` is read-only; nothing was changed");
            Fault::new(FaultKind::StoreUnavailable, message)
                .hint("make the directory writable, or copy the store to one that is")
        }
        Unwritable::FullDisk => {
            let message = format!("the disk of `{place}` is full; nothing was changed");
            Fault::new(FaultKind::DiskFull, message)
                .hint("free space on the disk of the store and try again")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_path_survives_in_a_uri() {
        let uri = immutable(Path::new("/a b/50%/x?y#z/é.db"));
        assert_eq!(uri, "file:/a%20b/50%25/x%3Fy%23z/%C3%A9.db?immutable=1");
    }
}
