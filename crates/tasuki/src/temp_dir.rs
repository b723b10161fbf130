//! A temporary directory for one unit test, removed at its end.
//!
//! It is outside of the repository, because what is found upward from here must not be ours.

use std::path::PathBuf;

use crate::exit::Failure;

/// A new temporary directory.
#[derive(Debug)]
pub(crate) struct TempDir(tempfile::TempDir);

impl TempDir {
    pub(crate) fn new() -> Self {
        let parent = std::env::temp_dir().canonicalize().unwrap();
        Self(tempfile::Builder::new().prefix("tasuki-test-").tempdir_in(parent).unwrap())
    }

    /// The folder with one more file; folders on the way to it are made.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let path = self.0.path();
        if name.is_empty() { path.to_owned() } else { path.join(name) }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A failure as people see it, the same on every machine.
    pub(crate) fn shown(&self, failure: &Failure) -> String {
        let hint = failure.hint.as_ref().map_or(String::new(), |hint| format!("\nhint: {hint}"));
        format!("{}{hint}", failure.message).replace(&self.0.path().display().to_string(), "[DIR]")
    }
}
