//! Queries that only git can answer: dirty files, and ancestry of commits.
//!
//! A repository can configure programs that git runs: hooks, a file system monitor, filters,
//! transports. The repository here is untrusted, so all of them are overridden. Filters have
//! arbitrary names, so git lists them first.
//!
//! Branch and commit are read without git in `git/head.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::process::{Bounds, End, Ended, Keep, guarded, run};
use crate::git::environment::shield;

/// The time limit of one query.
const TIMEOUT: Duration = Duration::from_secs(30);

/// LIMIT: bytes of an answer, enough for some ten thousand files.
const ANSWER_BYTES_MAX: usize = 1_024 * 1_024;

/// LIMIT: overridden filters; each needs a few arguments.
const FILTERS_MAX: usize = 100;

/// Git, for one repository.
#[derive(Debug)]
pub(super) struct Git {
    program: PathBuf,
    root: PathBuf,
}

/// The relation of a commit to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ancestry {
    /// It is the current commit or an ancestor of it.
    InHistory,
    /// It exists, but is not an ancestor of the current commit.
    Elsewhere,
    /// It does not exist in this repository.
    Unknown,
}

impl Git {
    /// Returns git at this path, for this repository.
    pub(super) fn new(program: PathBuf, root: PathBuf) -> Self {
        Self { program, root }
    }

    /// Returns every file with uncommitted changes, relative to the root of the working tree, with
    /// its state. A folder that is untracked as a whole ends in `/`.
    pub(super) fn dirty_files(&self) -> Result<BTreeMap<String, &'static str>, String> {
        let mut command = self.command();
        for filter in self.filters()? {
            for setting in ["clean=", "process=", "required=false"] {
                command.arg("-c").arg(format!("{filter}.{setting}"));
            }
        }
        // A submodule is a repository of its own, which git would query in turn.
        command.args(["--work-tree=.", "status", "--porcelain=v1", "-z", "--no-renames"]);
        command.args(["--untracked-files=normal", "--ignore-submodules=dirty"]);
        let answer = query(command, "status")?;
        if answer.end != End::Code(0) {
            return Err(refused("status", answer.end));
        }
        let text = String::from_utf8_lossy(&answer.output);
        Ok(text.split('\0').filter_map(dirty_file).collect())
    }

    /// Returns the names of the configured filters, of this repository and of the user.
    fn filters(&self) -> Result<BTreeSet<String>, String> {
        let mut command = self.command();
        command.args(["config", "-z", "--name-only", "--get-regexp"]);
        command.arg(r"^filter\..*\.(clean|process|required)$");
        let answer = query(command, "config")?;
        match answer.end {
            End::Code(0) => {}
            // No filter is configured.
            End::Code(1) => return Ok(BTreeSet::new()),
            end => return Err(refused("config", end)),
        }
        let text = String::from_utf8_lossy(&answer.output);
        let names = text.split('\0').filter_map(|key| Some(key.rsplit_once('.')?.0.to_owned()));
        let filters: BTreeSet<_> = names.collect();
        let is_odd = |name: &String| name.contains(['=', '\n', '\u{fffd}']);
        if filters.len() > FILTERS_MAX || filters.iter().any(is_odd) {
            return Err("the repository has filters that cannot be disabled".to_owned());
        }
        Ok(filters)
    }

    /// Returns the relation of a commit to the current one. The id must be hex digits.
    pub(super) fn ancestry(&self, commit: &str) -> Result<Ancestry, String> {
        let mut command = self.command();
        command.args(["merge-base", "--is-ancestor", commit, "HEAD"]);
        match query(command, "merge-base")?.end {
            End::Code(0) => return Ok(Ancestry::InHistory),
            End::Code(1) => return Ok(Ancestry::Elsewhere),
            _ => {}
        }
        // The exit code is the same for an unknown commit and for a repository that git refuses.
        let mut command = self.command();
        command.args(["cat-file", "-e", "HEAD"]);
        match query(command, "cat-file")?.end {
            End::Code(0) => Ok(Ancestry::Unknown),
            end => Err(refused("cat-file", end)),
        }
    }

    fn command(&self) -> Command {
        let mut command = guarded(&self.program);
        shield(&mut command);
        command.current_dir(&self.root);
        command
    }
}

/// Runs a query and returns the complete answer, with any exit code.
fn query(command: Command, verb: &str) -> Result<Ended, String> {
    let bounds =
        Bounds { timeout: TIMEOUT, keep: Keep::First(ANSWER_BYTES_MAX), with_errors: false };
    let answer = run(command, bounds).map_err(|error| format!("cannot run git: {error}"))?;
    if answer.is_cut {
        return Err(format!("`git {verb}` printed more than {ANSWER_BYTES_MAX} bytes"));
    }
    Ok(answer)
}

fn refused(verb: &str, end: End) -> String {
    match end {
        End::Code(code) => format!("`git {verb}` exited with {code}"),
        End::Signal => format!("`git {verb}` was killed by a signal"),
        End::Timeout => format!("`git {verb}` timed out after {} s", TIMEOUT.as_secs()),
    }
}

