//! The clock of the database, which all processes that share it go by.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::ports::Clock;

/// The time of the database, as of its last reading and the time that has passed since.
#[derive(Debug)]
pub(super) struct DatabaseClock {
    reading: Mutex<(Timestamp, Instant)>,
}

impl DatabaseClock {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { reading: Mutex::new((now, Instant::now())) }
    }

    /// Takes a new reading.
    pub(super) fn set(&self, now: Timestamp) {
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = (now, Instant::now());
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let (reading, at) = *self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = SignedDuration::try_from(at.elapsed()).unwrap_or(SignedDuration::MAX);
        reading.checked_add(passed).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_from_the_last_reading() {
        let start: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let clock = DatabaseClock::new(start);
        let first = clock.now();
        assert!(first >= start && first < start + SignedDuration::from_secs(60));
        let later = start + SignedDuration::from_hours(5);
        clock.set(later);
        assert!(clock.now() >= later);
    }
}
