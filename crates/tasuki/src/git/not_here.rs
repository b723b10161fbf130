//! Uncommitted files of the sender that the work tree of the receiver does not have.

use std::path::Path;

use serde::Serialize;
use tasuki_api::{FileState, WorkTree, WorkTreeFile};

use super::facts::{digest, id};
use super::head::Repository;

/// Files of a recorded work tree that are not in the current one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct NotHere {
    /// The paths, sorted, of those that the record lists.
    #[serde(rename = "not_here")]
    pub(crate) paths: Vec<String>,
    /// The number of files that the record counts and does not list.
    #[serde(rename = "not_listed")]
    pub(crate) unlisted: u32,
}

/// Compares a recorded work tree with the one around a directory. Returns `None` if it is the same work
/// tree, or has every file of the record.
pub(crate) fn not_here(recorded: &WorkTree, directory: &Path) -> Option<NotHere> {
    let directory = directory.canonicalize().ok()?;
    let root = Repository::around(&directory).map_or(directory, |repository| repository.root);
    if recorded.id == id(&root) {
        return None;
    }
    let paths: Vec<String> = recorded
        .files
        .iter()
        .filter(|file| !is_here(&root, file))
        .map(|file| file.path.clone())
        .collect();
    let listed = u32::try_from(recorded.files.len()).unwrap_or(u32::MAX);
    let unlisted = recorded.count.saturating_sub(listed);
    (!paths.is_empty() || unlisted > 0).then_some(NotHere { paths, unlisted })
}

/// Returns `true` if the work tree has a file as it is in the record. The path is written by another
/// party, so one that leads out of the work tree is never looked at.
fn is_here(root: &Path, file: &WorkTreeFile) -> bool {
    use std::path::Component::Normal;
    let path = Path::new(&file.path);
    if !path.components().all(|part| matches!(part, Normal(_))) {
        return false;
    }
    let path = root.join(path);
    let exists = path.symlink_metadata().is_ok();
    match (&file.digest, file.state) {
        (_, FileState::Deleted) => !exists,
        (Some(expected), _) => digest(&path).as_ref() == Some(expected),
        // A file without a digest can only be compared by name.
        (None, _) => exists,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::drift::samples::TestRepository;
    use crate::git::facts::facts;

    #[test]
    fn files_of_the_sender_that_are_missing_or_differ_are_named() {
        let sender = TestRepository::new().with("a", "1").with("b", "2").committed();
        let sender = sender.with("a", "changed").with("new", "x").with("same", "y");
        std::fs::remove_file(sender.path("b")).unwrap();
        let recorded = facts(&sender.path("")).unwrap();
        let receiver = TestRepository::new().with("a", "1").with("b", "2").committed();
        let receiver = receiver.with("same", "y");
        let found = not_here(&recorded, &receiver.path("")).unwrap();
        assert_eq!((found.paths, found.unlisted), (vec!["a".into(), "b".into(), "new".into()], 0));
        // Nothing is said where the tree matches, or in the same work tree.
        let receiver = receiver.with("a", "changed").with("new", "x");
        std::fs::remove_file(receiver.path("b")).unwrap();
        assert_eq!(not_here(&recorded, &receiver.path("")), None);
        let sender = sender.with("a", "later");
        assert_eq!(not_here(&recorded, &sender.path("")), None);
    }

    #[test]
    fn a_path_that_leads_out_of_the_work_tree_is_not_looked_at() {
        let outside = TestRepository::new().with("secret", "x").with("repo/a", "");
        let file = |path: &str| WorkTreeFile {
            path: path.to_owned(),
            state: FileState::Untracked,
            digest: None,
        };
        let files = vec![file("../secret"), file("/etc/passwd")];
        let recorded = WorkTree { files, count: 2, ..WorkTree::default() };
        let found = not_here(&recorded, &outside.path("repo")).unwrap();
        assert_eq!(found.paths, ["../secret", "/etc/passwd"]);
    }

    #[test]
    fn files_beyond_the_list_are_counted() {
        let recorded = WorkTree { count: 5, ..WorkTree::default() };
        let here = TestRepository::new();
        let found = not_here(&recorded, &here.path("")).unwrap();
        assert_eq!((found.paths.len(), found.unlisted), (0, 5));
    }
}
