//! Maps errors of the driver and the file system to faults of the engine. A fault names the
//! operation, the file and the action for the operator.

use rusqlite::{ErrorCode, ffi};
use tasuki_engine::error::{Fault, FaultKind};

/// The operation during which an error occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreOperation<'a> {
    /// Opening the database.
    Opening,
    /// Running the statement of this name.
    Running(&'a str),
    /// Making a transaction durable.
    Committing,
}

/// Returns the fault for an error of the driver; `place` names the database.
pub(crate) fn fault(error: &rusqlite::Error, operation: StoreOperation<'_>, place: &str) -> Fault {
    let kind = kind(error, operation);
    let what = match operation {
        StoreOperation::Opening => "open failed".to_owned(),
        StoreOperation::Running(statement) => format!("statement `{statement}` failed"),
        StoreOperation::Committing => "commit failed".to_owned(),
    };
    let fault = Fault::new(kind, format!("`{place}`: {what}: {error}"));
    match hint(kind) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// Returns the fault for an error of the file system.
pub(crate) fn file_fault(error: &std::io::Error, operation: &str, place: &str) -> Fault {
    let kind = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => FaultKind::DiskFull,
        std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied => {
            FaultKind::StoreUnavailable
        }
        _ => FaultKind::Io,
    };
    let fault = Fault::new(kind, format!("`{place}`: {operation} failed: {error}"));
    match hint(kind) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

fn kind(error: &rusqlite::Error, operation: StoreOperation<'_>) -> FaultKind {
    if is_schema_damaged(error) {
        return FaultKind::Corrupt;
    }
    let Some(code) = error.sqlite_error_code() else { return FaultKind::Bug };
    // Readers need space as well: the index of the WAL is a file, and this error means that it
    // cannot grow.
    if error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE) {
        return FaultKind::DiskFull;
    }
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => FaultKind::StoreBusy,
        // Also at a commit: a truncated WAL frame is not a commit, so nothing was changed.
        ErrorCode::DiskFull => FaultKind::DiskFull,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => FaultKind::Corrupt,
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly => {
            FaultKind::StoreUnavailable
        }
        // After a failed sync it is unknown whether the data is durable.
        ErrorCode::SystemIoFailure if operation == StoreOperation::Committing => {
            FaultKind::OutcomeUnknown
        }
        ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory => FaultKind::Io,
        _ => FaultKind::Bug,
    }
}

/// Returns `true` if a table or column is missing. Tests prepare every statement on the schema, so that only
/// damage to the stored schema causes this.
fn is_schema_damaged(error: &rusqlite::Error) -> bool {
    error.to_string().starts_with("no such ")
}

fn hint(kind: FaultKind) -> Option<&'static str> {
    match kind {
        FaultKind::StoreBusy => Some("another process is writing; try again"),
        FaultKind::DiskFull => Some("free space on the disk of the store and try again"),
        FaultKind::Corrupt => {
            Some("run `tasuki doctor` for details, or `tasuki restore` to restore a backup")
        }
        FaultKind::StoreUnavailable => Some("check that the directory exists and is writable"),
        FaultKind::OutcomeUnknown => Some("run it again with the same idempotency key"),
        FaultKind::Io => Some("check the disk of the store"),
        FaultKind::NewerStore => Some("use the version that wrote it, or a newer one"),
        FaultKind::ClockOff | FaultKind::Bug => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_errors_map_to_faults() {
        let failing = |code: i32, operation| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            fault(&error, operation, "project.db").code()
        };
        for (code, running, committing) in [
            (ffi::SQLITE_BUSY, "TK-STORE-BUSY", "TK-STORE-BUSY"),
            (ffi::SQLITE_FULL, "TK-STORE-FULL", "TK-STORE-FULL"),
            (ffi::SQLITE_IOERR_SHMSIZE, "TK-STORE-FULL", "TK-STORE-FULL"),
            (ffi::SQLITE_IOERR_FSYNC, "TK-STORE-IO", "TK-OUTCOME-UNKNOWN"),
            (ffi::SQLITE_IOERR_WRITE, "TK-STORE-IO", "TK-OUTCOME-UNKNOWN"),
            (ffi::SQLITE_CORRUPT, "TK-STORE-CORRUPT", "TK-STORE-CORRUPT"),
            (ffi::SQLITE_NOTADB, "TK-STORE-CORRUPT", "TK-STORE-CORRUPT"),
            (ffi::SQLITE_CANTOPEN, "TK-STORE-UNAVAILABLE", "TK-STORE-UNAVAILABLE"),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, "TK-INTERNAL-BUG", "TK-INTERNAL-BUG"),
        ] {
            assert_eq!(failing(code, StoreOperation::Running("leaf/insert")), running, "{code}");
            assert_eq!(failing(code, StoreOperation::Committing), committing, "{code}");
        }
    }

    #[test]
    fn a_missing_column_is_damage() {
        let generic = ffi::Error::new(ffi::SQLITE_ERROR);
        for (message, expected) in
            [("no such column: f.seq", "TK-STORE-CORRUPT"), ("syntax error", "TK-INTERNAL-BUG")]
        {
            let error = rusqlite::Error::SqliteFailure(generic, Some(message.to_owned()));
            let fault = fault(&error, StoreOperation::Running("handoff/load"), "project.db");
            assert_eq!(fault.code(), expected, "{message}");
        }
    }
}
