//! Resource usage of this process, and the machine, read from `/proc`.
//!
//! Contenders run inside this process one at a time, so the difference of two readings is the cost
//! of one, including its callers.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use cpu_time::ProcessTime;

/// Processor time and bytes written to the disk since the process started.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    cpu: ProcessTime,
    written_bytes: u64,
}

impl Usage {
    /// Returns the usage so far.
    pub fn now() -> anyhow::Result<Self> {
        let written_bytes = number_after(&fs::read_to_string("/proc/self/io")?, "write_bytes:")?;
        Ok(Self { cpu: ProcessTime::now(), written_bytes })
    }

    /// Returns processor time and written bytes since an earlier reading.
    pub fn since(&self, earlier: &Self) -> (Duration, u64) {
        let cpu = self.cpu.duration_since(earlier.cpu);
        (cpu, self.written_bytes - earlier.written_bytes)
    }
}

/// Returns the current and the peak resident memory, in bytes.
pub fn resident() -> anyhow::Result<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status")?;
    Ok((number_after(&status, "VmRSS:")? * 1024, number_after(&status, "VmHWM:")? * 1024))
}

/// Returns how long all processors together were busy since the machine started.
pub fn machine_busy() -> anyhow::Result<Duration> {
    // LIMIT: resolution of a hundredth of a second, which Linux uses here on every common machine.
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("`/proc/stat` is empty")?;
    let ticks = line.split_whitespace().skip(1).map(str::parse);
    let ticks: Vec<u32> = ticks.collect::<Result<_, _>>().context("`/proc/stat` has no numbers")?;
    // The fourth and fifth are idle; guests, after the eighth, are already included.
    let busy = ticks.iter().take(8).enumerate().filter(|(index, _)| ![3, 4].contains(index));
    Ok(Duration::from_secs_f64(
        busy.map(|(_, &ticks)| f64::from(ticks)).sum::<f64>() / TICKS_PER_SECOND,
    ))
}

/// Returns the type of the file system of a directory.
///
/// A file system in memory is refused: an fsync costs nothing there, so the results would be
/// meaningless.
pub fn file_system(directory: &Path) -> anyhow::Result<String> {
    let directory = directory.canonicalize()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let (_, name) = mounts
        .lines()
        .filter_map(mount)
        .filter(|(point, _)| directory.starts_with(point))
        // Of two mounts at the same place, the later one is visible.
        .max_by_key(|(point, _)| point.as_os_str().len())
        .context("no mount point above the directory")?;
    if ["tmpfs", "ramfs"].contains(&name.as_str()) {
        bail!(
            "`{}` is in memory ({name}); choose a directory on a disk with --dir",
            directory.display()
        );
    }
    Ok(name)
}

/// Parses mount point and type of a line of `mountinfo`.
fn mount(line: &str) -> Option<(PathBuf, String)> {
    let (before, after) = line.split_once(" - ")?;
    let point = before.split(' ').nth(4)?;
    Some((PathBuf::from(point), after.split(' ').next()?.to_owned()))
}

fn number_after(text: &str, name: &str) -> anyhow::Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.with_context(|| format!("no `{name}`"))?.parse().context("not a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mountinfo_names_its_place_and_type() {
        let line = "36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/root rw";
        assert_eq!(mount(line), Some((PathBuf::from("/mnt"), "ext4".to_owned())));
    }

    #[test]
    fn a_file_system_in_memory_is_refused() {
        assert!(file_system(Path::new("/dev/shm")).is_err());
    }

    #[test]
    fn a_number_is_found_by_its_name() {
        assert_eq!(number_after("a: 1\nwrite_bytes: 42\n", "write_bytes:").unwrap(), 42);
    }
}
