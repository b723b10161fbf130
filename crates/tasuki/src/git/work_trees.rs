//! The work trees of a repository.

use std::path::PathBuf;
use std::time::Duration;

use super::command::Git;
use super::facts::id;
use super::head::Repository;
use super::paths::to_path;

/// The time that git gets.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A work tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedWorkTree {
    /// The id that records have.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    /// The branch, unless `HEAD` is detached.
    pub(crate) branch: Option<String>,
}

/// Returns the work trees of a repository, the main one first.
pub(crate) fn work_trees(repository: &Repository) -> Result<Vec<ListedWorkTree>, String> {
    let git = Git::open(repository, TIMEOUT)?;
    let output = git.call("worktree").args(["list", "--porcelain", "-z"]).run()?;
    // Every attribute ends with a zero byte, and every work tree with another one.
    let mut found: Vec<ListedWorkTree> = Vec::new();
    for line in output.split(|byte| *byte == 0) {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            let path = to_path(path);
            // The record has the canonical path.
            let path = path.canonicalize().unwrap_or(path);
            found.push(ListedWorkTree { id: id(&path), path, branch: None });
        } else if let Some(branch) = line.strip_prefix(b"branch refs/heads/")
            && let Some(last) = found.last_mut()
        {
            last.branch = Some(String::from_utf8_lossy(branch).into_owned());
        }
    }
    Ok(found)
}
