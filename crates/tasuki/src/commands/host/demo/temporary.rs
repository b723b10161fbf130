//! The directory of a demo, removed at its end.

use std::path::{Path, PathBuf};

use crate::exit::{Failure, reason};

/// A temporary directory that only the user can read.
pub(super) struct TemporaryDir(PathBuf);

impl TemporaryDir {
    pub(super) fn create() -> Result<Self, Failure> {
        let name = format!("tasuki-demo-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| {
            Failure::usage(format!("cannot create {}: {}", path.display(), reason(&error)))
                .hint("set `TMPDIR` to a directory that you can write to")
        })?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        // A directory that cannot be removed is harmless, and there is no one left to tell.
        let _remains = std::fs::remove_dir_all(&self.0).is_err();
    }
}
