//! Snapshots of work trees.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::instant;

/// LIMIT: the bytes of a bundle. A thin bundle has the uncommitted files only.
pub const BUNDLE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The media type of a bundle.
pub const BUNDLE_MEDIA: &str = "application/x-git-bundle";

/// A snapshot of a work tree, without its bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// The number, counted per task.
    pub number: u64,
    /// The party that sent it.
    pub by: String,
    /// The time at which it arrived.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The commit of the snapshot.
    #[cfg_attr(feature = "schema", schemars(with = "schema::CommitId"))]
    pub commit: String,
    /// The digest of the bundle.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
    /// The size of the bundle in bytes.
    pub bytes: u64,
}
