//! `tasuki resume --restore`: brings the work tree of the last holder here.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use crate::backend::Backend;
use crate::exit::{Exit, Failure};
use crate::git::bundle;
use crate::git::command::Git;
use crate::git::head::Repository;
use crate::git::restore::{FileChange, OtherBase, Restore, other_base};
use crate::git::snapshot::{Cause, LeftOut, Request, Snapshot, TIMEOUT, at_reference, newest};
use crate::input::line::ask;
use crate::output::escape::escape;
use crate::output::printer::{GOOD, NOTE, Printer, counted};

/// LIMIT: files that are named; `--json` has all of them.
const NAMES_MAX: usize = 20;

/// The digits of a commit that are shown.
const SHOWN_DIGITS: usize = 12;

/// The choices of the caller.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands::handoff) struct Options<'a> {
    /// The reference of the snapshot, if it is not the newest one of the task.
    pub(in crate::commands::handoff) from: Option<&'a str>,
    /// `true` to write files that run programs or steer an agent without asking.
    pub(in crate::commands::handoff) allows_sensitive: bool,
}

/// A restored work tree.
#[derive(Debug, Serialize)]
pub(in crate::commands::handoff) struct Restored {
    /// The party whose work tree it was.
    party: String,
    /// The reference of the snapshot.
    snapshot: String,
    files: Vec<FileChange>,
    left_out: Vec<LeftOut>,
    /// The reference of the snapshot that undoes it.
    undo: String,
}

/// Restores the newest snapshot of a task, or the one that the caller names.
pub(in crate::commands::handoff) fn restore(
    exchange: &dyn Backend,
    task: &str,
    options: Options<'_>,
    printer: &Printer,
) -> Result<Restored, Failure> {
    let here = Path::new(".").canonicalize().map_err(|error| Failure::usage(error.to_string()))?;
    let repository = Repository::around(&here).ok_or_else(|| {
        Failure::usage("this directory is not in a git repository")
            .hint("run it in a work tree or a clone of the sender's repository")
    })?;
    let git = Git::open(&repository, TIMEOUT).map_err(Failure::usage)?;
    let received = match options.from {
        None => receive(exchange, &repository, &git, task)?,
        Some(_) => None,
    };
    let (snapshot, sender) = match received {
        Some((snapshot, sender)) => (snapshot, Some(sender)),
        None => (find(&git, task, options.from)?, None),
    };
    if let Some(base) = other_base(&repository, &snapshot) {
        return Err(another_base(task, &base));
    }
    let own = exchange.own_name().unwrap_or_default();
    let (party, now) = (own.clone(), Timestamp::now());
    let request = Request { task: task.to_owned(), party, cause: Cause::Undo, now };
    let limits = exchange.settings().snapshots()?.limits;
    let restore = Restore::prepare(&repository, &git, &snapshot, &request, limits)
        .map_err(|reason| refused(&reason))?;
    announce(&restore, printer);
    let is_foreign = snapshot.meta.party != own || sender.is_some_and(|sender| sender != own);
    if is_foreign && !is_allowed(&restore, &snapshot, options, printer)? {
        restore.discard().map_err(Failure::usage)?;
        return Err(Failure { exit: Exit::Refused, ..Failure::usage("nothing was restored") }
            .hint("read these files first, then add `--allow-sensitive`"));
    }
    let undo = restore.undo_reference().to_owned();
    let files = restore.apply().map_err(|reason| {
        Failure::usage(format!("the restore stopped: {reason}"))
            .hint(format!("take it back with `tasuki resume {task} --restore --from {undo}`"))
    })?;
    let Snapshot { reference, meta, .. } = snapshot;
    Ok(Restored { party: meta.party, snapshot: reference, files, left_out: meta.left_out, undo })
}

