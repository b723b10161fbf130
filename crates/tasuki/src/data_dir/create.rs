//! Making a `.tasuki/`, or completing one.
//!
//! There is one place for each repository, at the root that its worktrees share; outside of a
//! repository it is made exactly where it was asked for. After that, `find` from the same folder finds it.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::find::{has_place, lost, real};
use super::layout::{FOLDER, GITIGNORE, PROJECTS, Place, SESSIONS, SPOOL};
use super::private_files::{make_folder, sync_folder};
use super::repository::{Standing, standing};
use crate::exit::Failure;

/// What was made, by its name below `.tasuki/`; the folder itself is the empty name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Created(Vec<&'static str>);

impl Created {
    /// Whether there was no place before.
    pub(crate) fn is_new(&self) -> bool {
        self.0.contains(&"")
    }
}

impl Place {
    /// Makes the place that belongs to a folder. What is there already stays as it is.
    pub(crate) fn create(at: &Path) -> Result<(Self, Created), Failure> {
        let at = real(at)?;
        if !at.is_dir() {
            return Err(Failure::usage(format!("{} is a file, not a folder", at.display()))
                .hint("name the folder that the place is for"));
        }
        let place = Self::in_folder(&root_for(&at)?);
        let mut created = Created::default();
        // `.gitignore` first: whenever this is interrupted, nothing of it can be committed.
        make(&place, "", &mut created)?;
        ignore(&place, &mut created)?;
        for name in [PROJECTS, SESSIONS, SPOOL] {
            make(&place, name, &mut created)?;
        }
        Ok((place, created))
    }
}

/// The folder whose place is made: the nearest that has one within the repository, else its root.
fn root_for(at: &Path) -> Result<PathBuf, Failure> {
    let mut standings = at.ancestors().map(|folder| (folder, standing(folder)));
    let Some((root, kind)) = standings.find(|(_, kind)| *kind != Standing::Plain) else {
        return Ok(at.to_owned());
    };
    for folder in at.ancestors().take_while(|folder| *folder != root) {
        if has_place(folder)? {
            return Ok(folder.to_owned());
        }
    }
    match kind {
        Standing::Linked(main) if has_place(&main)? || !has_place(root)? => Ok(main),
        Standing::Lost(target) if !has_place(root)? => Err(lost(root, &target)),
        _ => Ok(root.to_owned()),
    }
}

fn make(place: &Place, name: &'static str, created: &mut Created) -> Result<(), Failure> {
    let path = if name.is_empty() { place.folder().to_owned() } else { place.folder().join(name) };
    if make_folder(&path).map_err(|error| unmade(&path, &error))? {
        created.0.push(name);
    }
    Ok(())
}

fn ignore(place: &Place, created: &mut Created) -> Result<(), Failure> {
    let path = place.folder().join(GITIGNORE);
    let made = std::fs::File::create_new(&path).and_then(|mut file| {
        file.write_all(b"*\n")?;
        file.sync_all()?;
        sync_folder(place.folder())
    });
    match made {
        Ok(()) => created.0.push(GITIGNORE),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unmade(&path, &error)),
    }
    Ok(())
}

