//! Folders and files that only their owner may read, and that survive a power cut.
//!
//! A new name is durable only after its folder was synced. Whoever acknowledges a write inside a new
//! folder relies on that, so making one syncs the folder above it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::Path;

/// Makes a folder (0700), unless it is there. Says whether it was made.
pub(crate) fn make_folder(path: &Path) -> Result<bool> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_folder).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a file (0600) that must not be there yet.
pub(crate) fn make_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes names in a folder durable. Elsewhere than on Unix a folder cannot be opened for that.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
