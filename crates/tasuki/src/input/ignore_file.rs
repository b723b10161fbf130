//! `.tasukiignore`: files and folders that a scan leaves out, such as deliberately invalid packets.
//!
//! Each line is a path below the folder of the file, or a name that counts at any depth. `*` stands
//! for any text except `/`. Empty lines and lines that start with `#` are skipped.

use std::path::{Path, PathBuf};

/// The name of the file.
const FILE_NAME: &str = ".tasukiignore";

/// LIMIT: bytes of an ignore file. A longer one is not read.
const BYTES_MAX: u64 = 64 * 1024;

/// The rules of all ignore files from the folder that is scanned down to the current one.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    folder: PathBuf,
    pattern: String,
}

impl IgnoreRules {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes the rules of folders below.
    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Adds the rules of a folder, if it has any.
    pub(super) fn read(&mut self, folder: &Path) {
        let path = folder.join(FILE_NAME);
        let is_small = std::fs::metadata(&path).is_ok_and(|found| found.len() <= BYTES_MAX);
        let Some(text) = is_small.then(|| std::fs::read_to_string(&path).ok()).flatten() else {
            return;
        };
        let lines = text.lines().map(str::trim);
        let patterns = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        self.0.extend(patterns.map(|pattern| Rule {
            folder: folder.to_owned(),
            pattern: pattern.trim_matches('/').to_owned(),
        }));
    }

    /// Returns `true` if a rule names this file or folder.
    pub(super) fn covers(&self, path: &Path) -> bool {
        self.0.iter().any(|rule| rule.covers(path))
    }
}

impl Rule {
    fn covers(&self, path: &Path) -> bool {
        let Ok(inner) = path.strip_prefix(&self.folder) else { return false };
        let inner = inner.to_string_lossy();
        let name = inner.rsplit('/').next().unwrap_or_default();
        let found = if self.pattern.contains('/') { &inner } else { name };
        matches(&self.pattern, found)
    }
}

/// Returns `true` if a text matches a pattern with `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(tail) = text.strip_prefix(start) else { return false };
    let ends = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
    ends.take_while(|at| !tail[..*at].contains('/')).any(|at| matches(rest, &tail[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_a_path_or_a_name_at_any_depth() {
        let rule = |pattern: &str| Rule { folder: "repo".into(), pattern: pattern.to_owned() };
        let covers = |pattern: &str, path: &str| rule(pattern).covers(Path::new(path));
        assert!(covers("vectors/invalid", "repo/vectors/invalid"));
        assert!(!covers("vectors/invalid", "repo/other/vectors/invalid"));
        assert!(covers("broken.yaml", "repo/a/b/broken.yaml"));
        assert!(covers("*.bad.yaml", "repo/a/one.bad.yaml"));
        assert!(!covers("*.bad.yaml", "repo/a/one.yaml"));
        assert!(covers("a/*.json", "repo/a/x.json"));
        assert!(!covers("a/*.json", "repo/a/b/x.json"));
        assert!(!covers("broken.yaml", "elsewhere/broken.yaml"));
    }
}
