//! Reads the branch and commit of a repository from `.git`, without running git.
//!
//! `HEAD` names a branch or a commit. The commit of a branch is in a file of its name or in
//! `packed-refs`. A linked worktree has its own `HEAD` and shares the rest through `commondir`.
//! Only small regular files are read, which may be torn or hostile.
//!
//! Queries that need git are in `command`, and those about a packet in `drift/git.rs`.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

/// A repository and its working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The folder of the working tree, which contains `.git`.
    pub(crate) root: PathBuf,
    /// The folder of its own `HEAD` and index.
    pub(crate) own: PathBuf,
    /// The folder of the branches, shared by all worktrees.
    pub(crate) common: PathBuf,
}

/// The checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The branch, unless `HEAD` is detached.
    pub(crate) branch: Option<String>,
    /// The commit, unless the branch has none yet.
    pub(crate) commit: Option<String>,
}

/// LIMIT: bytes of `HEAD`, `commondir` and a file of a branch, which hold one line.
const LINE_BYTES_MAX: u64 = 4_096;

/// LIMIT: bytes of `packed-refs`, about a million branches.
const PACKED_BYTES_MAX: u64 = 64 * 1_024 * 1_024;

/// LIMIT: symbolic references in a row, as in git.
const SYMBOLIC_DEPTH_MAX: usize = 5;

impl Repository {
    /// Returns the repository that a directory is in. The directory must be canonical.
    pub(crate) fn around(directory: &Path) -> Option<Self> {
        directory.ancestors().find_map(Self::at)
    }

    fn at(root: &Path) -> Option<Self> {
        let git = root.join(".git");
        let own = if git.is_dir() {
            git
        } else {
            root.join(line_of(&git)?.strip_prefix("gitdir:")?.trim())
        };
        line_of(&own.join("HEAD"))?;
        let common = match line_of(&own.join("commondir")) {
            Some(repo) => own.join(repo),
            None => own.clone(),
        };
        Some(Self { root: root.to_owned(), own, common })
    }

    /// Returns the checkout, or the reason why it is unknown.
    pub(crate) fn head(&self) -> Result<Head, String> {
        let text = line_of(&self.own.join("HEAD")).ok_or("cannot read `HEAD`")?;
        let Some(reference) = text.strip_prefix("ref:").map(str::trim) else {
            if is_commit_id(&text) {
                return Ok(Head { branch: None, commit: Some(text.to_lowercase()) });
            }
            return Err("`HEAD` names neither a branch nor a commit".to_owned());
        };
        // Git writes this placeholder if references are in a reftable.
        if reference == "refs/heads/.invalid" {
            return Err("branches in a reftable are not supported".to_owned());
        }
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        let commit = self.commit_of(reference)?;
        Ok(Head { branch: Some(branch.to_owned()), commit })
    }

    /// Returns the commit of a branch, or `None` for a branch without commits.
    fn commit_of(&self, reference: &str) -> Result<Option<String>, String> {
        let mut reference = reference.to_owned();
        for _ in 0..SYMBOLIC_DEPTH_MAX {
            if !is_reference(&reference) {
                return Err("`HEAD` names an invalid branch".to_owned());
            }
            let text = [&self.own, &self.common]
                .into_iter()
                .find_map(|folder| line_of(&folder.join(&reference)));
            match text {
                None => return Ok(self.packed(&reference)),
                Some(text) if is_commit_id(&text) => return Ok(Some(text.to_lowercase())),
                Some(text) => match text.strip_prefix("ref:") {
                    Some(next) => next.trim().clone_into(&mut reference),
                    None => return Err("the branch does not name a commit".to_owned()),
                },
            }
        }
        Err("too many symbolic references".to_owned())
    }

    fn packed(&self, reference: &str) -> Option<String> {
        let file = regular(&self.common.join("packed-refs"))?;
        let lines = BufReader::new(file.take(PACKED_BYTES_MAX)).split(b'\n');
        lines.map_while(Result::ok).find_map(|line| {
            let (commit, name) = str::from_utf8(&line).ok()?.trim_end().split_once(' ')?;
            (name == reference && is_commit_id(commit)).then(|| commit.to_lowercase())
        })
    }
}

/// Returns `true` if a text is a complete commit id, SHA-1 or SHA-256.
fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns `true` if a name is a path below `refs/`.
fn is_reference(name: &str) -> bool {
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    name.starts_with("refs/") && is_plain
}

