//! Files and directories of a store: created private to their owner and durable.
//!
//! Files have mode 0600 and directories 0700. A new name is synced with its directory.

pub(crate) mod change_stamp;
pub(crate) mod head_file;

use std::path::{Path, PathBuf};

use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;

use crate::sqlite::fault::file_fault;

/// Returns a path for messages: the last folder and the file name.
pub(crate) fn display_path(path: &Path) -> String {
    let name = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let folder = name(path.parent().and_then(Path::file_name));
    format!("{folder}/{}", name(path.file_name()))
}

/// Returns the path of a project's database, relative to the directory of its store.
pub(crate) fn project_file(project: ProjectId) -> PathBuf {
    Path::new("projects").join(project.to_string()).join("project.db")
}

/// Returns the path of a file that is kept beside another.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the parent of a path; for a bare name, the current directory.
pub(crate) fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        parent => parent.unwrap_or(path),
    }
}

/// Creates a directory that only its owner may enter, with missing parents.
pub(crate) fn create_directory(path: &Path) -> Result<(), Fault> {
    let folder = parent_of(path);
    // Each is created and synced on its own; otherwise a power cut loses one with everything below
    // it.
    if !folder.exists() && folder != path {
        create_directory(folder)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|error| file_fault(&error, "creating the directory", &display_path(path)))?;
    sync_directory(folder)
}

/// Creates an empty file that only its owner may read, unless it exists. SQLite gives its sidecar
/// files the mode of the database.
pub(crate) fn create_file(path: &Path) -> Result<(), Fault> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => sync_directory(parent_of(path)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(file_fault(&error, "creating the file", &display_path(path))),
    }
}

/// LIMIT: free space that a commit needs at most in the usual case.
const SPACE_BYTES: usize = 64 * 1024;

/// Checks that a directory has space for a commit, by writing and removing a file.
pub(crate) fn check_space(directory: &Path) -> Result<(), Fault> {
    let path = directory.join(format!(".space-probe-{}", std::process::id()));
    let written = std::fs::write(&path, vec![0; SPACE_BYTES]);
    drop(std::fs::remove_file(&path));
    written.map_err(|error| file_fault(&error, "writing a file", &display_path(&path)))
}

/// Makes a file durable.
pub(crate) fn sync_file(path: &Path) -> Result<(), Fault> {
    std::fs::File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| file_fault(&error, "syncing the file", &display_path(path)))
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(path: &Path) -> Result<(), Fault> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    std::fs::File::open(path)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| file_fault(&error, "syncing the directory", &display_path(path)))
}