/// Parses one entry of `git status`: two letters, a blank, the path.
fn dirty_file(entry: &str) -> Option<(String, &'static str)> {
    let (letters, path) = (entry.get(..2)?, entry.get(3..)?);
    let state = match letters {
        "??" => UNTRACKED,
        "AA" | "DD" => "conflicted",
        letters if letters.contains('U') => "conflicted",
        letters if letters.contains('D') => "deleted",
        letters if letters.contains('A') => "added",
        _ => "modified",
    };
    Some((path.to_owned(), state))
}

/// The state of a file that git does not track.
pub(super) const UNTRACKED: &str = "untracked";

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::drift::samples::{FIRST, TestRepository};
    use crate::git::find;

    fn git(repo: &TestRepository) -> Git {
        let program = find::program("git", std::env::var_os("PATH").as_deref(), &[]).unwrap();
        Git::new(program, repo.path(""))
    }

    fn dirty(repo: &TestRepository) -> Vec<String> {
        let files = git(repo).dirty_files().unwrap();
        files.into_iter().map(|(name, state)| format!("{state} {name}")).collect()
    }

    #[test]
    fn every_kind_of_change_has_a_state() {
        let repo = TestRepository::new().with("a", "1").with("b", "2").with("c d", "3").committed();
        assert_eq!(dirty(&repo), Vec::<String>::new());
        let repo = repo.with("a", "changed").with("new/deep/x", "").with("add\ned", "");
        repo.git(&["add", "add\ned"]);
        repo.git(&["mv", "c d", "é"]);
        std::fs::remove_file(repo.path("b")).unwrap();
        assert_eq!(
            dirty(&repo),
            [
                "modified a",
                "added add\ned",
                "deleted b",
                "deleted c d",
                "untracked new/",
                "added é",
            ]
        );
    }

    /// Returns a program that creates the file `trace` if it is run.
    fn trap(repo: &TestRepository) -> String {
        let program = repo.path("trap.sh");
        let trace = repo.path("trace");
        std::fs::write(&program, format!("#!/bin/sh\ntouch '{}'\ncat\n", trace.display())).unwrap();
        let status = Command::new("chmod").arg("755").arg(&program).status().unwrap();
        assert!(status.success());
        program.display().to_string()
    }

    #[test]
    fn no_program_that_a_repository_configures_is_run() {
        for setting in ["filter.Trap.clean", "filter.Trap.process", "core.fsmonitor"] {
            let attributes = "* filter=Trap\n";
            let repo =
                TestRepository::new().with("a", "1").committed().with(".gitattributes", attributes);
            let trap = trap(&repo);
            repo.git(&["config", setting, &trap]);
            repo.git(&["config", "filter.Trap.required", "true"]);
            std::fs::write(repo.path("a"), "2").unwrap();
            assert!(dirty(&repo).contains(&"modified a".to_owned()), "{setting}");
            assert!(!repo.path("trace").exists(), "{setting} was run");
            // Without the override it is run, so the test is not vacuous.
            repo.git(&["config", "filter.Trap.required", "false"]);
            repo.git(&["status"]);
            assert!(repo.path("trace").exists(), "{setting} does nothing");
        }
    }

    #[test]
    fn a_hook_is_not_run_and_the_index_is_not_written() {
        let repo = TestRepository::new().with("a", "1").committed();
        let trap = trap(&repo);
        std::fs::create_dir_all(repo.path(".git/hooks")).unwrap();
        std::fs::copy(trap, repo.path(".git/hooks/post-index-change")).unwrap();
        // Same content with another time: git would update the index.
        std::fs::remove_file(repo.path("a")).unwrap();
        let repo = repo.with("a", "1");
        let before = std::fs::read(repo.path(".git/index")).unwrap();
        dirty(&repo);
        assert!(!repo.path("trace").exists());
        assert_eq!(std::fs::read(repo.path(".git/index")).unwrap(), before);
        repo.git(&["status"]);
        assert!(repo.path("trace").exists(), "the hook does nothing");
    }

    #[test]
    fn a_filter_that_cannot_be_disabled_stops_the_query() {
        let repo = TestRepository::new().committed();
        repo.git(&["config", "filter.a=b.clean", "false"]);
        let reason = git(&repo).dirty_files().unwrap_err();
        assert_eq!(reason, "the repository has filters that cannot be disabled");
    }

    #[test]
    fn a_working_tree_elsewhere_is_not_read() {
        let other = TestRepository::new().with("secret name", "");
        let repo = TestRepository::new().with("a", "1").committed();
        repo.git(&["config", "core.worktree", &other.path("").display().to_string()]);
        assert_eq!(dirty(&repo), Vec::<String>::new());
    }

    #[test]
    fn a_commit_is_in_the_history_or_elsewhere_or_unknown() {
        let repo = TestRepository::new().committed();
        let first = repo.git(&["rev-parse", "HEAD"]);
        repo.git(&["checkout", "--quiet", "-b", "side"]);
        repo.commit("side");
        let side = repo.git(&["rev-parse", "HEAD"]);
        repo.git(&["checkout", "--quiet", "main"]);
        repo.commit("second");
        for (commit, expected) in [
            (&first[..7], Ancestry::InHistory),
            (&first, Ancestry::InHistory),
            (&side, Ancestry::Elsewhere),
            (FIRST, Ancestry::Unknown),
        ] {
            assert_eq!(git(&repo).ancestry(commit), Ok(expected), "{commit}");
        }
        let outside = TestRepository::new();
        assert!(git(&outside).ancestry(&first).is_err());
    }
}
