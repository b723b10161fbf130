//! Decides which changes of a work tree become part of a snapshot.
//!
//! A path has up to three versions: committed, staged, and in the work tree. A version that is left out is
//! replaced by the committed one, so that a restore does not touch that path.

use super::meta::LeftOut;
use crate::git::command::Git;
use crate::git::leave_out::{
    Content, SECRET_NAME, content, has_secret_name, secret_content, secrets_in,
};
use crate::git::paths::{to_path, to_text};
use crate::git::status::{Entry, EntryKind, Tracked};

/// The changes to a copy of the index.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Entries that put committed versions in place of staged ones, for `update-index --index-info`.
    pub(super) staged: Vec<u8>,
    /// Entries that put committed versions in place of those of the work tree.
    pub(super) work_tree: Vec<u8>,
    /// Paths to take from the work tree, for `update-index --stdin`.
    pub(super) taken: Vec<u8>,
    /// The files that are not part of the snapshot.
    pub(super) left_out: Vec<LeftOut>,
}

/// The committed version of a file that has none.
const NONE: &str = "000000";

/// Decides about every entry of `git status`.
pub(super) fn plan(
    git: &Git,
    entries: &[Entry],
    base: Option<&String>,
    bytes_max: u64,
) -> Result<Plan, String> {
    // Object ids have 40 or 64 digits.
    let zero = "0".repeat(base.map_or(40, String::len));
    let mut planner = Planner { git, bytes_max, zero, plan: Plan::default() };
    for entry in entries {
        planner.decide(entry)?;
    }
    Ok(planner.plan)
}

struct Planner<'g> {
    git: &'g Git,
    bytes_max: u64,
    /// The object id of nothing.
    zero: String,
    plan: Plan,
}

