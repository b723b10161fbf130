//! Restores a snapshot in another work tree: the files, and the index.
//!
//! The current state becomes a snapshot first, which undoes the restore. Git then changes exactly the files
//! that differ between the two, on a copy of the index. A file that neither of them has is never overwritten
//! (`in_the_way`). `HEAD` never moves, so the work tree must be at the commit of the snapshot.

use std::fs::File;
use std::path::PathBuf;

use serde::Serialize;

use super::command::Git;
use super::head::Repository;
use super::in_the_way;
use super::paths::to_text;
use super::snapshot::{Limits, Request, Snapshot, Taken, trees_of, undo};

/// A restore that is ready to be applied.
#[derive(Debug)]
pub(crate) struct Restore<'g> {
    git: &'g Git,
    current: Taken,
    /// The tree of the files, and that of the staged files.
    trees: (String, String),
    lock: IndexLock,
    /// The files that it touches.
    pub(crate) changes: Vec<FileChange>,
}

/// A file that a restore touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) change: &'static str,
    /// The path as git prints it.
    #[serde(skip)]
    pub(super) bytes: Vec<u8>,
}

/// A work tree that is at another commit than the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherBase {
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
}

/// Returns the difference between the commit of a snapshot and that of a work tree.
pub(crate) fn other_base(repository: &Repository, snapshot: &Snapshot) -> Option<OtherBase> {
    let found = repository.head().ok().and_then(|head| head.commit);
    let expected = snapshot.meta.base.clone();
    (found != expected).then_some(OtherBase { expected, found })
}

impl<'g> Restore<'g> {
    /// Takes the snapshot that undoes the restore, and lists the files that will change. The work tree
    /// must be at the commit of the snapshot.
    pub(crate) fn prepare(
        repository: &Repository,
        git: &'g Git,
        snapshot: &Snapshot,
        request: &Request,
        limits: Limits,
    ) -> Result<Self, String> {
        let lock = IndexLock::take(repository)?;
        let trees = trees_of(git, &snapshot.commit)?;
        let current = undo(repository, git, request, limits)?;
        let changes = changes(git, &current.trees.0, &trees.0)?;
        let restore = Self { git, current, trees, lock, changes };
        if let Err(reason) = in_the_way::check(git.root(), &restore.changes) {
            restore.discard()?;
            return Err(reason);
        }
        Ok(restore)
    }

    /// Returns the paths whose content may run programs or steer an agent.
    pub(crate) fn sensitive(&self) -> Vec<&str> {
        self.changes.iter().map(|one| one.path.as_str()).filter(|path| is_sensitive(path)).collect()
    }

    /// Returns the reference of the snapshot that undoes the restore.
    pub(crate) fn undo_reference(&self) -> &str {
        &self.current.reference
    }

    /// Removes the snapshot that would undo the restore.
    pub(crate) fn discard(self) -> Result<(), String> {
        self.git.call("update-ref").args(["-d", &self.current.reference]).run().map(drop)
    }

    /// Changes the files, then the index.
    pub(crate) fn apply(self) -> Result<Vec<FileChange>, String> {
        // Git checks every file before it changes the first one.
        let trees = [&self.current.trees.0, &self.trees.0];
        let files = self.git.call("read-tree").args(["-m", "-u"]).args(trees);
        files.index(self.current.index.path()).run()?;
        let staged = self.git.call("read-tree").args(["-m", &self.trees.1]);
        staged.index(self.current.index.path()).run()?;
        self.lock.replace_index(self.current.index.path())?;
        Ok(self.changes)
    }
}

/// A file that only the snapshot has.
pub(super) const WRITTEN: &str = "written";

/// A file that the snapshot does not have.
pub(super) const REMOVED: &str = "removed";

/// Returns the files that differ between two trees.
fn changes(git: &Git, from: &str, to: &str) -> Result<Vec<FileChange>, String> {
    let call = git.call("diff-tree").args(["-r", "-z", "--no-renames", "--name-status", from, to]);
    let output = call.run()?;
    let mut fields = output.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
        let change = match letter {
            b"A" => WRITTEN,
            b"D" => REMOVED,
            _ => "changed",
        };
        changes.push(FileChange { path: to_text(path), change, bytes: path.to_vec() });
    }
    Ok(changes)
}

/// Folders whose files run programs, or are read by an editor or an agent.
const SENSITIVE_FOLDERS: &[&str] =
    &[".vscode", ".claude", ".codex", ".cursor", ".gemini", ".husky", ".idea", "hooks"];

/// Files that run programs, or are read by an agent.
const SENSITIVE_FILES: &[&str] = &[".envrc", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".mcp.json"];

/// Returns `true` for a path whose content may run programs or steer an agent.
fn is_sensitive(path: &str) -> bool {
    let is_listed = |part: &str| {
        let is = |known: &&str| known.eq_ignore_ascii_case(part);
        part.to_ascii_lowercase().starts_with(".git")
            || SENSITIVE_FOLDERS.iter().any(is)
            || SENSITIVE_FILES.iter().any(is)
    };
    path.split('/').any(is_listed)
}

/// The lock that git itself takes before it writes the index.
#[derive(Debug)]
struct IndexLock {
    lock: PathBuf,
    index: PathBuf,
}

impl IndexLock {
    fn take(repository: &Repository) -> Result<Self, String> {
        let (lock, index) = (repository.own.join("index.lock"), repository.own.join("index"));
        File::create_new(&lock)
            .map_err(|error| format!("cannot lock the index with {}: {error}", lock.display()))?;
        Ok(Self { lock, index })
    }

    /// Puts another index in place, as git does: under the lock, by renaming.
    fn replace_index(&self, new: &std::path::Path) -> Result<(), String> {
        std::fs::rename(new, &self.lock)
            .and_then(|()| std::fs::rename(&self.lock, &self.index))
            .map_err(|error| format!("cannot write the index: {error}"))
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // After a restore, the lock has become the index.
        let _gone = std::fs::remove_file(&self.lock).is_err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_run_programs_or_steer_an_agent_are_known() {
        for path in [
            ".gitattributes",
            "sub/.gitmodules",
            ".github/workflows/ci.yml",
            ".envrc",
            ".vscode/tasks.json",
            ".claude/settings.json",
            "docs/AGENTS.md",
            "agents.md",
            "hooks/pre-commit",
            ".husky/x",
        ] {
            assert!(is_sensitive(path), "{path}");
        }
        for path in ["src/main.rs", "git/a", "vscode/a", "webhooks/a", "AGENTS.md.txt"] {
            assert!(!is_sensitive(path), "{path}");
        }
    }
}
