//! Records backups and restores them.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::model::Principal;
use tasuki_engine::ports::System;
use tasuki_engine::steps::RevokeToken;
use tasuki_packet::id::ProjectId;
use tasuki_store::{
    Location, Options, OrphanedProject, Overwrite, Restore, RevokedToken, SqliteStore, TruncatedLog,
};

use super::exchange::{Exchange, runtime};
use crate::backend::refusal::{engine_failure, fault_failure};
use crate::data_dir::DataDir;
use crate::exit::{Failure, reason};

impl Exchange {
    /// Copies a project to a file, or all projects to a directory, while they are in use.
    pub(crate) fn back_up(&self, project: Option<ProjectId>, to: &Path) -> Result<(), Failure> {
        let Location::Directory(path) = &self.place.location else {
            let message = format!("{} is not a directory", self.place.location.display());
            return Err(Failure::usage(message)
                .hint("back up a database with `pg_dump`, or move it with `tasuki export`"));
        };
        let store = SqliteStore::open(path, Options::default()).map_err(|e| fault_failure(&e))?;
        store.backup(project, to).map_err(engine_failure)
    }

    /// Records that a backup was made.
    pub(crate) fn record_backup(&self, target: &Path) -> Result<(), Failure> {
        let path = self.data_dir().last_backup();
        let at = format!("{:.6}", self.engine.now());
        let text = format!("{}\n", json!({ "at": at, "to": target }));
        std::fs::write(&path, text).map_err(|error| {
            Failure::usage(format!("cannot write {}: {}", path.display(), reason(&error)))
        })
    }

    /// Returns when the last recorded backup was made.
    pub(crate) fn last_backup(&self) -> Option<Timestamp> {
        let text = std::fs::read_to_string(self.data_dir().last_backup()).ok()?;
        let noted: Value = serde_json::from_str(&text).ok()?;
        noted["at"].as_str()?.parse().ok()
    }
}

/// The outcome of a restore.
pub(crate) struct RestoreOutcome {
    /// The logs that were truncated, with the last entry of the backup.
    pub(crate) cut: Vec<TruncatedLog>,
    /// Projects that stay in place although the backup does not list them.
    pub(crate) unlisted: Vec<String>,
    /// Tokens that were revoked after the backup, and stay revoked.
    pub(crate) revoked: Vec<RevokedToken>,
}

/// Restores a backup, and records it in each log that it truncates.
pub(crate) fn restore(
    data_dir: &DataDir,
    from: &Path,
    overwrite: Overwrite,
) -> Result<RestoreOutcome, Failure> {
    let restore = Restore::prepare(from, data_dir.path(), overwrite).map_err(in_use)?;
    let cut = restore.truncated_logs().map_err(|error| fault_failure(&error))?;
    let revoked = restore.revoked_tokens().map_err(|error| fault_failure(&error))?;
    record_cuts(restore.store(), &cut, &revoked)?;
    restore.commit().map_err(|error| fault_failure(&error))?;
    let store =
        SqliteStore::open(data_dir.path(), Options::default()).map_err(|e| fault_failure(&e))?;
    let unlisted = store.orphaned_projects().map_err(|error| fault_failure(&error))?;
    let name = |one: OrphanedProject| one.name.unwrap_or_else(|_| one.id.to_string());
    Ok(RestoreOutcome { cut, unlisted: unlisted.into_iter().map(name).collect(), revoked })
}

/// Converts an error; a store that is open elsewhere stays busy, so the hint is to stop that process.
fn in_use(error: Error) -> Failure {
    let is_busy = matches!(&error, Error::Failed(fault) if fault.kind == FaultKind::StoreBusy);
    let failure = engine_failure(error);
    if is_busy {
        failure.hint("stop the server or process that uses this store, then try again")
    } else {
        failure
    }
}

/// Records each cut in its log and revokes tokens again, before the restored store is put in place.
fn record_cuts(
    store: &Path,
    cut: &[TruncatedLog],
    revoked: &[RevokedToken],
) -> Result<(), Failure> {
    let store =
        SqliteStore::open(store, Options::default()).map_err(|error| fault_failure(&error))?;
    let engine = Engine::start(Arc::new(store), Arc::new(System), Arc::new(System));
    let runtime = runtime()?;
    let cuts = cut.iter().map(|one| (one.project, Command::RecordRestore(one.found)));
    let revoke =
        |one: &RevokedToken| (one.project, Command::RevokeToken(RevokeToken { token: one.token }));
    let noted = cuts.chain(revoked.iter().map(revoke)).try_for_each(|(project, command)| {
        let call = Call { project, principal: Principal::system(), command, key: None };
        runtime.block_on(engine.run(call)).map(drop).map_err(engine_failure)
    });
    // The store must be closed before it is moved.
    engine.close();
    noted
}