/// Returns the first line of a small file.
fn line_of(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular(path)?.take(LINE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

/// Opens a regular file, which does not block.
fn regular(path: &Path) -> Option<File> {
    std::fs::metadata(path).ok()?.is_file().then(|| File::open(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{FIRST, SECOND, TestRepository};

    fn head(repo: &TestRepository) -> String {
        match Repository::around(&repo.path("")).unwrap().head() {
            Ok(Head { branch, commit }) => {
                format!(
                    "{} at {}",
                    branch.as_deref().unwrap_or("no branch"),
                    commit.map_or("no commit".to_owned(), |commit| commit[..7].to_owned())
                )
            }
            Err(reason) => reason,
        }
    }

    fn check(files: &[(&str, &str)], expected: &str) {
        let repo =
            files.iter().fold(TestRepository::new(), |repo, (name, text)| repo.with(name, text));
        assert_eq!(head(&repo), expected);
    }

    #[test]
    fn a_branch_is_in_a_file_or_packed() {
        let main = (".git/HEAD", "ref: refs/heads/main\n");
        let packed = format!("# pack-refs with: peeled\n{SECOND} refs/heads/main\n^{FIRST}\n");
        check(&[main, (".git/refs/heads/main", FIRST)], "main at 1111111");
        check(&[main, (".git/packed-refs", &packed)], "main at 2222222");
        check(
            &[main, (".git/packed-refs", &packed), (".git/refs/heads/main", FIRST)],
            "main at 1111111",
        );
        check(&[main], "main at no commit");
        check(&[(".git/HEAD", FIRST)], "no branch at 1111111");
        check(
            &[
                main,
                (".git/refs/heads/main", "ref: refs/heads/trunk"),
                (".git/refs/heads/trunk", SECOND),
            ],
            "main at 2222222",
        );
    }

    #[test]
    fn a_torn_or_hostile_head_is_reported_and_not_followed() {
        for (text, expected) in [
            ("", "cannot read `HEAD`"),
            ("nonsense", "`HEAD` names neither a branch nor a commit"),
            ("ref: refs/heads/../../../outside", "`HEAD` names an invalid branch"),
            ("ref: /etc/passwd", "`HEAD` names an invalid branch"),
            ("ref: refs/heads/.invalid", "branches in a reftable are not supported"),
            ("ref: refs/heads/loop", "too many symbolic references"),
            ("ref: refs/heads/torn", "the branch does not name a commit"),
        ] {
            let repo = TestRepository::new()
                .with(".git/HEAD", "ref: refs/heads/main")
                .with(".git/refs/heads/loop", "ref: refs/heads/loop")
                .with(".git/refs/heads/torn", "2222");
            let repository = Repository::around(&repo.path("")).unwrap();
            std::fs::write(repo.path(".git/HEAD"), text).unwrap();
            assert_eq!(repository.head().unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_linked_worktree_has_its_own_head_and_shared_branches() {
        let repo = TestRepository::new()
            .with("main/.git/HEAD", "ref: refs/heads/main")
            .with("main/.git/refs/heads/topic", SECOND)
            .with("main/.git/worktrees/topic/HEAD", "ref: refs/heads/topic")
            .with("main/.git/worktrees/topic/commondir", "../..\n")
            .with("topic/.git", "gitdir: ../main/.git/worktrees/topic\n")
            .with("topic/src/lib.rs", "");
        let repository = Repository::around(&repo.path("topic/src")).unwrap();
        assert_eq!(repository.root, repo.path("topic"));
        let head = repository.head().unwrap();
        assert_eq!(head.branch.as_deref(), Some("topic"));
        assert_eq!(head.commit.as_deref(), Some(SECOND));
    }

    #[test]
    fn a_repository_written_by_git_is_read_as_by_git() {
        let repo = TestRepository::new().with("main/a", "1");
        let git = |arguments: &[&str]| repo.git(&[&["-C", "main"], arguments].concat());
        git(&["init", "--quiet", "--initial-branch=main"]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "begin"]);
        let commit = git(&["rev-parse", "HEAD"]);
        git(&["worktree", "add", "--quiet", "-b", "team/topic", "../topic"]);
        git(&["pack-refs", "--all"]);
        for (folder, branch) in [("main", "main"), ("topic", "team/topic")] {
            let head = Repository::around(&repo.path(folder)).unwrap().head().unwrap();
            assert_eq!(head.branch.as_deref(), Some(branch));
            assert_eq!(head.commit.as_deref(), Some(commit.as_str()));
        }
    }

    #[test]
    fn a_folder_that_only_looks_like_a_repository_is_ignored() {
        let repo = TestRepository::new().with("a/.git", "not a place").with("b/.git/config", "");
        for folder in ["a", "b"] {
            assert_eq!(Repository::at(&repo.path(folder)), None);
        }
    }
}