impl Planner<'_> {
    fn decide(&mut self, entry: &Entry) -> Result<(), String> {
        let path = &entry.path;
        match &entry.kind {
            EntryKind::Untracked if path.ends_with(b"/") => {
                self.leave_out(path, "a nested repository");
            }
            EntryKind::Untracked => match self.untracked(path) {
                None => self.take(path),
                Some(reason) => self.leave_out(path, reason),
            },
            EntryKind::Conflicted => self.conflicted(path)?,
            EntryKind::Tracked(tracked) if tracked.is_submodule => self.submodule(path, tracked),
            EntryKind::Tracked(tracked) => self.tracked(path, tracked)?,
        }
        Ok(())
    }

    /// Returns the reason why an untracked file is left out.
    fn untracked(&self, path: &[u8]) -> Option<String> {
        if has_secret_name(path, false) {
            return Some(SECRET_NAME.to_owned());
        }
        self.unfit(path, || Ok(Vec::new())).ok()?
    }

    /// Returns the reason why a file of the work tree is left out for its content.
    fn unfit(
        &self,
        path: &[u8],
        committed: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Option<String>, String> {
        Ok(match content(&self.git.root().join(to_path(path)), self.bytes_max) {
            Content::Gone => None,
            Content::LeftOut(reason) => Some(reason),
            Content::Bytes(bytes) if secrets_in(&bytes).is_empty() => None,
            Content::Bytes(bytes) => {
                let committed = committed()?;
                secret_content(&bytes, || committed)
            }
        })
    }

    /// A conflict has no staged version. The file of the work tree is taken as it is.
    fn conflicted(&mut self, path: &[u8]) -> Result<(), String> {
        let line = self.git.call("ls-tree").args(["-z", "--full-tree", "HEAD", "--"]);
        let line = line.args([to_path(path)]).answer()?.output;
        let text = String::from_utf8_lossy(&line).into_owned();
        let mut fields = text.split(['\t', ' ']);
        let committed = match (fields.next(), fields.next(), fields.next()) {
            (Some(mode), Some(_), Some(id)) => (mode.to_owned(), id.to_owned()),
            _ => (NONE.to_owned(), self.zero.clone()),
        };
        // Removing the path removes all of its versions.
        index_info(&mut self.plan.staged, &(NONE.to_owned(), self.zero.clone()), path);
        index_info(&mut self.plan.staged, &committed, path);
        self.leave_out(path, "a merge conflict of the index; the file itself is kept");
        match self.untracked(path) {
            None => self.take(path),
            Some(reason) => self.leave_out(path, reason),
        }
        Ok(())
    }

    fn submodule(&mut self, path: &[u8], tracked: &Tracked) {
        if !matches!(tracked.changed, b'.' | b'D') {
            self.take(path);
        }
        let reason = if tracked.is_dirty_submodule {
            "uncommitted content of a submodule"
        } else {
            "the content of a submodule; its commit id is kept"
        };
        self.leave_out(path, reason);
    }

    fn tracked(&mut self, path: &[u8], tracked: &Tracked) -> Result<(), String> {
        // A file that only the index has lost is an entry of its own, as untracked.
        if tracked.staged == b'D' {
            return Ok(());
        }
        let is_committed = tracked.committed.0 != NONE;
        let by_name = has_secret_name(path, is_committed).then(|| SECRET_NAME.to_owned());
        let committed = || self.blob(is_committed.then_some(&tracked.committed.1));
        let unfit = match &by_name {
            _ if tracked.changed == b'D' => None,
            Some(reason) => Some(reason.clone()),
            None => self.unfit(path, committed)?,
        };
        let staged = match by_name {
            _ if tracked.staged == b'.' => None,
            Some(reason) => Some(reason),
            // Without further changes, the staged version is the one of the work tree.
            None if tracked.changed == b'.' => unfit.clone(),
            None => self.staged_unfit(tracked, is_committed)?,
        };
        match (unfit, staged) {
            (Some(reason), Some(_)) => self.revert(path, tracked, reason),
            (Some(reason), None) => {
                index_info(&mut self.plan.work_tree, &tracked.committed, path);
                self.leave_out(path, reason);
            }
            (None, staged) => {
                if let Some(reason) = staged {
                    index_info(&mut self.plan.staged, &tracked.committed, path);
                    self.leave_out(path, format!("the staged version: {reason}"));
                }
                self.take(path);
            }
        }
        Ok(())
    }

    /// Returns the reason why the staged version of a file is left out.
    fn staged_unfit(
        &self,
        tracked: &Tracked,
        is_committed: bool,
    ) -> Result<Option<String>, String> {
        let size: u64 = self.git.line("cat-file", &["-s", &tracked.indexed])?.parse().unwrap_or(0);
        if size > self.bytes_max {
            return Ok(Some(format!("{size} bytes, the limit is {}", self.bytes_max)));
        }
        let bytes = self.blob(Some(&tracked.indexed))?;
        if secrets_in(&bytes).is_empty() {
            return Ok(None);
        }
        let committed = self.blob(is_committed.then_some(&tracked.committed.1))?;
        Ok(secret_content(&bytes, || committed))
    }

    fn blob(&self, id: Option<&String>) -> Result<Vec<u8>, String> {
        match id {
            Some(id) => self.git.call("cat-file").args(["blob", id]).run(),
            None => Ok(Vec::new()),
        }
    }

    /// Puts the committed version in place of both others.
    fn revert(&mut self, path: &[u8], tracked: &Tracked, reason: impl Into<String>) {
        index_info(&mut self.plan.staged, &tracked.committed, path);
        index_info(&mut self.plan.work_tree, &tracked.committed, path);
        self.leave_out(path, reason);
    }

    fn take(&mut self, path: &[u8]) {
        self.plan.taken.extend(path);
        self.plan.taken.push(0);
    }

    fn leave_out(&mut self, path: &[u8], reason: impl Into<String>) {
        self.plan.left_out.push(LeftOut { path: to_text(path), reason: reason.into() });
    }
}

/// Adds an entry with a mode and an object id. The mode 0 removes the path.
fn index_info(lines: &mut Vec<u8>, (mode, id): &(String, String), path: &[u8]) {
    let mode = if mode == NONE { "0" } else { mode };
    lines.extend(format!("{mode} {id}\t").as_bytes());
    lines.extend(path);
    lines.push(0);
}
