//! The lock that elects the one server of a data directory that delivers webhooks and mail.
//!
//! Two delivering servers would send everything twice and out of order. The system releases the
//! lock when the process ends, so a crashed server needs no detection.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the lock file.
const FILE: &str = "delivering.lock";

/// The delivery lock as one server sees it.
#[derive(Debug)]
pub(crate) struct DeliveryLock {
    /// `None` if the file cannot be created; then every server delivers.
    lock: Option<File>,
    is_held: AtomicBool,
}

impl DeliveryLock {
    /// Opens the lock of a data directory.
    pub(crate) fn open(data_dir: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(data_dir.join(FILE)).ok();
        Self { lock, is_held: AtomicBool::new(false) }
    }

    /// Tries to take the lock and returns `true` if this server holds it. Once held, it stays held.
    pub(crate) fn is_held(&self) -> bool {
        if !self.is_held.load(Ordering::Relaxed) {
            let locked = self.lock.as_ref().map(File::try_lock);
            // Without locks, delivering twice is better than not delivering.
            let is_held = !matches!(locked, Some(Err(TryLockError::WouldBlock)));
            self.is_held.store(is_held, Ordering::Relaxed);
        }
        self.is_held.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_dir::DataDir;
    use crate::temp_dir::TempDir;

    #[test]
    fn one_server_delivers_and_the_next_takes_over_when_it_ends() {
        let temp_dir = TempDir::new();
        let (data_dir, _) = DataDir::create(&temp_dir.path("")).unwrap();
        let path = data_dir.path();
        let (first, second) = (DeliveryLock::open(path), DeliveryLock::open(path));
        assert!(first.is_held() && !second.is_held());
        assert!(first.is_held() && !second.is_held());
        drop(first);
        assert!(second.is_held());
        assert!(!DeliveryLock::open(path).is_held());
    }
}
