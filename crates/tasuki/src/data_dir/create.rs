//! Creates or completes a `.tasuki/`.
//!
//! Each repository has one data directory, at the root that its worktrees share. Outside a
//! repository it is created in the given folder. Afterwards `find` finds it from the same folder.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::find::{broken_worktree, canonical, has_data_dir};
use super::layout::{DataDir, FOLDER, GITIGNORE, PROJECTS, SESSIONS, SPOOL};
use super::private_files::{create_private_dir, sync_dir};
use super::repository::{RepositoryKind, repository_kind};
use crate::exit::Failure;

/// The names of the created entries below `.tasuki/`. The folder itself is the empty name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Created(Vec<&'static str>);

impl Created {
    /// Returns `true` if there was no data directory before.
    pub(crate) fn is_new(&self) -> bool {
        self.0.contains(&"")
    }
}

impl DataDir {
    /// Creates the data directory of a folder. Existing files stay as they are.
    pub(crate) fn create(at: &Path) -> Result<(Self, Created), Failure> {
        let at = canonical(at)?;
        if !at.is_dir() {
            return Err(Failure::usage(format!("{} is a file, not a folder", at.display()))
                .hint("choose a folder"));
        }
        Self::create_in(&root_for(&at)?)
    }

    /// Creates the data directory in exactly this folder, whatever repository it is in.
    pub(crate) fn create_in(folder: &Path) -> Result<(Self, Created), Failure> {
        let data_dir = Self::in_folder(folder);
        let mut created = Created::default();
        // `.gitignore` comes first: after an interruption, nothing else can be committed.
        create_dir(&data_dir, "", &mut created)?;
        write_gitignore(&data_dir, &mut created)?;
        for name in [PROJECTS, SESSIONS, SPOOL] {
            create_dir(&data_dir, name, &mut created)?;
        }
        Ok((data_dir, created))
    }
}

/// Returns the folder to create it in: the nearest in the repository that has one, else the root.
fn root_for(at: &Path) -> Result<PathBuf, Failure> {
    let mut kinds = at.ancestors().map(|folder| (folder, repository_kind(folder)));
    let Some((root, kind)) = kinds.find(|(_, kind)| *kind != RepositoryKind::NotRepository) else {
        return Ok(at.to_owned());
    };
    for folder in at.ancestors().take_while(|folder| *folder != root) {
        if has_data_dir(folder)? {
            return Ok(folder.to_owned());
        }
    }
    match kind {
        RepositoryKind::LinkedWorktree(main) if has_data_dir(&main)? || !has_data_dir(root)? => {
            Ok(main)
        }
        RepositoryKind::BrokenWorktree(target) if !has_data_dir(root)? => {
            Err(broken_worktree(root, &target))
        }
        _ => Ok(root.to_owned()),
    }
}

fn create_dir(
    data_dir: &DataDir,
    name: &'static str,
    created: &mut Created,
) -> Result<(), Failure> {
    let path =
        if name.is_empty() { data_dir.path().to_owned() } else { data_dir.path().join(name) };
    if create_private_dir(&path).map_err(|error| cannot_create(&path, &error))? {
        created.0.push(name);
    }
    Ok(())
}

fn write_gitignore(data_dir: &DataDir, created: &mut Created) -> Result<(), Failure> {
    let path = data_dir.path().join(GITIGNORE);
    let made = std::fs::File::create_new(&path).and_then(|mut file| {
        file.write_all(b"*\n")?;
        file.sync_all()?;
        sync_dir(data_dir.path())
    });
    match made {
        Ok(()) => created.0.push(GITIGNORE),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(cannot_create(&path, &error)),
    }
    Ok(())
}

