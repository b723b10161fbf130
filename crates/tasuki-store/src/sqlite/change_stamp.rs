//! Has anybody written? Told from the files of a project alone, so that a thousand of them can be asked
//! several times a second without opening one.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

/// A number that is another one after a commit of any process. It may also move when words were
/// indexed or the WAL was moved into its database, but not by reading alone.
pub(crate) fn stamp(database: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    look_at(database, &mut hasher);
    // Reading makes an empty one and takes it away again.
    look_at(&database.with_extension("db-wal"), &mut hasher);
    hasher.finish()
}

/// The length and the time of a file; one that is empty or not there counts for nothing.
fn look_at(file: &Path, hasher: &mut DefaultHasher) {
    let found = std::fs::metadata(file).ok().filter(|metadata| metadata.len() > 0);
    found.map(|metadata| (metadata.len(), metadata.modified().ok())).hash(hasher);
}
