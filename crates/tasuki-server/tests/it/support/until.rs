//! Waits for background work.

use std::time::{Duration, Instant};

pub(crate) fn until(is_met: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_met() {
        assert!(Instant::now() < end, "the condition was not met in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}
