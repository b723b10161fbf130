//! Paths as git prints them: bytes, relative to the root of the work tree.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns a path of git as a path of this system.
#[cfg(unix)]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Returns a path of git as a path of this system.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns a path of git as text for people.
pub(super) fn to_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns `true` for the data directory of an exchange, which is never part of the code.
pub(super) fn is_own_data(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b".tasuki")
}

/// Returns a path in a folder that no other process and no other call uses.
pub(super) fn unique(folder: &Path, prefix: &str) -> PathBuf {
    static USED: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = USED.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{prefix}-{}-{number}", std::process::id()));
        // A process of the same number may have been killed and have left it.
        if path.symlink_metadata().is_err() {
            return path;
        }
    }
}
