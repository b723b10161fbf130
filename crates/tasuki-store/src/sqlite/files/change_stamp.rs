//! Detects writes of any process from the metadata of a project's files, so that a thousand
//! projects can be polled several times a second without opening one.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

/// Returns a number that changes after a commit of any process. A checkpoint or indexing may also
/// change it; reading does not.
pub(crate) fn change_stamp(database: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_metadata(database, &mut hasher);
    // A reader creates an empty WAL and removes it again.
    hash_metadata(&database.with_extension("db-wal"), &mut hasher);
    hasher.finish()
}

/// Hashes the length and modification time of a file. An empty or missing file adds nothing.
fn hash_metadata(file: &Path, hasher: &mut DefaultHasher) {
    let found = std::fs::metadata(file).ok().filter(|metadata| metadata.len() > 0);
    found.map(|metadata| (metadata.len(), metadata.modified().ok())).hash(hasher);
}
