//! A temporary directory for one run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory that is removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Creates an empty directory under `parent`.
    pub fn new(parent: &Path) -> anyhow::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("run-{}-{count}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(fault) = fs::remove_dir_all(&self.path) {
            eprintln!("cannot remove {}: {fault}", self.path.display());
        }
    }
}
