//! The limit of open projects, derived from the limit of open files of this process.

/// Files of a busy project: a database and a WAL for each connection (one that writes, four that
/// read, one that watches), and the files they share.
const FILES_PER_PROJECT: usize = 16;

/// LIMIT: open projects, whatever the limit of files. Each has its own caches.
const PROJECTS_MAX: usize = 1_024;

/// The limit if the system reports none: the lowest of any system.
const FILES_DEFAULT: usize = 256;

/// LIMIT: open projects.
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
    fn the_limit_is_parsed_as_linux_prints_it() {
        let line =
            "Max processes 7 7 processes\nMax open files            512    1048576    files \n";
        assert_eq!(files_max(line), Some(512));
        assert_eq!(files_max("Max open files unlimited unlimited files"), Some(usize::MAX));
        assert_eq!(files_max("Max processes 7 7 processes\n"), None);
        assert!((1..=PROJECTS_MAX).contains(&projects_max()));
    }
}
