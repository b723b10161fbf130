//! Compares `context.dirty_files`: files with uncommitted changes when the packet was written.
//!
//! The list is compared both ways. Untracked files count only if the packet lists them: new files
//! come and go, and the packet itself is often one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use tasuki_packet::{Item, Packet};

use super::finding::{Drift, Finding, What};
use super::git::{Git, UNTRACKED};

/// The member of `context`.
pub(super) const DIRTY_FILES: &str = "dirty_files";

/// Compares the list with `git status`. `inner` is the directory relative to the root of the
/// working tree, because a packet may name files relative to either.
pub(super) fn compare(packet: &Packet, inner: &Path, git: &Result<Git, String>, drift: &mut Drift) {
    let Some(listed) = packet.object("context").and_then(|context| context.get(DIRTY_FILES)) else {
        return;
    };
    let listed = listed.as_array().map_or(&[] as &[Value], Vec::as_slice);
    let listed: Vec<&str> = listed.iter().filter_map(Item::of).map(|item| item.text).collect();
    let dirty = match git.as_ref().map_err(String::clone).and_then(Git::dirty_files) {
        Ok(dirty) => dirty,
        Err(reason) => {
            return drift.compare_all(unknown(&listed), |finding| finding.not_looked(&reason));
        }
    };
    drift.compare_all(&listed, |name| {
        let finding = Finding::new(What::DirtyFile, *name, "dirty");
        match state_of(name, inner, &dirty) {
            Some((_, state)) => finding.same(state),
            None => finding.differs("clean"),
        }
    });
    let known: BTreeSet<&str> =
        listed.iter().filter_map(|name| Some(state_of(name, inner, &dirty)?.0)).collect();
    let others =
        dirty.iter().filter(|(name, state)| **state != UNTRACKED && !known.contains(name.as_str()));
    drift.compare_all(others, |(name, state)| {
        Finding::new(What::DirtyFile, name, "clean").differs(*state)
    });
}

/// Returns the facts that could not be checked. An empty list is a fact too.
fn unknown(listed: &[&str]) -> Vec<Finding> {
    if listed.is_empty() {
        return vec![Finding::new(What::DirtyFile, DIRTY_FILES, "none")];
    }
    listed.iter().map(|name| Finding::new(What::DirtyFile, *name, "dirty")).collect()
}

/// Returns the entry for a listed file, by its path from the root or from the directory.
fn state_of<'d>(
    name: &str,
    inner: &Path,
    dirty: &'d BTreeMap<String, &'static str>,
) -> Option<(&'d str, &'static str)> {
    let from_directory = inner.join(name).to_string_lossy().into_owned();
    let exact = || [name, &from_directory].into_iter().find_map(|path| dirty.get_key_value(path));
    let in_folder = || {
        dirty.iter().find(|(folder, _)| {
            folder.ends_with('/')
                && (name.starts_with(folder.as_str())
                    || from_directory.starts_with(folder.as_str()))
        })
    };
    exact().or_else(in_folder).map(|(path, state)| (path.as_str(), *state))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use crate::drift::samples::{TestRepository, drift, options};

    fn changed() -> TestRepository {
        TestRepository::new()
            .with("a", "1")
            .with("b", "1")
            .with("sub/c", "1")
            .committed()
            .with("a", "2")
            .with("sub/c", "2")
            .with("new/d", "1")
            .with("handoff.yaml", "")
    }

    #[test]
    fn the_list_is_compared_both_ways() {
        let members = json!({"context": {"dirty_files": ["a", "b", "new/d"]}});
        assert_eq!(
            changed().lines(members),
            [
                "same dirty_file a: modified",
                "differs dirty_file b: clean",
                "same dirty_file new/d: untracked",
                "differs dirty_file sub/c: modified",
            ]
        );
        assert_eq!(changed().lines(json!({"context": {}})), Vec::<String>::new());
        let none = json!({"context": {"dirty_files": []}});
        assert_eq!(changed().lines(none).len(), 2);
    }

    #[test]
    fn files_may_be_named_from_the_directory() {
        let repo = changed();
        let members = json!({"context": {"dirty_files": ["c", "a"]}});
        let found = drift(&repo.path("sub"), members, &options());
        assert!(!found.has_drift(), "{found:?}");
    }

    #[test]
    fn without_git_nothing_is_checked() {
        let repo = changed();
        let options = crate::drift::Options { search_path: None, ..options() };
        let members = json!({"context": {"dirty_files": ["a"], "branch": "main"}});
        let found = drift(&repo.path(""), members, &options);
        let outcomes: Vec<_> = found.findings.iter().map(|one| one.outcome.as_str()).collect();
        assert_eq!(outcomes, ["same", "not_looked"]);
    }
}
