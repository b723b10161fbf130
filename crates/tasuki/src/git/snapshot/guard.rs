//! Work trees of which no snapshot is made.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::limits::{FILES_MAX, FREE_KILOBYTES_MIN};
use crate::git::head::Repository;

/// Returns the reason to make no snapshot of a work tree.
pub(super) fn skipped(repository: &Repository) -> Option<String> {
    let root = &repository.root;
    let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    if root.parent().is_none() || home.as_ref() == Some(root) {
        return Some(
            "the work tree is the home directory or the root of the file system".to_owned(),
        );
    }
    let files = index_entries(&repository.own.join("index")).unwrap_or_default();
    if files > FILES_MAX {
        return Some(format!("the work tree has {files} files, the limit is {FILES_MAX}"));
    }
    let free = free_kilobytes(&repository.common)?;
    (free < FREE_KILOBYTES_MIN)
        .then(|| format!("{free} kB are free on the disk, {FREE_KILOBYTES_MIN} kB are needed"))
}

/// Returns the number of files in an index, from its header.
fn index_entries(index: &Path) -> Option<u32> {
    let mut header = [0; 12];
    std::fs::File::open(index).ok()?.read_exact(&mut header).ok()?;
    let [b'D', b'I', b'R', b'C', _, _, _, _, count @ ..] = header else { return None };
    Some(u32::from_be_bytes(count))
}

/// Returns the free space of a file system, if `df` knows it.
fn free_kilobytes(folder: &Path) -> Option<u64> {
    let mut command = Command::new("df");
    command.arg("-Pk").arg(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::drift::samples::TestRepository;

    #[test]
    fn the_number_of_files_is_in_the_header_of_the_index() {
        let repository = TestRepository::new().with("a", "").with("b/c", "").committed();
        assert_eq!(index_entries(&repository.path(".git/index")), Some(2));
        assert_eq!(index_entries(&repository.path("a")), None);
        assert!(free_kilobytes(&repository.path("")).is_some());
    }

    #[test]
    fn a_work_tree_with_too_many_files_is_skipped() {
        let repository = TestRepository::new().with("a", "").committed();
        let mut index = std::fs::read(repository.path(".git/index")).unwrap();
        index[8..12].copy_from_slice(&200_001_u32.to_be_bytes());
        std::fs::write(repository.path(".git/index"), index).unwrap();
        let found = Repository::around(&repository.path("")).unwrap();
        assert_eq!(skipped(&found).unwrap(), "the work tree has 200001 files, the limit is 200000");
    }
}
