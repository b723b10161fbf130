//! Maps errors of the driver to faults of the engine. A fault names the operation and the action for
//! the operator.

use std::error::Error as _;

use tasuki_engine::error::{Fault, FaultKind};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Returns the fault for an error outside of a commit, where nothing was written.
pub(crate) fn fault(error: &Error, operation: &str) -> Fault {
    with_hint(kind(error), message(error, operation))
}

/// Returns the fault for an error of `COMMIT`. Even an error that the database reported may come
/// after the commit: with a standby, the wait for it can be interrupted.
pub(super) fn commit_fault(error: &Error) -> Fault {
    with_hint(FaultKind::OutcomeUnknown, message(error, "commit"))
}

/// Returns the fault for an error of a statement that `COMMIT` was sent behind. If the database
/// refused the statement, it rolled the transaction back.
pub(super) fn pipelined_fault(error: &Error, statement: &str) -> Fault {
    match kind(error) {
        FaultKind::StoreUnavailable => commit_fault(error),
        kind => with_hint(kind, message(error, statement)),
    }
}

/// Returns the fault for a project that the database does not have.
pub(super) fn unknown_project(project: &str) -> Fault {
    let message = format!("the database has no project {project}");
    Fault::new(FaultKind::StoreUnavailable, message).hint("check the name of the project")
}

fn message(error: &Error, operation: &str) -> String {
    let why = match (error.as_db_error(), error.source()) {
        (Some(reported), _) => format!("{} ({})", reported.message(), reported.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    };
    format!("PostgreSQL: {operation} failed: {why}")
}

fn with_hint(kind: FaultKind, message: String) -> Fault {
    let fault = Fault::new(kind, message);
    match hint(kind) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

fn kind(error: &Error) -> FaultKind {
    // Without a report of the database, the connection failed.
    let Some(code) = error.code() else { return FaultKind::StoreUnavailable };
    match *code {
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE => FaultKind::StoreBusy,
        SqlState::DISK_FULL => FaultKind::DiskFull,
        SqlState::DATA_CORRUPTED
        | SqlState::INDEX_CORRUPTED
        | SqlState::UNDEFINED_TABLE
        | SqlState::UNDEFINED_COLUMN => FaultKind::Corrupt,
        SqlState::IO_ERROR => FaultKind::Io,
        _ if is_unavailable(code) => FaultKind::StoreUnavailable,
        _ => FaultKind::Bug,
    }
}

/// Returns `true` for errors of the connection, of the login, and of a database that is starting,
/// stopping, full of connections, or only read.
fn is_unavailable(code: &SqlState) -> bool {
    let classes = ["08", "28", "3D", "53", "57", "58"];
    let others = [
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_SCHEMA_NAME,
    ];
    classes.iter().any(|class| code.code().starts_with(class)) || others.contains(code)
}

fn hint(kind: FaultKind) -> Option<&'static str> {
    match kind {
        FaultKind::StoreBusy => Some("another process is writing; try again"),
        FaultKind::DiskFull => Some("free space on the disk of the database and try again"),
        FaultKind::Corrupt => Some("run `tasuki doctor` for details, or restore a backup"),
        FaultKind::StoreUnavailable => {
            Some("check that the database runs and accepts connections, then try again")
        }
        FaultKind::OutcomeUnknown => Some("run it again with the same idempotency key"),
        FaultKind::Io => Some("check the disk of the database"),
        FaultKind::NewerStore => Some("use the version that wrote it, or a newer one"),
        FaultKind::ClockOff | FaultKind::Bug => None,
    }
}
