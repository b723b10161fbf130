//! The references of snapshots: `refs/tasuki/<16 hex digits of the hash of the task>/<number>`.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::meta::{Cause, Meta};
use crate::git::command::Git;
use crate::git::facts::short_hash;

/// The prefix of every reference.
const PREFIX: &str = "refs/tasuki/";

/// How long the snapshots of a task are kept after its end.
const KEPT_AFTER_END: SignedDuration = SignedDuration::from_hours(14 * 24);

/// A snapshot on its reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) reference: String,
    pub(crate) number: u64,
    pub(crate) commit: String,
    pub(crate) meta: Meta,
}

/// The knowledge of the exchange about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The task is open, or the exchange does not answer.
    Open,
    /// The task ended at this time.
    Ended(Timestamp),
}

/// Returns the prefix of the references of a task.
pub(super) fn task_folder(task: &str) -> String {
    format!("{PREFIX}{}/", short_hash(task.as_bytes()))
}

/// Returns the prefix of the references that undo a restore in a work tree.
pub(super) fn undo_folder(work_tree: &str) -> String {
    format!("{PREFIX}undo-{work_tree}/")
}

/// Returns the snapshots below a prefix, oldest first.
pub(super) fn snapshots(git: &Git, folder: &str) -> Result<Vec<Snapshot>, String> {
    let format = "--format=%(refname)%00%(objectname)%00%(contents)%00%00";
    let output = git.call("for-each-ref").args([format, folder.trim_end_matches('/')]).run()?;
    let text = String::from_utf8_lossy(&output).into_owned();
    let mut found: Vec<Snapshot> = text.split("\0\0\n").filter_map(snapshot).collect();
    found.sort_by_key(|one| one.number);
    Ok(found)
}

/// Returns the newest snapshot of a task.
pub(crate) fn newest(git: &Git, task: &str) -> Result<Option<Snapshot>, String> {
    Ok(snapshots(git, &task_folder(task))?.pop())
}

/// Returns the snapshot at a reference. Only references of snapshots are looked at.
pub(crate) fn at_reference(git: &Git, reference: &str) -> Result<Option<Snapshot>, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-');
    if !reference.starts_with(PREFIX) || !reference.bytes().all(is_plain) {
        return Ok(None);
    }
    Ok(snapshots(git, reference)?.into_iter().find(|one| one.reference == reference))
}

fn snapshot(entry: &str) -> Option<Snapshot> {
    let mut fields = entry.split('\0');
    let (reference, commit, message) = (fields.next()?, fields.next()?, fields.next()?);
    let number = reference.rsplit('/').next()?.parse().ok()?;
    let meta = Meta::read(message)?;
    Some(Snapshot { reference: reference.to_owned(), number, commit: commit.to_owned(), meta })
}

/// LIMIT: attempts to get a number, if others take snapshots of the same task at the same time.
const ATTEMPTS_MAX: u64 = 16;

/// Adds a commit under the next number and returns the reference.
pub(super) fn add(git: &Git, folder: &str, commit: &str) -> Result<String, String> {
    let last = snapshots(git, folder)?.last().map_or(0, |last| last.number);
    let mut refused = String::new();
    for number in last + 1..=last + ATTEMPTS_MAX {
        let reference = format!("{folder}{number}");
        // The empty old value means that the reference must not exist yet.
        match git.call("update-ref").args([reference.as_str(), commit, ""]).run() {
            Ok(_) => return Ok(reference),
            Err(reason) => refused = reason,
        }
    }
    Err(refused)
}

/// Adds a snapshot of another clone under the next number, unless it is here already.
pub(crate) fn add_received(git: &Git, commit: &str, task: &str) -> Result<Snapshot, String> {
    let folder = task_folder(task);
    let known = |all: Vec<Snapshot>| all.into_iter().find(|one| one.commit == commit);
    if let Some(snapshot) = known(snapshots(git, &folder)?) {
        return Ok(snapshot);
    }
    let message = git.line("log", &["-1", "--format=%B", commit, "--"])?;
    if Meta::read(&message).is_none_or(|meta| meta.task != task) {
        return Err(format!("the bundle has no snapshot of `{task}`"));
    }
    add(git, &folder, commit)?;
    known(snapshots(git, &folder)?).ok_or_else(|| "the snapshot has vanished".to_owned())
}

/// Removes the oldest snapshots below a prefix.
pub(super) fn keep_newest(git: &Git, folder: &str, keep: usize) -> Result<(), String> {
    let all = snapshots(git, folder)?;
    let surplus = all.len().saturating_sub(keep);
    for one in all.iter().take(surplus) {
        git.call("update-ref").args(["-d", &one.reference]).run()?;
    }
    Ok(())
}

/// Removes snapshots that are not kept: beyond the limit of this task, and of tasks that ended long ago.
pub(crate) fn remove(
    git: &Git,
    task: &str,
    keep: usize,
    now: Timestamp,
    kept: impl Fn(&str) -> Kept,
) -> Result<usize, String> {
    let own = snapshots(git, &task_folder(task))?;
    let surplus = own.len().saturating_sub(keep);
    let mut old: Vec<String> = own
        .iter()
        .take(surplus)
        .filter(|one| one.meta.cause != Cause::PassOn)
        .map(|one| one.reference.clone())
        .collect();
    old.extend(ended(&snapshots(git, PREFIX)?, now, kept));
    for reference in &old {
        git.call("update-ref").args(["-d", reference]).run()?;
    }
    Ok(old.len())
}

/// Returns the references of tasks that ended long ago. The exchange is asked only about old snapshots.
fn ended(all: &[Snapshot], now: Timestamp, kept: impl Fn(&str) -> Kept) -> Vec<String> {
    let is_old = |at: Timestamp| now.duration_since(at) > KEPT_AFTER_END;
    let mut asked: BTreeMap<&str, bool> = BTreeMap::new();
    let mut gone = Vec::new();
    for one in all.iter().filter(|one| is_old(one.meta.at)) {
        let task = one.meta.task.as_str();
        let is_gone = asked
            .entry(task)
            .or_insert_with(|| matches!(kept(task), Kept::Ended(at) if is_old(at)));
        if *is_gone {
            gone.push(one.reference.clone());
        }
    }
    gone
}
