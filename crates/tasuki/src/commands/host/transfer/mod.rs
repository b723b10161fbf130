//! `tasuki export` and `tasuki import`: move an exchange from one store to another.

pub(crate) mod export;
pub(crate) mod import;
mod progress;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tasuki_store::transfer::MovedProject;

/// Returns `true` for the name that stands for stdin and stdout.
fn is_standard_stream(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Describes the end of a project's log: `project default: last event 13, hash sha256:…`.
fn described(project: &MovedProject) -> String {
    match project.leaves.checked_sub(1) {
        Some(last) => {
            format!("project `{}`: last event {last}, hash {}", project.name, project.hash)
        }
        None => format!("project `{}`: no events", project.name),
    }
}

/// Returns the result of a move.
fn result(file: &Path, rows: &BTreeMap<String, u64>, projects: &[MovedProject]) -> Value {
    let ends = projects.iter().map(|one| {
        let (last, hash) = (one.leaves.checked_sub(1), one.hash.to_string());
        json!({ "project": one.name, "id": one.id, "last": last, "hash": hash })
    });
    json!({ "file": file, "rows": rows, "projects": ends.collect::<Vec<_>>() })
}

/// Returns the number of rows in all tables.
fn total(rows: &BTreeMap<String, u64>) -> u64 {
    rows.values().sum()
}