fn unmade(path: &Path, error: &std::io::Error) -> Failure {
    let failure = Failure::of_file(format!("cannot make {}", path.display()), error);
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            failure.hint("choose a folder that you may write to")
        }
        ErrorKind::AlreadyExists => {
            failure.hint(format!("move it away; `{FOLDER}/` belongs to the exchange"))
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::temp_dir::Scratch;

    /// Makes a place, which must be where `find` looks, and says what was made.
    fn created(scratch: &Scratch, at: &str, expected: &str) -> Vec<&'static str> {
        let (place, created) = Place::create(&scratch.path(at)).unwrap();
        assert_eq!(place.folder(), scratch.path(expected), "at {at}");
        assert_eq!(Place::find(&scratch.path(at)).unwrap(), place);
        assert_eq!(Place::create(&scratch.path(at)).unwrap(), (place, Created::default()));
        created.0
    }

    #[test]
    fn a_place_is_made_once_and_completed_later() {
        let scratch = Scratch::new();
        let made = created(&scratch, "", ".tasuki");
        assert_eq!(made, ["", ".gitignore", "projects", "sessions", "spool"]);
        assert_eq!(scratch.read(".tasuki/.gitignore"), "*\n");

        let scratch = scratch.with(".tasuki/.gitignore", "# mine\n");
        std::fs::remove_dir(scratch.path(".tasuki/spool")).unwrap();
        assert_eq!(created(&scratch, "", ".tasuki"), ["spool"]);
        assert_eq!(scratch.read(".tasuki/.gitignore"), "# mine\n");
    }

    #[test]
    fn only_the_owner_may_look() {
        let scratch = Scratch::new();
        created(&scratch, "", ".tasuki");
        for name in ["", "projects", "sessions", "spool"] {
            let mode = scratch.path(".tasuki").join(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{name}");
        }
    }

    #[test]
    fn what_was_made_can_be_told() {
        let created = Created(vec!["", "spool"]);
        assert!(created.is_new());
        let nothing = Created::default();
        assert!(!nothing.is_new());
    }

    fn repository() -> Scratch {
        Scratch::new()
            .with("main/.git/HEAD", "")
            .with("main/.git/worktrees/w/commondir", "../..\n")
            .with("main/.git/modules/sub/HEAD", "")
            .with("main/src/deep/a", "")
            .with("main/sub/.git", "gitdir: ../.git/modules/sub\n")
            .with("w/.git", "gitdir: ../main/.git/worktrees/w\n")
            .with("w/src/a", "")
    }

    #[test]
    fn a_repository_has_one_place() {
        created(&repository(), "main/src/deep", "main/.tasuki");
        created(&repository(), "w/src", "main/.tasuki");
        created(&repository(), "main/sub", "main/sub/.tasuki");
        created(&repository().with(".tasuki/a", ""), "w", "main/.tasuki");
    }

    #[test]
    fn a_place_that_is_found_is_not_hidden_by_another() {
        let made = created(
            &repository().with("main/src/.tasuki/a", ""),
            "main/src/deep",
            "main/src/.tasuki",
        );
        assert!(!made.contains(&""), "{made:?}");
        created(&repository().with("w/.tasuki/a", ""), "w/src", "w/.tasuki");
        created(
            &repository().with("w/.tasuki/a", "").with("main/.tasuki/a", ""),
            "w",
            "main/.tasuki",
        );
    }

    #[test]
    fn outside_of_a_repository_it_is_made_where_it_was_asked_for() {
        created(&Scratch::new().with(".tasuki/a", "").with("a/b/c", ""), "a/b", "a/b/.tasuki");
    }

    #[test]
    fn worktrees_of_a_bare_repository_share_a_place_in_it() {
        let scratch = Scratch::new()
            .with("work.git/HEAD", "")
            .with("work.git/objects/a", "")
            .with("work.git/refs/a", "")
            .with("work.git/worktrees/w/commondir", "../..\n")
            .with("w/.git", "gitdir: ../work.git/worktrees/w\n");
        created(&scratch, "w", "work.git/.tasuki");
        assert_eq!(created(&scratch, "work.git", "work.git/.tasuki"), [""; 0]);
    }

    fn refused(scratch: &Scratch, at: &str) -> String {
        scratch.shown(&Place::create(&scratch.path(at)).unwrap_err())
    }

    #[test]
    fn what_is_in_the_way_is_named() {
        let scratch = Scratch::new()
            .with("file", "")
            .with("a/.tasuki", "")
            .with("b/.tasuki/sessions", "")
            .with("w/.git", "gitdir: ../gone\n");
        insta::assert_snapshot!(refused(&scratch, "file"), @"
        [DIR]/file is a file, not a folder
        hint: name the folder that the place is for
        ");
        insta::assert_snapshot!(refused(&scratch, "none"), @"cannot look in [DIR]/none: no such file or directory");
        insta::assert_snapshot!(refused(&scratch, "a"), @"
        cannot make [DIR]/a/.tasuki: file exists
        hint: move it away; `.tasuki/` belongs to the exchange
        ");
        insta::assert_snapshot!(refused(&scratch, "b"), @"
        cannot make [DIR]/b/.tasuki/sessions: file exists
        hint: move it away; `.tasuki/` belongs to the exchange
        ");
        insta::assert_snapshot!(refused(&scratch, "w"), @"
        the worktree [DIR]/w belongs to [DIR]/w/../gone, which cannot be found
        hint: run `git worktree repair` in the main worktree
        ");
    }

    #[test]
    fn a_folder_that_may_not_be_written_gets_a_hint() {
        // Made up, because a test that runs as root may write everywhere.
        let path = Path::new("/p/.tasuki");
        for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem] {
            let failure = unmade(path, &kind.into());
            assert_eq!(failure.message, format!("cannot make /p/.tasuki: {kind}"));
            assert_eq!(failure.hint.unwrap(), "choose a folder that you may write to");
        }
    }
}
