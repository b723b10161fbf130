//! The files of the repository.

use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root exists")
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files below `folder` with this extension, without generated and foreign folders.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    files_where(folder, &|path| path.extension().is_some_and(|found| found == extension))
}

/// Returns the files below `folder` that match, without generated and foreign folders.
pub(crate) fn files_where(folder: &Path, is_match: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || matches!(name.as_str(), "target" | "node_modules") {
            continue;
        }
        if path.is_dir() {
            found.extend(files_where(&path, is_match));
        } else if is_match(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the crates of the workspace: their names and folders.
pub(crate) fn crates() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root().join("crates")).expect("the crates exist");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}
