//! Finds the nearest `.tasuki/` upward.
//!
//! All worktrees of a repository share one data directory. At the root of a linked worktree the
//! main worktree is searched first, then the worktree itself and the folders above either.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::layout::{DataDir, FOLDER};
use super::repository::{RepositoryKind, repository_kind};
use crate::exit::{Failure, reason};

impl DataDir {
    /// Finds the data directory of a folder: the nearest one upward.
    pub(crate) fn find(from: &Path) -> Result<Self, Failure> {
        let from = canonical(from)?;
        let path = SearchPath::from(&from);
        match path.nearest()? {
            Some(data_dir) => Ok(data_dir),
            None => Err(path.not_found(&from)),
        }
    }
}

/// Resolves every link of a path.
pub(super) fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| {
        Failure::usage(format!("cannot read {}: {}", path.display(), reason(&error)))
    })
}

/// Returns `true` if a folder has a data directory.
pub(super) fn has_data_dir(folder: &Path) -> Result<bool, Failure> {
    let path = folder.join(FOLDER);
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(Failure::usage(format!("{} is a file, not a folder", path.display()))
            .hint("move it away; `.tasuki/` is reserved for the exchange")),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        // Searching on would silently use another one.
        Err(error) => {
            Err(Failure::usage(format!("cannot read {}: {}", path.display(), reason(&error))))
        }
    }
}

/// Returns the failure for a worktree whose repository cannot be found.
pub(super) fn broken_worktree(worktree: &Path, target: &Path) -> Failure {
    Failure::usage(format!(
        "the worktree {} belongs to {}, which cannot be found",
        worktree.display(),
        target.display()
    ))
    .hint("run `git worktree repair` in the main worktree")
}

/// The folders to search, nearest first.
struct SearchPath {
    folders: Vec<PathBuf>,
    /// A worktree without its repository, which ends the search: folders above it are unrelated.
    lost: Option<(PathBuf, PathBuf)>,
}

impl SearchPath {
    fn from(from: &Path) -> Self {
        let mut path = Self { folders: Vec::new(), lost: None };
        for folder in from.ancestors() {
            match repository_kind(folder) {
                RepositoryKind::NotRepository | RepositoryKind::Root => {
                    path.folders.push(folder.to_owned());
                }
                RepositoryKind::LinkedWorktree(main) => {
                    path.folders.extend([main.clone(), folder.to_owned()]);
                    path.folders.extend(main.ancestors().skip(1).map(Path::to_owned));
                }
                RepositoryKind::BrokenWorktree(target) => {
                    path.folders.push(folder.to_owned());
                    path.lost = Some((folder.to_owned(), target));
                    break;
                }
            }
        }
        path
    }

    fn nearest(&self) -> Result<Option<DataDir>, Failure> {
        for folder in &self.folders {
            if has_data_dir(folder)? {
                return Ok(Some(DataDir::in_folder(folder)));
            }
        }
        Ok(None)
    }

