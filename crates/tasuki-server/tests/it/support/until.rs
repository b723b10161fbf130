//! Waits for what happens in the background.

use std::time::{Duration, Instant};

/// Waits until something is so.
pub(crate) fn until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "it does not come to be");
        std::thread::sleep(Duration::from_millis(20));
    }
}
