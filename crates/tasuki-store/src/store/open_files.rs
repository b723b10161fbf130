//! The limit of open projects, derived from how many files this process may have open.

/// Files of a busy project: a database and a WAL for each of its connections, which are
/// one that writes, four that read and one that watches, and what they share.
const FILES_PER_PROJECT: usize = 16;

/// LIMIT: projects that are open at once, however many files may be. Each has caches of its own.
const PROJECTS_MAX: usize = 1_024;

/// The limit where the system reports none: as few files as any allows.
const FILES_DEFAULT: usize = 256;

/// LIMIT: projects that are open at once.
pub(crate) fn projects_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").ok();
    let files = limits.and_then(|text| files_max(&text)).unwrap_or(FILES_DEFAULT);
    (files / FILES_PER_PROJECT).clamp(1, PROJECTS_MAX)
}

/// Parses the soft limit of open files from `/proc/self/limits`.
fn files_max(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_read_as_linux_writes_it() {
        let line =
            "Max processes 7 7 processes\nMax open files            512    1048576    files \n";
        assert_eq!(files_max(line), Some(512));
        assert_eq!(files_max("Max open files unlimited unlimited files"), Some(usize::MAX));
        assert_eq!(files_max("Max processes 7 7 processes\n"), None);
        assert!((1..=PROJECTS_MAX).contains(&projects_max()));
    }
}
