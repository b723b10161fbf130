//! Writes documents to files.

use std::io::Write as _;
use std::path::Path;

use crate::exit::{Failure, reason};

/// Writes a new file, and fails if it exists.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = std::fs::File::create_new(path).map_err(|error| {
        let failure = unwritable(path, &error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                failure.hint("choose another name, or remove the file")
            }
            _ => failure,
        }
    })?;
    file.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))
}

/// Replaces a file atomically: a reader sees the old text or the new one.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| unwritable(path, &error);
    // A symbolic link stays; its target is replaced.
    let path = &path.canonicalize().map_err(failed)?;
    let name = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = std::fs::File::create_new(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(std::fs::metadata(path)?.permissions())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    });
    if written.is_err() {
        // The old file is untouched.
        let _absent = std::fs::remove_file(&temporary).is_err();
    }
    written.map_err(failed)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {}", path.display(), reason(error)))
}
