//! Finds the root of a git repository, which its worktrees share.
//!
//! Git's files are read directly, because git may not be installed and is slow. A linked worktree
//! has a file `.git` with `gitdir: <folder>`, and the file `commondir` in that folder leads to the
//! repository. A submodule has the file `.git` too, but no `commondir`: it is a repository of its
//! own.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The role of a folder in a git repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RepositoryKind {
    /// Not the root of a repository.
    NotRepository,
    /// A main worktree, a submodule, or a bare repository.
    Root,
    /// A linked worktree, with the shared root.
    LinkedWorktree(PathBuf),
    /// A worktree whose repository is not at the path in its `.git`.
    BrokenWorktree(PathBuf),
}

/// Returns the role of a folder in a git repository.
pub(super) fn repository_kind(folder: &Path) -> RepositoryKind {
    let git = folder.join(".git");
    if git.is_dir() {
        return if git.join("HEAD").exists() {
            RepositoryKind::Root
        } else {
            RepositoryKind::NotRepository
        };
    }
    match read_short(&git) {
        Some(text) => text.strip_prefix("gitdir:").map_or(RepositoryKind::NotRepository, |rest| {
            linked(&folder.join(rest.trim_start_matches(' ').trim_end_matches(['\r', '\n'])))
        }),
        None if is_bare(folder) => RepositoryKind::Root,
        None => RepositoryKind::NotRepository,
    }
}

/// Follows the `.git` file of a worktree or submodule.
fn linked(gitdir: &Path) -> RepositoryKind {
    if !gitdir.is_dir() {
        return RepositoryKind::BrokenWorktree(gitdir.to_owned());
    }
    let Some(text) = read_short(&gitdir.join("commondir")) else { return RepositoryKind::Root };
    let common = gitdir.join(text.trim_end_matches(['\r', '\n']));
    match common.canonicalize() {
        Ok(common) => RepositoryKind::LinkedWorktree(shared_root(&common)),
        Err(_) => RepositoryKind::BrokenWorktree(common),
    }
}

/// Returns the root that all worktrees share: the main worktree or, without one, the repository.
fn shared_root(common: &Path) -> PathBuf {
    if common.file_name().is_some_and(|name| name == ".git") {
        return common.parent().unwrap_or(common).to_owned();
    }
    // The repository of a submodule names its worktree in its configuration.
    let config = read_short(&common.join("config")).unwrap_or_default();
    let worktree = core_worktree(&config).and_then(|path| common.join(path).canonicalize().ok());
    worktree.unwrap_or_else(|| common.to_owned())
}

/// Returns `core.worktree` of a git configuration.
fn core_worktree(config: &str) -> Option<&str> {
    let lines = config.lines().map(str::trim);
    lines
        .skip_while(|line| !line.eq_ignore_ascii_case("[core]"))
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("worktree"))
        .map(|(_, value)| value.trim().trim_matches('"'))
}

/// Returns `true` for a repository without a worktree. A folder `.git` belongs to one.
fn is_bare(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name != ".git")
        && folder.join("HEAD").is_file()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
}

/// Reads a small regular file.
fn read_short(path: &Path) -> Option<String> {
    // LIMIT: these files hold a path or a few settings.
    const BYTES_MAX: u64 = 64 * 1024;
    if !path.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    #[test]
    fn each_kind_of_folder_is_recognized() {
        let temp_dir = TempDir::new()
            .with("main/.git/HEAD", "ref: refs/heads/main\n")
            .with("main/.git/worktrees/w/commondir", "../..\n")
            .with("main/src/a", "")
            .with("absolute/.git", "")
            .with("relative/.git", "gitdir: ../main/.git/worktrees/w\r\n")
            .with("lost/.git", "gitdir: ../gone/.git/worktrees/w\n")
            .with("prose/.git", "not a pointer\n")
            .with("empty/.git/note", "");
        let gitdir = temp_dir.path("main/.git/worktrees/w").display().to_string();
        let temp_dir = temp_dir.with("absolute/.git", format!("gitdir: {gitdir}\n"));
        let check = |folder: &str, expected: RepositoryKind| {
            assert_eq!(repository_kind(&temp_dir.path(folder)), expected, "{folder}");
        };
        let shared = || RepositoryKind::LinkedWorktree(temp_dir.path("main"));
        check("main", RepositoryKind::Root);
        check("main/src", RepositoryKind::NotRepository);
        check("main/.git", RepositoryKind::NotRepository);
        check("absolute", shared());
        check("relative", shared());
        check(
            "lost",
            RepositoryKind::BrokenWorktree(temp_dir.path("lost/../gone/.git/worktrees/w")),
        );
        check("prose", RepositoryKind::NotRepository);
        check("empty", RepositoryKind::NotRepository);
        check("nowhere", RepositoryKind::NotRepository);
    }

    #[test]
    fn a_submodule_is_a_repository_of_its_own_and_its_worktrees_share_its_root() {
        let temp_dir = TempDir::new()
            .with("super/.git/HEAD", "")
            .with("super/.git/modules/sub/HEAD", "")
            .with(
                "super/.git/modules/sub/config",
                "[core]\n\tbare = false\n\tworktree = ../../../sub\n[x]\n\tworktree = /\n",
            )
            .with("super/.git/modules/sub/worktrees/w/commondir", "../..\n")
            .with("super/sub/.git", "gitdir: ../.git/modules/sub\n")
            .with("w/.git", "gitdir: ../super/.git/modules/sub/worktrees/w\n");
        assert_eq!(repository_kind(&temp_dir.path("super/sub")), RepositoryKind::Root);
        assert_eq!(
            repository_kind(&temp_dir.path("w")),
            RepositoryKind::LinkedWorktree(temp_dir.path("super/sub"))
        );
    }

    #[test]
    fn worktrees_of_a_bare_repository_share_the_repository_itself() {
        let temp_dir = TempDir::new()
            .with("work.git/HEAD", "")
            .with("work.git/config", "[core]\n\tbare = true\n")
            .with("work.git/objects/info/a", "")
            .with("work.git/refs/heads/main", "")
            .with("work.git/worktrees/w/commondir", "../..\n")
            .with("w/.git", "gitdir: ../work.git/worktrees/w\n");
        assert_eq!(repository_kind(&temp_dir.path("work.git")), RepositoryKind::Root);
        assert_eq!(
            repository_kind(&temp_dir.path("w")),
            RepositoryKind::LinkedWorktree(temp_dir.path("work.git"))
        );
    }

    #[test]
    fn only_the_core_section_names_the_worktree() {
        assert_eq!(core_worktree("[core]\n  worktree = \"../a b\"\n"), Some("../a b"));
        assert_eq!(core_worktree("[CORE]\nWorkTree=x"), Some("x"));
        assert_eq!(core_worktree("[a]\nworktree = x\n[core]\nbare = true\n[b]\nworktree=y"), None);
        assert_eq!(core_worktree("worktree = x\n"), None);
    }
}
