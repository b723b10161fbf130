//! A directory of its own for each test, gone when the test is.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tasuki_store::{Options, SqliteStore};

/// A new directory that is removed when this is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("store-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A directory that cannot be removed is no reason to fail.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A store in a new directory.
pub(crate) fn fresh() -> (SqliteStore, Folder) {
    let folder = Folder::new();
    (SqliteStore::open(folder.path(), Options::default()).unwrap(), folder)
}
