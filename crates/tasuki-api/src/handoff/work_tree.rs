//! The git work tree that a command ran in: a document beside the packet.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default};
use crate::word_enum::word_enum;

/// LIMIT: the uncommitted files that a work tree lists; `count` has the number of all.
pub const FILES_MAX: usize = 200;

/// LIMIT: the characters of a path, a branch or a remote.
pub const TEXT_CHARACTERS_MAX: usize = 1_024;

/// The state of a git work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkTree {
    /// The id of the work tree: the same for the same folder of the same machine.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{16}$")))]
    pub id: String,
    /// The branch, unless `HEAD` is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit, unless the branch has none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::CommitId>"))]
    pub commit: Option<String>,
    /// The address of the remote `origin`, without user and password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The uncommitted and untracked files, sorted, at most 200.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<Vec<WorkTreeFile>>", length(max = FILES_MAX))
    )]
    pub files: Vec<WorkTreeFile>,
    /// The number of uncommitted and untracked files.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub count: u32,
    /// The reason why the files are unknown, such as a time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_looked: Option<String>,
}

/// The work tree of a handoff as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkTreeMark {
    /// The id of the work tree.
    pub id: String,
    /// The branch, unless `HEAD` was detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The time of the command that stated it.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
}

/// An uncommitted file of a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkTreeFile {
    /// The path, relative to the root of the work tree.
    pub path: String,
    /// The difference to the commit.
    pub state: FileState,
    /// The digest of the content. It is left out for large files and files that may hold secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
}

word_enum! {
    /// The difference between a file and the commit.
    pub enum FileState {
        /// The content or mode differs.
        Modified = "modified",
        /// The file is staged and not in the commit.
        Added = "added",
        /// The file is in the commit and gone.
        Deleted = "deleted",
        /// Git does not track the file.
        Untracked = "untracked",
        /// A merge left a conflict.
        Conflicted = "conflicted",
    }
}

/// A packet with what its sender adds to it, as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PacketRequest {
    /// The packet, as text in any form.
    pub packet: String,
    /// The work tree that it was sent from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<WorkTree>,
    /// The team's own variant that the packet must satisfy and may name as its `profile`. Only for a
    /// packet that is submitted or passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Map<String, Value>>,
}

/// The media type of a [`PacketRequest`].
pub const PACKET_REQUEST_MEDIA: &str = "application/vnd.tasuki.packet-request+json";

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
