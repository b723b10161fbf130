//! Takes a snapshot of a work tree.

use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::guard::skipped;
use super::limits::{LEFT_OUT_MAX, Limits};
use super::meta::{Cause, LeftOut, Meta};
use super::plan::plan;
use super::references::{add, keep_newest, snapshots, task_folder, undo_folder};
use crate::git::command::Git;
use crate::git::facts::id;
use crate::git::head::Repository;
use crate::git::paths::unique;
use crate::git::status::status;

/// The time that a snapshot gets.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The occasion of a snapshot.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) task: String,
    pub(crate) party: String,
    pub(crate) cause: Cause,
    pub(crate) now: Timestamp,
}

/// The result of a snapshot.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// There is a new snapshot.
    Taken,
    /// Nothing has changed since the last snapshot of the task.
    Unchanged,
    /// The reason why none is made of this work tree.
    Skipped(String),
}

/// A new snapshot.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) reference: String,
    /// The tree of the files, and that of the staged files.
    pub(crate) trees: (String, String),
    /// The copy of the index, which has the files of the snapshot and their stat data.
    pub(crate) index: TemporaryIndex,
}

/// Takes a snapshot for a task, unless nothing has changed since its last one.
pub(crate) fn take(
    repository: &Repository,
    git: &Git,
    request: &Request,
    limits: Limits,
) -> Result<Outcome, String> {
    if let Some(reason) = skipped(repository) {
        return Ok(Outcome::Skipped(reason));
    }
    let folder = task_folder(&request.task);
    let files = Files::read(repository, git, limits)?;
    if let Some(last) = snapshots(git, &folder)?.last()
        && last.meta.base == files.base
        && trees_of(git, &last.commit)? == files.trees
    {
        return Ok(Outcome::Unchanged);
    }
    files.commit(repository, git, request, &folder)?;
    Ok(Outcome::Taken)
}

/// Takes a snapshot of the state before a restore. Without it, nothing is restored.
pub(crate) fn undo(
    repository: &Repository,
    git: &Git,
    request: &Request,
    limits: Limits,
) -> Result<Taken, String> {
    let folder = undo_folder(&id(&repository.root));
    let taken = Files::read(repository, git, limits)?.commit(repository, git, request, &folder)?;
    keep_newest(git, &folder, limits.keep)?;
    Ok(taken)
}

/// Returns the tree of the files of a snapshot, and that of its staged files.
pub(crate) fn trees_of(git: &Git, commit: &str) -> Result<(String, String), String> {
    // The staged files are the last parent: the only one if there was no commit yet.
    let parents = git.line("rev-list", &["--parents", "--max-count=1", commit, "--"])?;
    let staged = parents.split(' ').next_back().unwrap_or(commit).to_owned();
    let names = [format!("{commit}^{{tree}}"), format!("{staged}^{{tree}}")];
    let trees = git.call("rev-parse").args(names).line()?;
    let (tree, staged) = trees.split_once('\n').ok_or("a snapshot without trees")?;
    Ok((tree.to_owned(), staged.to_owned()))
}

/// The files of a work tree as objects of its repository.
struct Files {
    index: TemporaryIndex,
    base: Option<String>,
    trees: (String, String),
    left_out: Vec<LeftOut>,
}

impl Files {
    fn read(repository: &Repository, git: &Git, limits: Limits) -> Result<Self, String> {
        let index = TemporaryIndex::copy(repository)?;
        let entries = status(git, Some(index.path()))?;
        let base = repository.head()?.commit;
        let plan = plan(git, &entries, base.as_ref(), limits.file_bytes_max)?;
        let info = |lines: Vec<u8>| update(git, &index, &["-z", "--index-info"], lines);
        info(plan.staged)?;
        let write_tree = || git.call("write-tree").index(index.path()).line();
        let staged = write_tree()?;
        info(plan.work_tree)?;
        update(git, &index, &["--add", "--remove", "-z", "--stdin"], plan.taken)?;
        let tree = write_tree()?;
        Ok(Self { index, base, trees: (tree, staged), left_out: plan.left_out })
    }

    fn commit(
        self,
        repository: &Repository,
        git: &Git,
        request: &Request,
        folder: &str,
    ) -> Result<Taken, String> {
        let left_out_count = self.left_out.len();
        let meta = Meta {
            task: request.task.clone(),
            party: request.party.clone(),
            cause: request.cause,
            at: request.now,
            work_tree: id(&repository.root),
            branch: repository.head()?.branch,
            base: self.base.clone(),
            left_out: self.left_out.iter().take(LEFT_OUT_MAX).cloned().collect(),
            left_out_count,
        };
        let (tree, staged) = &self.trees;
        let parents: Vec<String> = self.base.iter().cloned().collect();
        let staged = commit_tree(git, staged, &parents, "tasuki staged files\n", request.now)?;
        let parents = [parents, vec![staged]].concat();
        let commit = commit_tree(git, tree, &parents, &meta.message(), request.now)?;
        let reference = add(git, folder, &commit)?;
        Ok(Taken { reference, trees: self.trees, index: self.index })
    }
}

fn update(
    git: &Git,
    index: &TemporaryIndex,
    arguments: &[&str],
    input: Vec<u8>,
) -> Result<(), String> {
    if input.is_empty() {
        return Ok(());
    }
    let call = git.call("update-index").args(arguments).index(index.path()).input(input);
    call.run().map(drop)
}

/// Commits a tree in the name of the program, whatever user git is configured for.
fn commit_tree(
    git: &Git,
    tree: &str,
    parents: &[String],
    message: &str,
    now: Timestamp,
) -> Result<String, String> {
    let mut call = git.call("commit-tree").args([tree]);
    for parent in parents {
        call = call.args(["-p", parent]);
    }
    let date = format!("@{} +0000", now.as_second());
    for role in ["AUTHOR", "COMMITTER"] {
        call = call
            .env(&format!("GIT_{role}_NAME"), "tasuki")
            .env(&format!("GIT_{role}_EMAIL"), "tasuki@localhost")
            .env(&format!("GIT_{role}_DATE"), &date);
    }
    call.input(message.as_bytes().to_vec()).line()
}

/// A copy of the index under a name of its own, removed at the end.
#[derive(Debug)]
pub(crate) struct TemporaryIndex(PathBuf);

impl TemporaryIndex {
    /// Copies the index of a work tree with its time. Git trusts the stat data of a file only if the file
    /// is older than the index, so a copy with a later time would hide changes.
    fn copy(repository: &Repository) -> Result<Self, String> {
        let copy = Self(unique(&repository.own, "tasuki-index"));
        let original = repository.own.join("index");
        if !original.exists() {
            return Ok(copy);
        }
        let copied = std::fs::copy(&original, &copy.0)
            .and_then(|_| original.metadata()?.modified())
            .and_then(|at| {
                let times = FileTimes::new().set_modified(at);
                File::options().write(true).open(&copy.0)?.set_times(times)
            });
        copied.map_err(|error| format!("cannot copy the index: {error}"))?;
        Ok(copy)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        // A restore has moved it, or a first snapshot without files has none.
        let _gone = std::fs::remove_file(&self.0).is_err();
    }
}
