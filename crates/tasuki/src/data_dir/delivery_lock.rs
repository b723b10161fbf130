//! Which of the servers of one place delivers webhooks and mail: whoever has the lock of a file.
//!
//! Two that deliver would tell everybody twice, and out of order. The system lets go of the lock when
//! a process ends, however it ends, so that nobody has to notice that the other one is gone.

use std::fs::{File, OpenOptions, TryLockError};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Place;

/// The part of one server in this.
#[derive(Debug)]
pub(crate) struct Delivering {
    /// Nothing where the file cannot be made: then nobody can be kept from delivering.
    lock: Option<File>,
    is_ours: AtomicBool,
}

impl Delivering {
    pub(crate) fn at(place: &Place) -> Self {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(place.delivering()).ok();
        Self { lock, is_ours: AtomicBool::new(false) }
    }

    /// Whether it is this server that delivers. Once it is, it stays so.
    pub(crate) fn is_ours(&self) -> bool {
        if !self.is_ours.load(Ordering::Relaxed) {
            let locked = self.lock.as_ref().map(File::try_lock);
            // Where there are no locks, it is better to deliver twice than not at all.
            let is_ours = !matches!(locked, Some(Err(TryLockError::WouldBlock)));
            self.is_ours.store(is_ours, Ordering::Relaxed);
        }
        self.is_ours.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::Scratch;

    #[test]
    fn one_delivers_and_the_next_when_it_has_ended() {
        let scratch = Scratch::new();
        let (place, _) = Place::create(&scratch.path("")).unwrap();
        let (first, second) = (Delivering::at(&place), Delivering::at(&place));
        assert!(first.is_ours() && !second.is_ours());
        assert!(first.is_ours() && !second.is_ours());
        drop(first);
        assert!(second.is_ours());
        assert!(!Delivering::at(&place).is_ours());
    }
}
