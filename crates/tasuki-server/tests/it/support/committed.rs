//! Committed files that must be current; `TASUKI_UPDATE=1` rewrites them.

use std::path::Path;

/// Compares a committed file with its expected content.
pub(crate) fn compare(relative: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(relative);
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(expected.lines()).position(|(one, other)| one != other);
    assert!(
        found == expected,
        "{relative} is not current, first in line {differs:?}; run make generate"
    );
}
