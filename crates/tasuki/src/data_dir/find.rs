//! The nearest `.tasuki/` upward.
//!
//! All worktrees of a repository share one place: at the root of a linked worktree the search looks at
//! the main worktree first, and then at what is above either of them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::layout::{FOLDER, Place};
use super::repository::{Standing, standing};
use crate::exit::{Failure, reason};

impl Place {
    /// The place that belongs to a folder.
    pub(crate) fn find(from: &Path) -> Result<Self, Failure> {
        let from = real(from)?;
        let way = Way::from(&from);
        match way.nearest()? {
            Some(place) => Ok(place),
            None => Err(way.nothing(&from)),
        }
    }
}

/// The folder that a path leads to, with every link resolved.
pub(super) fn real(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| {
        Failure::usage(format!("cannot look in {}: {}", path.display(), reason(&error)))
    })
}

/// Whether a folder has a place.
pub(super) fn has_place(folder: &Path) -> Result<bool, Failure> {
    let path = folder.join(FOLDER);
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(Failure::usage(format!("{} is a file, not a folder", path.display()))
            .hint("move it away; `.tasuki/` belongs to the exchange")),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        // Going on upward would quietly use another place.
        Err(error) => {
            Err(Failure::usage(format!("cannot look at {}: {}", path.display(), reason(&error))))
        }
    }
}

/// Says that the repository of a worktree is not where it should be.
pub(super) fn lost(worktree: &Path, target: &Path) -> Failure {
    Failure::usage(format!(
        "the worktree {} belongs to {}, which cannot be found",
        worktree.display(),
        target.display()
    ))
    .hint("run `git worktree repair` in the main worktree")
}

/// The folders that are looked at, nearest first.
struct Way {
    folders: Vec<PathBuf>,
    /// A worktree that lost its repository, where the way ends: beyond it is the place of others.
    lost: Option<(PathBuf, PathBuf)>,
}

impl Way {
    fn from(from: &Path) -> Self {
        let mut way = Self { folders: Vec::new(), lost: None };
        for folder in from.ancestors() {
            match standing(folder) {
                Standing::Plain | Standing::Root => way.folders.push(folder.to_owned()),
                Standing::Linked(main) => {
                    way.folders.extend([main.clone(), folder.to_owned()]);
                    way.folders.extend(main.ancestors().skip(1).map(Path::to_owned));
                }
                Standing::Lost(target) => {
                    way.folders.push(folder.to_owned());
                    way.lost = Some((folder.to_owned(), target));
                    break;
                }
            }
        }
        way
    }

    fn nearest(&self) -> Result<Option<Place>, Failure> {
        for folder in &self.folders {
            if has_place(folder)? {
                return Ok(Some(Place::in_folder(folder)));
            }
        }
        Ok(None)
    }

    fn nothing(&self, from: &Path) -> Failure {
        match &self.lost {
            Some((worktree, target)) => lost(worktree, target),
            None => Failure::usage(format!(
                "there is no `{FOLDER}/` in {} or any folder above it",
                from.display()
            ))
            .hint("make one with `tasuki init`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::Scratch;

    /// A repository with a worktree beside it, one inside it, and a submodule; by hand, so that no
    /// machine needs git.
    fn repository() -> Scratch {
        Scratch::new()
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

    fn check(scratch: &Scratch, from: &str, expected: &str) {
        let found = Place::find(&scratch.path(from)).unwrap();
        assert_eq!(found.folder(), scratch.path(expected), "from {from}");
    }

    #[test]
    fn every_worktree_finds_the_place_of_the_main_one() {
        let scratch = repository().with("main/.tasuki/a", "").with("elsewhere/.tasuki/a", "");
        for from in [
            "main",
            "main/src/deep",
            "main/.git",
            "main/.git/worktrees/side",
            "main/.trees/in",
            "elsewhere/side",
            "elsewhere/side/src",
        ] {
            check(&scratch, from, "main/.tasuki");
        }
        check(&scratch, "elsewhere", "elsewhere/.tasuki");
    }

    #[test]
    fn the_nearest_place_wins() {
        let scratch = repository().with(".tasuki/a", "").with("main/src/.tasuki/a", "");
        check(&scratch, "main/src/deep", "main/src/.tasuki");
        check(&scratch, "main", ".tasuki");
        check(&scratch, "elsewhere/side", ".tasuki");
    }

    #[test]
    fn a_worktree_goes_where_its_main_worktree_goes() {
        let scratch = Scratch::new()
            .with("home/.tasuki/a", "")
            .with("home/main/.git/worktrees/w/commondir", "../..\n")
            .with("other/.tasuki/a", "")
            .with("other/w/.git", "gitdir: ../../home/main/.git/worktrees/w\n");
        check(&scratch, "other/w", "home/.tasuki");
    }

    #[test]
    fn a_submodule_has_its_own_place_or_the_one_above() {
        let scratch = repository().with("main/.tasuki/a", "");
        check(&scratch, "main/sub/src", "main/.tasuki");
        let scratch = scratch.with("main/sub/.tasuki/a", "");
        check(&scratch, "main/sub/src", "main/sub/.tasuki");
        check(&scratch, "main", "main/.tasuki");
    }

    #[test]
    fn links_to_folders_are_followed() {
        let scratch = Scratch::new().with("real/.tasuki/a", "").with("real/src/a", "");
        std::os::unix::fs::symlink(scratch.path("real/src"), scratch.path("link")).unwrap();
        check(&scratch, "link", "real/.tasuki");
    }

    fn refused(scratch: &Scratch, from: &str) -> String {
        scratch.shown(&Place::find(&scratch.path(from)).unwrap_err())
    }

    #[test]
    fn what_is_in_the_way_is_named() {
        let scratch = Scratch::new()
            .with("a/.tasuki", "")
            .with("a/b/c", "")
            .with("w/.git", "gitdir: ../gone/.git/worktrees/w\n");
        insta::assert_snapshot!(refused(&scratch, "a/b"), @"
        [DIR]/a/.tasuki is a file, not a folder
        hint: move it away; `.tasuki/` belongs to the exchange
        ");
        insta::assert_snapshot!(refused(&scratch, "a/x"), @"cannot look in [DIR]/a/x: no such file or directory");
        insta::assert_snapshot!(refused(&scratch, "w"), @"
        the worktree [DIR]/w belongs to [DIR]/w/../gone/.git/worktrees/w, which cannot be found
        hint: run `git worktree repair` in the main worktree
        ");
        // A place of its own is the nearest there can be.
        let scratch = scratch.with("w/.tasuki/a", "");
        check(&scratch, "w", "w/.tasuki");
    }

    #[test]
    fn the_end_of_the_way_says_what_to_do() {
        // The machine may have a place further up, so only the way itself is asked.
        let scratch = Scratch::new();
        let way = Way { folders: vec![scratch.path("a"), scratch.path("")], lost: None };
        assert_eq!(way.nearest().unwrap(), None);
        insta::assert_snapshot!(scratch.shown(&way.nothing(&scratch.path("a"))), @"
        there is no `.tasuki/` in [DIR]/a or any folder above it
        hint: make one with `tasuki init`
        ");
        assert_eq!(Way::from(&scratch.path("a")).folders.last().unwrap(), Path::new("/"));
    }
}
