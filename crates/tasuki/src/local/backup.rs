//! When a backup was made last, and what a restore does besides copying.

use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::principal::Principal;
use tasuki_engine::restore::Restored;
use tasuki_engine::state::Head;
use tasuki_engine::store::Store as _;
use tasuki_packet::leaf::Hash;
use tasuki_store::{Options, Overwrite, SqliteStore};

use super::exchange::{Exchange, runtime};
use super::failure::fault;
use crate::exit::{Failure, reason};
use crate::place::Place;
use crate::settings::Settings;

/// The end of each log, by the name of its project.
type Heads = Vec<(String, Head)>;

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

/// Brings a backup back and writes into each log that was cut that it was. Gives those logs, with
/// the end that the backup had.
pub(crate) fn restore(
    place: Place,
    settings: Settings,
    from: &Path,
    overwrite: Overwrite,
) -> Result<Vec<(String, Restored)>, Failure> {
    // What cannot be read any more is what the backup is for; and opening would make what is not there.
    let is_there = place.exchange().exists();
    let before =
        if is_there { heads(place.folder()).unwrap_or_default() } else { Heads::default() };
    SqliteStore::restore(from, place.folder(), overwrite).map_err(|error| in_use(&error))?;
    let mut restored = Vec::new();
    for (name, head) in heads(place.folder())? {
        let known = before.iter().find(|(known, _)| *known == name);
        if known.is_some_and(|(_, before)| goes_on(place.folder(), before)) {
            continue;
        }
        let found = Restored { last: head.leaves.saturating_sub(1), hash: head.last_hash };
        restored.push((name, head, found));
    }
    note(place, settings, restored)
}

/// Whoever has the store open will not let go of it by waiting.
fn in_use(error: &Fault) -> Failure {
    let failure = fault(error);
    match error.kind {
        FaultKind::StoreBusy => {
            failure.hint("a server or another process has this store open: stop it first")
        }
        _ => failure,
    }
}

/// Writes one leaf into each log that was cut.
fn note(
    place: Place,
    settings: Settings,
    restored: Vec<(String, Head, Restored)>,
) -> Result<Vec<(String, Restored)>, Failure> {
    let exchange = Exchange::any(place, settings)?;
    let mut noted = Vec::new();
    for (name, head, found) in restored {
        exchange.run_in(head.project, &Principal::system(), Command::NoteRestore(found))?;
        noted.push((name, found));
    }
    Ok(noted)
}

fn heads(folder: &Path) -> Result<Heads, Failure> {
    let store = SqliteStore::open(folder, Options::default()).map_err(|error| fault(&error))?;
    let runtime = runtime()?;
    let mut heads = Vec::new();
    for (name, id) in runtime.block_on(store.projects()).map_err(|error| fault(&error))? {
        // A project that cannot be read has no end that anybody knows.
        if let Ok(Some(head)) = runtime.block_on(store.head(id)) {
            heads.push((name, head));
        }
    }
    Ok(heads)
}

/// Whether the log still has the leaf that was its last before.
fn goes_on(folder: &Path, before: &Head) -> bool {
    let Some(last) = before.leaves.checked_sub(1) else { return true };
    let Ok(store) = SqliteStore::open(folder, Options::default()) else { return false };
    let Ok(runtime) = runtime() else { return false };
    let leaves = runtime.block_on(store.leaves(before.project, last, 1)).unwrap_or_default();
    let is_last = |leaf: &str| Hash::of_leaf(leaf.as_bytes()) == before.last_hash;
    leaves.first().is_some_and(|row| row.n == last && is_last(&row.leaf))
}