    fn not_found(&self, from: &Path) -> Failure {
        match &self.lost {
            Some((worktree, target)) => broken_worktree(worktree, target),
            None => Failure::usage(format!(
                "no `{FOLDER}/` found in {} or any folder above it",
                from.display()
            ))
            .hint("create one with `tasuki init`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    /// Returns a repository with a worktree beside it, one inside it, and a submodule. It is
    /// written by hand, so the test does not need git.
    fn repository() -> TempDir {
        TempDir::new()
            .with("main/.git/HEAD", "ref: refs/heads/main\n")
            .with("main/.git/worktrees/side/commondir", "../..\n")
            .with("main/.git/modules/sub/HEAD", "ref: refs/heads/main\n")
            .with("main/src/deep/a", "")
            .with("main/sub/.git", "gitdir: ../.git/modules/sub\n")
            .with("main/sub/src/a", "")
            .with("main/.trees/in/.git", "gitdir: ../../.git/worktrees/side\n")
            .with("elsewhere/side/.git", "gitdir: ../../main/.git/worktrees/side\n")
            .with("elsewhere/side/src/a", "")
    }

    fn check(temp_dir: &TempDir, from: &str, expected: &str) {
        let found = DataDir::find(&temp_dir.path(from)).unwrap();
        assert_eq!(found.path(), temp_dir.path(expected), "from {from}");
    }

    #[test]
    fn every_worktree_finds_the_data_dir_of_the_main_one() {
        let temp_dir = repository().with("main/.tasuki/a", "").with("elsewhere/.tasuki/a", "");
        for from in [
            "main",
            "main/src/deep",
            "main/.git",
            "main/.git/worktrees/side",
            "main/.trees/in",
            "elsewhere/side",
            "elsewhere/side/src",
        ] {
            check(&temp_dir, from, "main/.tasuki");
        }
        check(&temp_dir, "elsewhere", "elsewhere/.tasuki");
    }

    #[test]
    fn the_nearest_data_dir_wins() {
        let temp_dir = repository().with(".tasuki/a", "").with("main/src/.tasuki/a", "");
        check(&temp_dir, "main/src/deep", "main/src/.tasuki");
        check(&temp_dir, "main", ".tasuki");
        check(&temp_dir, "elsewhere/side", ".tasuki");
    }

    #[test]
    fn a_worktree_uses_the_data_dir_of_its_main_worktree() {
        let temp_dir = TempDir::new()
            .with("home/.tasuki/a", "")
            .with("home/main/.git/worktrees/w/commondir", "../..\n")
            .with("other/.tasuki/a", "")
            .with("other/w/.git", "gitdir: ../../home/main/.git/worktrees/w\n");
        check(&temp_dir, "other/w", "home/.tasuki");
    }

    #[test]
    fn a_submodule_has_its_own_data_dir_or_the_one_above() {
        let temp_dir = repository().with("main/.tasuki/a", "");
        check(&temp_dir, "main/sub/src", "main/.tasuki");
        let temp_dir = temp_dir.with("main/sub/.tasuki/a", "");
        check(&temp_dir, "main/sub/src", "main/sub/.tasuki");
        check(&temp_dir, "main", "main/.tasuki");
    }

    #[test]
    fn links_to_folders_are_followed() {
        let temp_dir = TempDir::new().with("real/.tasuki/a", "").with("real/src/a", "");
        std::os::unix::fs::symlink(temp_dir.path("real/src"), temp_dir.path("link")).unwrap();
        check(&temp_dir, "link", "real/.tasuki");
    }

    fn refused(temp_dir: &TempDir, from: &str) -> String {
        temp_dir.shown(&DataDir::find(&temp_dir.path(from)).unwrap_err())
    }

    #[test]
    fn obstacles_are_named() {
        let temp_dir = TempDir::new()
            .with("a/.tasuki", "")
            .with("a/b/c", "")
            .with("w/.git", "gitdir: ../gone/.git/worktrees/w\n");
        insta::assert_snapshot!(refused(&temp_dir, "a/b"), @"
        [DIR]/a/.tasuki is a file, not a folder
        hint: move it away; `.tasuki/` is reserved for the exchange
        ");
        insta::assert_snapshot!(refused(&temp_dir, "a/x"), @"cannot read [DIR]/a/x: no such file or directory");
        insta::assert_snapshot!(refused(&temp_dir, "w"), @"
        the worktree [DIR]/w belongs to [DIR]/w/../gone/.git/worktrees/w, which cannot be found
        hint: run `git worktree repair` in the main worktree
        ");
        // Its own data directory is the nearest.
        let temp_dir = temp_dir.with("w/.tasuki/a", "");
        check(&temp_dir, "w", "w/.tasuki");
    }

    #[test]
    fn a_missing_data_dir_has_a_hint() {
        // The machine may have a data directory further up, so only the search path is tested.
        let temp_dir = TempDir::new();
        let path = SearchPath { folders: vec![temp_dir.path("a"), temp_dir.path("")], lost: None };
        assert_eq!(path.nearest().unwrap(), None);
        insta::assert_snapshot!(temp_dir.shown(&path.not_found(&temp_dir.path("a"))), @"
        no `.tasuki/` found in [DIR]/a or any folder above it
        hint: create one with `tasuki init`
        ");
        assert_eq!(SearchPath::from(&temp_dir.path("a")).folders.last().unwrap(), Path::new("/"));
    }
}
