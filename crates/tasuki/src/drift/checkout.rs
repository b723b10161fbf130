//! The checkout of a directory: repository, branch, commit and files with uncommitted changes.
//!
//! Its fingerprint changes with every edit of a tracked or untracked file, so that a caller can tell
//! whether a session has changed anything. Only names, sizes and times are read, no contents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};

use super::git::Git;
use super::head::{Head, Repository};
use super::tool;

/// A working tree and its state.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    /// The root of the working tree.
    pub(crate) root: PathBuf,
    /// The directory that all worktrees of the repository share.
    pub(crate) repository: PathBuf,
    /// The branch, unless `HEAD` is detached.
    pub(crate) branch: Option<String>,
    /// The commit, unless the branch has none yet.
    pub(crate) commit: Option<String>,
}

impl Checkout {
    /// Returns the checkout that a directory is in, without running git.
    pub(crate) fn around(directory: &Path) -> Option<Self> {
        let repository = Repository::around(&directory.canonicalize().ok()?)?;
        let Head { branch, commit } = repository.head().ok()?;
        let common = repository.common();
        let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
        Some(Self { root: repository.root, repository: common, branch, commit })
    }

    /// Returns the files with uncommitted changes, relative to the root, each with its state.
    pub(crate) fn dirty_files(&self) -> Result<BTreeMap<String, &'static str>, String> {
        let search_path = std::env::var_os("PATH");
        let git = tool::find("git", search_path.as_deref(), &[self.root.as_path()])?;
        Git::new(git, self.root.clone()).dirty_files()
    }

    /// Returns a text that is another one after every change of a file or a commit.
    pub(crate) fn fingerprint(&self, dirty: &BTreeMap<String, &'static str>) -> String {
        let mut hash = Sha256::new();
        hash.update(self.commit.as_deref().unwrap_or_default());
        for (path, state) in dirty {
            hash.update(format!("\0{path}\0{state}\0{}", trace(&self.root.join(path))));
        }
        let bytes = hash.finalize();
        bytes.iter().take(16).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }
}

/// Returns the size and the time of the last change of a file.
fn trace(path: &Path) -> String {
    let Ok(found) = path.symlink_metadata() else { return String::new() };
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", found.len(), changed.unwrap_or_default().as_nanos())
}