fn cannot_create(path: &Path, error: &std::io::Error) -> Failure {
    let failure = Failure::of_file(format!("cannot create {}", path.display()), error);
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            failure.hint("choose a folder that you may write to")
        }
        ErrorKind::AlreadyExists => {
            failure.hint(format!("move it away; `{FOLDER}/` is reserved for the exchange"))
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::temp_dir::TempDir;

    /// Creates a data directory, checks that `find` finds it, and returns the created entries.
    fn created(temp_dir: &TempDir, at: &str, expected: &str) -> Vec<&'static str> {
        let (data_dir, created) = DataDir::create(&temp_dir.path(at)).unwrap();
        assert_eq!(data_dir.path(), temp_dir.path(expected), "at {at}");
        assert_eq!(DataDir::find(&temp_dir.path(at)).unwrap(), data_dir);
        assert_eq!(DataDir::create(&temp_dir.path(at)).unwrap(), (data_dir, Created::default()));
        created.0
    }

    #[test]
    fn a_data_dir_is_created_once_and_completed_later() {
        let temp_dir = TempDir::new();
        let made = created(&temp_dir, "", ".tasuki");
        assert_eq!(made, ["", ".gitignore", "projects", "sessions", "spool"]);
        assert_eq!(temp_dir.read(".tasuki/.gitignore"), "*\n");

        let temp_dir = temp_dir.with(".tasuki/.gitignore", "# mine\n");
        std::fs::remove_dir(temp_dir.path(".tasuki/spool")).unwrap();
        assert_eq!(created(&temp_dir, "", ".tasuki"), ["spool"]);
        assert_eq!(temp_dir.read(".tasuki/.gitignore"), "# mine\n");
    }

    #[test]
    fn only_the_owner_has_access() {
        let temp_dir = TempDir::new();
        created(&temp_dir, "", ".tasuki");
        for name in ["", "projects", "sessions", "spool"] {
            let mode = temp_dir.path(".tasuki").join(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{name}");
        }
    }

    #[test]
    fn a_new_data_dir_is_reported() {
        let created = Created(vec!["", "spool"]);
        assert!(created.is_new());
        let nothing = Created::default();
        assert!(!nothing.is_new());
    }

    fn repository() -> TempDir {
        TempDir::new()
            .with("main/.git/HEAD", "")
            .with("main/.git/worktrees/w/commondir", "../..\n")
            .with("main/.git/modules/sub/HEAD", "")
            .with("main/src/deep/a", "")
            .with("main/sub/.git", "gitdir: ../.git/modules/sub\n")
            .with("w/.git", "gitdir: ../main/.git/worktrees/w\n")
            .with("w/src/a", "")
    }

    #[test]
    fn a_repository_has_one_data_dir() {
        created(&repository(), "main/src/deep", "main/.tasuki");
        created(&repository(), "w/src", "main/.tasuki");
        created(&repository(), "main/sub", "main/sub/.tasuki");
        created(&repository().with(".tasuki/a", ""), "w", "main/.tasuki");
    }

    #[test]
    fn an_existing_data_dir_is_not_hidden_by_another() {
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
    fn outside_a_repository_it_is_created_in_the_given_folder() {
        created(&TempDir::new().with(".tasuki/a", "").with("a/b/c", ""), "a/b", "a/b/.tasuki");
    }

    #[test]
    fn worktrees_of_a_bare_repository_share_a_data_dir_in_it() {
        let temp_dir = TempDir::new()
            .with("work.git/HEAD", "")
            .with("work.git/objects/a", "")
            .with("work.git/refs/a", "")
            .with("work.git/worktrees/w/commondir", "../..\n")
            .with("w/.git", "gitdir: ../work.git/worktrees/w\n");
        created(&temp_dir, "w", "work.git/.tasuki");
        assert_eq!(created(&temp_dir, "work.git", "work.git/.tasuki"), [""; 0]);
    }

    fn refused(temp_dir: &TempDir, at: &str) -> String {
        temp_dir.shown(&DataDir::create(&temp_dir.path(at)).unwrap_err())
    }

    #[test]
    fn obstacles_are_named() {
        let temp_dir = TempDir::new()
            .with("file", "")
            .with("a/.tasuki", "")
            .with("b/.tasuki/sessions", "")
            .with("w/.git", "gitdir: ../gone\n");
        insta::assert_snapshot!(refused(&temp_dir, "file"), @"
        [DIR]/file is a file, not a folder
        hint: choose a folder
        ");
        insta::assert_snapshot!(refused(&temp_dir, "none"), @"cannot read [DIR]/none: no such file or directory");
        insta::assert_snapshot!(refused(&temp_dir, "a"), @"
        cannot create [DIR]/a/.tasuki: file exists
        hint: move it away; `.tasuki/` is reserved for the exchange
        ");
        insta::assert_snapshot!(refused(&temp_dir, "b"), @"
        cannot create [DIR]/b/.tasuki/sessions: file exists
        hint: move it away; `.tasuki/` is reserved for the exchange
        ");
        insta::assert_snapshot!(refused(&temp_dir, "w"), @"
        the worktree [DIR]/w belongs to [DIR]/w/../gone, which cannot be found
        hint: run `git worktree repair` in the main worktree
        ");
    }

    #[test]
    fn a_folder_that_may_not_be_written_gets_a_hint() {
        // Simulated, because a test that runs as root may write everywhere.
        let path = Path::new("/p/.tasuki");
        for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem] {
            let failure = cannot_create(path, &kind.into());
            assert_eq!(failure.message, format!("cannot create /p/.tasuki: {kind}"));
            assert_eq!(failure.hint.unwrap(), "choose a folder that you may write to");
        }
    }
}
