//! The work tree of an agent, and whether it has changed.

use tasuki_api::WorkTree;
use tasuki_packet::canonical::digest_of_bytes;

use crate::git;

/// The state of the work tree.
pub(super) struct Tree {
    /// The record for the next holder; none outside of a repository.
    pub(super) work_tree: Option<WorkTree>,
    /// Another text after every change; none if the files are not known.
    pub(super) fingerprint: Option<String>,
}

impl Tree {
    /// Looks at the work tree around the current directory.
    pub(super) fn here() -> Self {
        let work_tree = git::here();
        let looked = work_tree.as_ref().filter(|tree| tree.not_looked.is_none());
        let fingerprint = looked.map(|tree| {
            let files = serde_json::to_string(&tree.files).unwrap_or_default();
            let commit = tree.commit.as_deref().unwrap_or_default();
            digest_of_bytes(format!("{commit} {} {files}", tree.count).as_bytes())
        });
        Self { work_tree, fingerprint }
    }
}
