//! Finds a program on `PATH`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the first match on `PATH`, without relative folders. A match in a foreign folder is
/// refused, because the next one would be another program.
pub(crate) fn program(
    program: &str,
    search_path: Option<&OsStr>,
    foreign: &[&Path],
) -> Result<PathBuf, String> {
    let absent = || format!("`{program}` is not on PATH");
    let found = std::env::split_paths(search_path.ok_or_else(absent)?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|path| is_program(path))
        .ok_or_else(absent)?;
    let is_foreign = |path: &Path| {
        path.canonicalize().is_ok_and(|path| foreign.iter().any(|folder| path.starts_with(folder)))
    };
    // A link in a foreign folder is as untrusted as a program in it.
    if is_foreign(&found) || found.parent().is_some_and(is_foreign) {
        return Err(format!("not run: the first `{program}` on PATH is in the directory"));
    }
    Ok(found)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
