//! Finds, reads and rewrites the files of `vectors/` and `schemas/`.
//!
//! Generated files are compared, and rewritten if `TASUKI_UPDATE` is set.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Resolves a path from the root of the repository.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(relative)
}

/// Returns the names of the vectors in a folder, without hidden files and expectations.
pub(crate) fn names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(path(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .filter(|name| !name.ends_with(".expect.json") && name != "digests.json")
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{folder} has no vectors");
    names
}

/// Reads a file.
pub(crate) fn bytes(relative: &str) -> Vec<u8> {
    fs::read(path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

/// Reads a text file.
pub(crate) fn text(relative: &str) -> String {
    fs::read_to_string(path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

/// Reads a JSON file.
pub(crate) fn json(relative: &str) -> Value {
    serde_json::from_slice(&bytes(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
}

/// Reads a JSON file, if it exists.
pub(crate) fn optional_json(relative: &str) -> Option<Value> {
    path(relative).exists().then(|| json(relative))
}

/// Compares a file with its expected content and describes the first difference.
///
/// Writes the file if `TASUKI_UPDATE` is set.
pub(crate) fn compare(relative: &str, expected: &Value) -> Result<(), String> {
    let mut printed = serde_json::to_string_pretty(expected).unwrap();
    printed.push('\n');
    compare_text(relative, &printed)
}

/// Like [`compare`], for a file that is not JSON.
pub(crate) fn compare_text(relative: &str, printed: &str) -> Result<(), String> {
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        fs::create_dir_all(path(relative).parent().unwrap()).unwrap();
        fs::write(path(relative), printed).unwrap();
        return Ok(());
    }
    let found = fs::read_to_string(path(relative)).unwrap_or_default();
    match first_difference(&found, printed) {
        None => Ok(()),
        Some(difference) => Err(format!("{relative} {difference}")),
    }
}

fn first_difference(found: &str, expected: &str) -> Option<String> {
    if found == expected {
        return None;
    }
    let (mut left, mut right) = (found.lines(), expected.lines());
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (left, right) if left == right => {}
            (left, right) => {
                let (left, right) = (left.map(shorten), right.map(shorten));
                return Some(format!("line {number}: found {left:?}, expected {right:?}"));
            }
        }
    }
    Some("differs in its line endings".to_owned())
}

/// Cuts a text for a message.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 1000;
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// Fails with a readable number of errors.
pub(crate) fn assert_none(wrong: &[String]) {
    const SHOWN_MAX: usize = 30;
    let shown: Vec<_> = wrong.iter().take(SHOWN_MAX).map(|each| shorten(each)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), shown.join("\n"));
}
