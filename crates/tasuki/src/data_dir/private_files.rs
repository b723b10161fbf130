//! Creates directories and files that only their owner may read, and that survive a power cut.
//!
//! A new name is durable only after its folder is synced, so creating a folder syncs its parent.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Creates a directory (0700) unless it exists. Returns `true` if it was created.
pub(crate) fn create_private_dir(path: &Path) -> Result<bool> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_dir).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates a directory and those above it (0700) unless they exist.
pub(crate) fn create_private_dirs(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create_private_dirs(above)?;
    }
    create_private_dir(path).map(|_| ())
}

/// Creates a file (0600) that must not exist yet.
pub(crate) fn create_private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the names in a directory durable. Only Unix can open a directory for this.
pub(crate) fn sync_dir(path: &Path) -> Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
