//! The work trees of this repository, joined with the open handoffs that were recorded in them.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use tasuki_api as api;

use crate::backend::Backend;
use crate::git::head::Repository;
use crate::git::{self, ListedWorkTree};
use crate::output::escape::escape;
use crate::output::handoff::name;
use crate::output::printer::STRONG;
use crate::output::time::TimeFormatter;
use crate::output::width::{pad, width};

/// A work tree, and the open work in it.
#[derive(Debug, Serialize)]
pub(super) struct WorkTreeRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handoff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
    /// The time of the last command that stated the work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sign_of_life: Option<Timestamp>,
    /// The party that must act next, unless the holder works.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<String>,
    #[serde(skip)]
    name: String,
}

/// Returns the work trees of the repository around this directory, in the order of git. Outside of a
/// repository there are none.
pub(super) fn rows(exchange: &dyn Backend, open: &[&api::Handoff]) -> Vec<WorkTreeRow> {
    let Ok(here) = Path::new(".").canonicalize() else { return Vec::new() };
    let trees = Repository::around(&here).and_then(|repository| git::work_trees(&repository).ok());
    let claimed = claimed_in(exchange);
    let row = |tree: ListedWorkTree| {
        let is_in = |handoff: &&&api::Handoff| is_in(&tree, handoff, &claimed);
        let newest =
            open.iter().filter(is_in).max_by_key(|one| one.work_tree.as_ref().map(|m| m.at));
        row(&tree, newest.copied())
    };
    trees.unwrap_or_default().into_iter().map(row).collect()
}

/// Returns the directory of every claim that a session of this machine holds, by handoff.
fn claimed_in(exchange: &dyn Backend) -> HashMap<String, String> {
    let Ok(sessions) = exchange.sessions() else { return HashMap::new() };
    let names = sessions.names().unwrap_or_default();
    let claims =
        names.iter().filter_map(|name| sessions.read(name).ok()).flat_map(|one| one.claims);
    claims.filter_map(|claim| Some((claim.handoff.to_string(), claim.directory?))).collect()
}

/// Returns `true` if the work of a handoff is in a work tree: where its holder claimed it, else where it was
/// recorded last.
fn is_in(tree: &ListedWorkTree, handoff: &api::Handoff, claimed: &HashMap<String, String>) -> bool {
    match claimed.get(&handoff.id).filter(|_| handoff.holder.is_some()) {
        Some(directory) => Path::new(directory) == tree.path,
        None => handoff.work_tree.as_ref().is_some_and(|mark| mark.id == tree.id),
    }
}

fn row(tree: &ListedWorkTree, handoff: Option<&api::Handoff>) -> WorkTreeRow {
    WorkTreeRow {
        path: tree.path.display().to_string(),
        branch: tree.branch.clone(),
        task: handoff.map(|one| one.task.clone()),
        handoff: handoff.map(|one| one.id.clone()),
        holder: handoff.and_then(|one| one.holder.clone()),
        last_sign_of_life: handoff.and_then(|one| Some(one.work_tree.as_ref()?.at)),
        waits_for: handoff.and_then(waits_for),
        name: handoff.map(name).unwrap_or_default(),
    }
}

/// Returns the party that must act next.
fn waits_for(handoff: &api::Handoff) -> Option<String> {
    match handoff.state.as_str() {
        "held" if handoff.deciders.is_empty() => Some("a person".to_owned()),
        "held" => Some(handoff.deciders.join(", ")),
        "offered" if handoff.blocked => Some(handoff.from.clone()),
        "offered" => Some(handoff.to.clone()),
        "returned" => Some(handoff.judge.clone().unwrap_or_else(|| handoff.from.clone())),
        _ => None,
    }
}

/// Formats the work trees, if there is more than one or work in one of them.
pub(super) fn text(rows: &[WorkTreeRow], times: TimeFormatter) -> String {
    if rows.len() < 2 && rows.iter().all(|row| row.task.is_none()) {
        return String::new();
    }
    let columns: Vec<[String; 3]> = rows.iter().map(|row| columns(row, times)).collect();
    let widest = |at: usize| columns.iter().map(|row| width(&row[at])).max().unwrap_or_default();
    let (first, second) = (widest(0), widest(1));
    let title = "Work trees";
    let mut text = String::new();
    for (at, [path, branch, work]) in columns.iter().enumerate() {
        let start = if at == 0 {
            format!("{STRONG}{title:<15}{STRONG:#}{:>4}   ", rows.len())
        } else {
            " ".repeat(22)
        };
        let line = format!("{start}{}   {}   {work}", pad(path, first), pad(branch, second));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn columns(row: &WorkTreeRow, times: TimeFormatter) -> [String; 3] {
    let mut work = Vec::new();
    if row.task.is_some() {
        work.push(row.name.clone());
        work.extend(row.holder.as_ref().map(|holder| format!("held by {holder}")));
        work.extend(row.waits_for.as_ref().map(|party| format!("waits for {party}")));
        work.extend(row.last_sign_of_life.map(|at| format!("last seen {}", times.relative(at))));
    }
    let branch = row.branch.as_deref().unwrap_or("no branch");
    [escape(&row.path), escape(branch), work.join(", ")]
}
