//! Compares the branch and commits that a packet names with the checkout.

use tasuki_packet::Packet;

use super::check::context_texts;
use super::finding::{Drift, Finding, What};
use super::git::{Ancestry, Git};
use crate::git::head::{Head, Repository};

/// The members of `context` that name the branch.
const BRANCHES: &[&str] = &["branch", "git_branch"];
/// The members of `context` that name the commit.
const COMMITS: &[&str] = &["commit", "git_commit", "head"];

/// The minimum number of digits of a commit that are shown.
const SHOWN_DIGITS: usize = 12;

/// The reason for facts about a missing repository.
pub(super) const NO_REPOSITORY: &str = "the directory is not in a git repository";

/// Compares branch, commit and the commits in the evidence.
pub(super) fn compare(
    packet: &Packet,
    repository: Option<&Repository>,
    git: &Result<Git, String>,
    drift: &mut Drift,
) {
    let head = repository.ok_or_else(|| NO_REPOSITORY.to_owned()).and_then(Repository::head);
    let named = |names: &'static [&'static str]| {
        context_texts(packet).filter(|(name, _)| names.contains(name))
    };
    drift.compare_all(named(BRANCHES), |(name, expected)| {
        let finding = Finding::new(What::Branch, name, expected.clone());
        with_head(finding, &head, |finding, head| branch(finding, &expected, head))
    });
    drift.compare_all(named(COMMITS), |(name, expected)| {
        let finding = Finding::new(What::Commit, name, expected.clone());
        with_head(finding, &head, |finding, head| commit(finding, &expected, head))
    });
    drift.compare_all(evidence(packet), |id| {
        let finding =
            Finding::new(What::Commit, format!("commit:{id}"), "in the history of `HEAD`");
        with_head(finding, &head, |finding, head| ancestry(finding, id, head, git))
    });
}

/// Returns the commits that `evidence_refs` names.
fn evidence(packet: &Packet) -> impl Iterator<Item = &str> {
    packet.items("evidence_refs").filter_map(|item| item.text.strip_prefix("commit:"))
}

fn with_head(
    finding: Finding,
    head: &Result<Head, String>,
    with: impl FnOnce(Finding, &Head) -> Finding,
) -> Finding {
    match head {
        Ok(head) => with(finding, head),
        Err(reason) => finding.not_looked(reason.clone()),
    }
}

fn branch(finding: Finding, expected: &str, head: &Head) -> Finding {
    let expected = expected.strip_prefix("refs/heads/").unwrap_or(expected);
    match &head.branch {
        Some(found) if found == expected => finding.same(found),
        Some(found) => finding.differs(found),
        None => finding.differs("no branch (detached `HEAD`)"),
    }
}

fn commit(finding: Finding, expected: &str, head: &Head) -> Finding {
    if !is_abbreviation(expected) {
        return finding.not_looked(NO_COMMIT_ID);
    }
    match &head.commit {
        Some(found) if is_short_for(expected, found) => finding.same(expected),
        Some(found) => {
            let digits = expected.len().max(SHOWN_DIGITS);
            finding.differs(found.get(..digits).unwrap_or(found))
        }
        None => finding.differs("no commit yet"),
    }
}

fn ancestry(finding: Finding, id: &str, head: &Head, git: &Result<Git, String>) -> Finding {
    if !is_abbreviation(id) {
        return finding.not_looked(NO_COMMIT_ID);
    }
    if head.commit.as_ref().is_some_and(|found| is_short_for(id, found)) {
        return finding.same("`HEAD`");
    }
    match git.as_ref().map_err(String::clone).and_then(|git| git.ancestry(id)) {
        Ok(Ancestry::InHistory) => finding.same("before `HEAD`"),
        Ok(Ancestry::Elsewhere) => finding.differs("present, but not before `HEAD`"),
        Ok(Ancestry::Unknown) => finding.missing(),
        Err(reason) => finding.not_looked(reason),
    }
}

const NO_COMMIT_ID: &str = "not a commit id: 7 to 64 hex digits expected";

/// Returns `true` if a text is a commit id or a prefix of one, and so is safe on a command line.
fn is_abbreviation(text: &str) -> bool {
    matches!(text.len(), 7..=64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_short_for(text: &str, commit: &str) -> bool {
    commit.starts_with(&text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::drift::samples::{FIRST, SECOND, TestRepository};

    fn on_main() -> TestRepository {
        TestRepository::new()
            .with(".git/HEAD", "ref: refs/heads/main")
            .with(".git/refs/heads/main", FIRST)
    }

    #[test]
    fn branch_and_commit_are_what_is_checked_out() {
        let context = json!({
            "branch": "main", "git_branch": "refs/heads/work", "commit": FIRST,
            "git_commit": 1_111_111, "head": "2222222",
        });
        assert_eq!(
            on_main().lines(json!({ "context": context })),
            [
                "same branch branch: main",
                "differs branch git_branch: main",
                &format!("same commit commit: {FIRST}"),
                "same commit git_commit: 1111111",
                "differs commit head: 111111111111",
            ]
        );
    }

    #[test]
    fn a_detached_head_and_a_branch_without_a_commit_are_reported() {
        let members = json!({"context": {"branch": "main", "commit": SECOND}});
        let detached = TestRepository::new().with(".git/HEAD", FIRST);
        assert_eq!(
            detached.lines(members.clone()),
            [
                "differs branch branch: no branch (detached `HEAD`)",
                &format!("differs commit commit: {FIRST}"),
            ]
        );
        let unborn = TestRepository::new().with(".git/HEAD", "ref: refs/heads/main");
        assert_eq!(
            unborn.lines(members),
            ["same branch branch: main", "differs commit commit: no commit yet"]
        );
    }

    #[test]
    fn an_invalid_commit_id_never_reaches_git() {
        let refs = ["commit:--exec=x", "commit:main", "commit:12", "log:1111111"];
        let members = json!({"context": {"commit": "HEAD"}, "evidence_refs": refs});
        assert_eq!(
            on_main().lines(members),
            [
                "not_looked commit commit: not a commit id: 7 to 64 hex digits expected",
                "not_looked commit commit:--exec=x: not a commit id: 7 to 64 hex digits expected",
                "not_looked commit commit:main: not a commit id: 7 to 64 hex digits expected",
                "not_looked commit commit:12: not a commit id: 7 to 64 hex digits expected",
            ]
        );
    }

    #[test]
    fn evidence_is_in_the_history() {
        let repo = TestRepository::new().committed();
        let first = repo.git(&["rev-parse", "HEAD"]);
        repo.commit("second");
        let second = repo.git(&["rev-parse", "--short", "HEAD"]);
        let refs = [&first, &second, FIRST].map(|id| format!("commit:{id}"));
        assert_eq!(
            repo.lines(json!({"evidence_refs": refs})),
            [
                format!("same commit commit:{first}: before `HEAD`"),
                format!("same commit commit:{second}: `HEAD`"),
                format!("missing commit commit:{FIRST}"),
            ]
        );
    }

    #[test]
    fn a_directory_outside_a_repository_is_reported() {
        // If the temporary folder is in a repository, there is nothing to test.
        let repo = TestRepository::new();
        if super::Repository::around(&repo.path("")).is_none() {
            assert_eq!(
                repo.lines(json!({"context": {"branch": "main"}})),
                ["not_looked branch branch: the directory is not in a git repository"]
            );
        }
    }
}
