//! Branch and commit of a repository, read from `.git` without asking git.
//!
//! `HEAD` names a branch or a commit; a branch's commit is in a file of its name or in
//! `packed-refs`. A linked worktree has a `HEAD` of its own and shares the rest, which `commondir`
//! says. Everything read here is small, a regular file, and may be torn or hostile.
//!
//! Not here: what only git can say (`git`).

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

/// A repository and its working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The folder of the working tree, which has `.git` in it.
    pub(super) root: PathBuf,
    /// Where its own `HEAD` is.
    own: PathBuf,
    /// Where branches are, shared by all worktrees.
    common: PathBuf,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The branch, unless a commit is checked out by itself.
    pub(super) branch: Option<String>,
    /// The commit, unless the branch has none yet.
    pub(super) commit: Option<String>,
}

/// LIMIT: bytes of `HEAD`, `commondir` and a file of a branch, which hold one line.
const LINE_BYTES_MAX: u64 = 4_096;

/// LIMIT: bytes of `packed-refs`, about a million branches.
const PACKED_BYTES_MAX: u64 = 64 * 1_024 * 1_024;

/// LIMIT: names that name another name, as git has it.
const SYMBOLIC_DEPTH_MAX: usize = 5;

impl Repository {
    /// The repository that a directory is in. The directory must be in its canonical form.
    pub(super) fn around(directory: &Path) -> Option<Self> {
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

    /// What is checked out, or why that cannot be told.
    pub(super) fn head(&self) -> Result<Head, String> {
        let text = line_of(&self.own.join("HEAD")).ok_or("`HEAD` cannot be read")?;
        let Some(reference) = text.strip_prefix("ref:").map(str::trim) else {
            if is_commit_id(&text) {
                return Ok(Head { branch: None, commit: Some(text.to_lowercase()) });
            }
            return Err("`HEAD` names neither a branch nor a commit".to_owned());
        };
        // What stands there for programs that do not know the other store of git.
        if reference == "refs/heads/.invalid" {
            return Err("the branches are in a reftable, which only git reads".to_owned());
        }
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        let commit = self.commit_of(reference)?;
        Ok(Head { branch: Some(branch.to_owned()), commit })
    }

    /// The commit of a branch; a branch without one is in no file.
    fn commit_of(&self, reference: &str) -> Result<Option<String>, String> {
        let mut reference = reference.to_owned();
        for _ in 0..SYMBOLIC_DEPTH_MAX {
            if !is_reference(&reference) {
                return Err("`HEAD` names no branch that git would make".to_owned());
            }
            let text = [&self.own, &self.common]
                .into_iter()
                .find_map(|folder| line_of(&folder.join(&reference)));
            match text {
                None => return Ok(self.packed(&reference)),
                Some(text) if is_commit_id(&text) => return Ok(Some(text.to_lowercase())),
                Some(text) => match text.strip_prefix("ref:") {
                    Some(next) => next.trim().clone_into(&mut reference),
                    None => return Err("the branch names no commit".to_owned()),
                },
            }
        }
        Err("the branch leads from name to name and to no commit".to_owned())
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

/// Whether a text is a whole commit id, of either hash.
fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name is one below `refs/` and leads nowhere else.
fn is_reference(name: &str) -> bool {
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    name.starts_with("refs/") && is_plain
}

/// The one line of a small file.
fn line_of(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular(path)?.take(LINE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

/// A file that opening does not block on.
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
    fn a_torn_or_hostile_head_is_named_and_not_followed() {
        for (text, expected) in [
            ("", "`HEAD` cannot be read"),
            ("nonsense", "`HEAD` names neither a branch nor a commit"),
            ("ref: refs/heads/../../../outside", "`HEAD` names no branch that git would make"),
            ("ref: /etc/passwd", "`HEAD` names no branch that git would make"),
            ("ref: refs/heads/.invalid", "the branches are in a reftable, which only git reads"),
            ("ref: refs/heads/loop", "the branch leads from name to name and to no commit"),
            ("ref: refs/heads/torn", "the branch names no commit"),
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
    fn what_git_has_written_is_read_as_git_reads_it() {
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
    fn a_folder_that_only_looks_like_a_repository_is_none() {
        let repo = TestRepository::new().with("a/.git", "not a place").with("b/.git/config", "");
        for folder in ["a", "b"] {
            assert_eq!(Repository::at(&repo.path(folder)), None);
        }
    }
}
