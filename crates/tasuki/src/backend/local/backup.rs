//! When a backup was made last, and what a restore does besides copying.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_engine::clock::System;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::principal::Principal;
use tasuki_store::{Cut, Options, Overwrite, Restore, SqliteStore, Unlisted};

use super::exchange::{Exchange, runtime};
use crate::backend::refusal::{failed, fault};
use crate::data_dir::Place;
use crate::exit::{Failure, reason};

impl Exchange {
    /// Remembers that a backup was made.
    pub(crate) fn note_backup(&self, target: &Path) -> Result<(), Failure> {
        let path = self.place.last_backup();
        let at = format!("{:.6}", self.engine.now());
        let text = format!("{}\n", json!({ "at": at, "to": target }));
        std::fs::write(&path, text).map_err(|error| {
            Failure::usage(format!("cannot write {}: {}", path.display(), reason(&error)))
        })
    }

    /// When a backup was made last, as far as this place knows.
    pub(crate) fn last_backup(&self) -> Option<Timestamp> {
        let text = std::fs::read_to_string(self.place.last_backup()).ok()?;
        let noted: Value = serde_json::from_str(&text).ok()?;
        noted["at"].as_str()?.parse().ok()
    }
}

/// What a restore has done.
pub(crate) struct Outcome {
    /// The logs that were cut, with the end that the backup had.
    pub(crate) cut: Vec<Cut>,
    /// Projects that lie here as before and that the list of the backup does not name.
    pub(crate) unlisted: Vec<String>,
}

/// Brings a backup back, and writes into each log that is cut that it was.
pub(crate) fn restore(
    place: &Place,
    from: &Path,
    overwrite: Overwrite,
) -> Result<Outcome, Failure> {
    let restore = Restore::prepare(from, place.folder(), overwrite).map_err(in_use)?;
    let cut = restore.cut().map_err(|error| fault(&error))?;
    note(restore.store(), &cut)?;
    restore.put().map_err(|error| fault(&error))?;
    let store = SqliteStore::open(place.folder(), Options::default()).map_err(|e| fault(&e))?;
    let unlisted = store.unlisted().map_err(|error| fault(&error))?;
    let name = |one: Unlisted| one.name.unwrap_or_else(|_| one.id.to_string());
    Ok(Outcome { cut, unlisted: unlisted.into_iter().map(name).collect() })
}

/// Whoever has the store open will not let go of it by waiting.
fn in_use(error: Error) -> Failure {
    let is_busy = matches!(&error, Error::Failed(fault) if fault.kind == FaultKind::StoreBusy);
    let failure = failed(error);
    if is_busy {
        failure.hint("a server or another process has this store open: stop it first")
    } else {
        failure
    }
}

/// Writes one leaf into each log that is cut, while it still lies beside the store.
fn note(store: &Path, cut: &[Cut]) -> Result<(), Failure> {
    let store = SqliteStore::open(store, Options::default()).map_err(|error| fault(&error))?;
    let engine = Engine::start(Arc::new(store), Arc::new(System), Arc::new(System));
    let runtime = runtime()?;
    let noted = cut.iter().try_for_each(|one| {
        let (project, command) = (one.project, Command::NoteRestore(one.found));
        let call = Call { project, principal: Principal::system(), command, key: None };
        runtime.block_on(engine.run(call)).map(drop).map_err(failed)
    });
    // Nobody may have it open when it is put in place.
    engine.close();
    noted
}
