//! A temporary directory for one unit test, removed at its end.
//!
//! It is outside of the repository, because what is found upward from here must not be ours.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::exit::Failure;

/// A new temporary directory.
#[derive(Debug)]
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("tasuki-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().canonicalize().unwrap().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// The folder with one more file; folders on the way to it are made.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.0.clone() } else { self.0.join(name) }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A failure as people see it, the same on every machine.
    pub(crate) fn shown(&self, failure: &Failure) -> String {
        let hint = failure.hint.as_ref().map_or(String::new(), |hint| format!("\nhint: {hint}"));
        format!("{}{hint}", failure.message).replace(&self.0.display().to_string(), "[DIR]")
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A folder that cannot be removed is harmless.
        let _stays = std::fs::remove_dir_all(&self.0).is_err();
    }
}