/// Returns the newest snapshot that a server has, and the party that sent it.
fn receive(
    exchange: &dyn Backend,
    repository: &Repository,
    git: &Git,
    task: &str,
) -> Result<Option<(Snapshot, String)>, Failure> {
    let Some(there) = exchange.newest_snapshot(task)? else { return Ok(None) };
    let here = newest(git, task).map_err(Failure::usage)?;
    if let Some(snapshot) = here.filter(|here| here.commit == there.commit) {
        return Ok(Some((snapshot, there.by)));
    }
    let bytes = exchange.snapshot_bundle(task, there.number)?;
    let snapshot = bundle::receive(repository, git, &bytes, task).map_err(Failure::usage)?;
    Ok(Some((snapshot, there.by)))
}

fn find(git: &Git, task: &str, from: Option<&str>) -> Result<Snapshot, Failure> {
    let found = match from {
        Some(reference) => at_reference(git, reference),
        None => newest(git, task),
    };
    found.map_err(Failure::usage)?.ok_or_else(|| {
        let message = match from {
            Some(reference) => format!("`{}` is not a snapshot", escape(reference)),
            None => format!("no snapshot of `{task}` is in this repository"),
        };
        Failure { exit: Exit::NotFound, ..Failure::usage(message) }
            .hint("list them with `git for-each-ref refs/tasuki`")
    })
}

fn another_base(task: &str, base: &OtherBase) -> Failure {
    let shown = |commit: &Option<String>| match commit {
        Some(commit) => commit.get(..SHOWN_DIGITS).unwrap_or(commit).to_owned(),
        None => "no commit".to_owned(),
    };
    let (expected, found) = (shown(&base.expected), shown(&base.found));
    let message = format!("the snapshot is of commit {expected}, but this work tree is at {found}");
    Failure { exit: Exit::Conflict, ..Failure::usage(message) }.hint(format!(
        "run `git worktree add --detach ../{} {expected}`, then `tasuki resume {task} --restore` there",
        task.replace(['/', '#', ':'], "-")
    ))
}

/// Git says which files of this work tree are in the way.
fn refused(reason: &str) -> Failure {
    Failure {
        exit: Exit::Conflict,
        ..Failure::usage(format!("nothing was restored: {}", escape(reason)))
    }
    .hint("move or commit the files that are in the way, or restore in a new work tree")
}

/// Lists the files that will change, before they do.
fn announce(restore: &Restore<'_>, printer: &Printer) {
    printer.remark(&format!("Restoring touches {}:", counted(restore.changes.len(), "file")));
    for FileChange { path, change, .. } in restore.changes.iter().take(NAMES_MAX) {
        printer.remark(&format!("  {change:<8} {}", escape(path)));
    }
    if restore.changes.len() > NAMES_MAX {
        printer.remark(&format!("  and {} more", restore.changes.len() - NAMES_MAX));
    }
}

/// Asks before files of another party are written that run programs or steer an agent.
fn is_allowed(
    restore: &Restore<'_>,
    snapshot: &Snapshot,
    options: Options<'_>,
    printer: &Printer,
) -> Result<bool, Failure> {
    let sensitive = restore.sensitive();
    if sensitive.is_empty() || options.allows_sensitive {
        return Ok(true);
    }
    let (party, names) = (escape(&snapshot.meta.party), escape(&sensitive.join(", ")));
    printer.remark(&format!(
        "{NOTE}!{NOTE:#} {party} changed files that can run programs or steer an agent: {names}"
    ));
    if !printer.may_prompt() {
        return Ok(false);
    }
    let answer = ask("Write them? [y/N] ", printer)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// Prints the result and the command that takes it back.
pub(in crate::commands::handoff) fn print(restored: &Restored, task: &str, printer: &Printer) {
    let (files, party) = (counted(restored.files.len(), "file"), escape(&restored.party));
    printer.remark(&format!("{GOOD}✓{GOOD:#} Restored {files} of the work tree of {party}."));
    for LeftOut { path, reason } in restored.left_out.iter().take(NAMES_MAX) {
        printer.remark(&format!("  left out: {} ({})", escape(path), escape(reason)));
    }
    if restored.left_out.len() > NAMES_MAX {
        printer.remark(&format!("  left out: {} more", restored.left_out.len() - NAMES_MAX));
    }
    printer.remark(&format!("Undo: tasuki resume {task} --restore --from {}", restored.undo));
}
