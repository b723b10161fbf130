//! The limits of snapshots.

/// The limits of snapshots, from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// LIMIT: bytes of a file. Larger ones are left out and listed.
    pub(crate) file_bytes_max: u64,
    /// LIMIT: snapshots kept for each task, besides those of handoffs.
    pub(crate) keep: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes_max: 10 * 1_024 * 1_024, keep: 20 }
    }
}

/// LIMIT: files of a work tree. A snapshot of more would take too long.
pub(super) const FILES_MAX: u32 = 200_000;

/// LIMIT: free kilobytes below which no snapshot is made.
pub(super) const FREE_KILOBYTES_MIN: u64 = 1_024 * 1_024;

/// LIMIT: files that are listed as left out; the rest is counted.
pub(super) const LEFT_OUT_MAX: usize = 1_000;
