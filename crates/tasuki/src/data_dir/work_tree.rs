//! The work tree that a command runs in, which says where a claim was made.

use std::path::{Path, PathBuf};

use super::layout::FOLDER;
use super::repository::{RepositoryKind, repository_kind};

/// Returns the work tree of the current directory, if its path is text.
pub(crate) fn current_work_tree() -> Option<String> {
    let from = std::env::current_dir().ok()?.canonicalize().ok()?;
    work_tree(&from).to_str().map(str::to_owned)
}

/// Returns the nearest folder upward that is the root of a work tree or has a data directory, else
/// the folder itself.
fn work_tree(from: &Path) -> PathBuf {
    let is_root = |folder: &&Path| {
        repository_kind(folder) != RepositoryKind::NotRepository || folder.join(FOLDER).is_dir()
    };
    from.ancestors().find(is_root).unwrap_or(from).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    #[test]
    fn every_work_tree_is_a_place_of_its_own() {
        let temp_dir = TempDir::new()
            .with("main/.git/HEAD", "ref: refs/heads/main\n")
            .with("main/.git/worktrees/side/commondir", "../..\n")
            .with("main/src/a", "")
            .with("side/.git", "gitdir: ../main/.git/worktrees/side\n")
            .with("side/src/a", "")
            .with("plain/.tasuki/a", "")
            .with("plain/src/a", "")
            .with("none/src/a", "");
        let check = |from: &str, expected: &str| {
            assert_eq!(work_tree(&temp_dir.path(from)), temp_dir.path(expected), "{from}");
        };
        check("main/src", "main");
        check("side/src", "side");
        check("plain/src", "plain");
        check("none/src", "none/src");
    }
}
