//! A manual clock and seeded randomness.
//!
//! Both are handles: a clone shares the time and the sequence, so that a test keeps one and gives
//! the other to the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::ports::{Clock, Entropy};
use tasuki_packet::leaf::Hash;

/// A clock that moves only on request. It may go back, as wall clocks do.
#[derive(Debug, Clone)]
pub struct ManualClock {
    microsecond: Arc<AtomicI64>,
}

impl ManualClock {
    /// Creates a clock at this time, in whole microseconds.
    pub fn at(instant: Timestamp) -> Self {
        Self { microsecond: Arc::new(AtomicI64::new(instant.as_microsecond())) }
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.microsecond.fetch_add(microseconds(by), Ordering::SeqCst);
    }

    /// Moves the clock back.
    pub fn step_back(&self, by: Duration) {
        self.microsecond.fetch_sub(microseconds(by), Ordering::SeqCst);
    }

    /// Sets the clock to this time, later or earlier.
    pub fn set(&self, instant: Timestamp) {
        self.microsecond.store(instant.as_microsecond(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.microsecond.load(Ordering::SeqCst))
            .expect("tests stay within the range of jiff")
    }
}

/// Randomness that repeats for the same seed.
#[derive(Debug, Clone)]
pub struct SeededEntropy {
    seed: u64,
    drawn_count: Arc<AtomicU64>,
}

impl SeededEntropy {
    /// Creates the sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, drawn_count: Arc::new(AtomicU64::new(0)) }
    }
}

impl Entropy for SeededEntropy {
    fn bytes(&self) -> [u8; 32] {
        let number = self.drawn_count.fetch_add(1, Ordering::SeqCst);
        let bytes = [self.seed.to_be_bytes(), number.to_be_bytes()].concat();
        *Hash::of_leaf(&bytes).as_bytes()
    }
}

fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).expect("tests use short durations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_moves_only_on_request_forward_and_back() {
        let clock = ManualClock::at(Timestamp::UNIX_EPOCH);
        let other_hand = clock.clone();
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);

        other_hand.advance(Duration::from_secs(90));
        assert_eq!(clock.now().to_string(), "1970-01-01T00:01:30Z");
        clock.step_back(Duration::from_secs(30));
        assert_eq!(clock.now().to_string(), "1970-01-01T00:01:00Z");
        clock.set(Timestamp::UNIX_EPOCH);
        assert_eq!(other_hand.now(), Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn equal_seeds_give_equal_sequences_without_repetition() {
        let draw = |seed| {
            let entropy = SeededEntropy::new(seed);
            [entropy.bytes(), entropy.clone().bytes(), entropy.bytes()]
        };
        let [first, second, third] = draw(7);
        assert_eq!(draw(7), [first, second, third]);
        assert_ne!(draw(8), [first, second, third]);
        assert!(first != second && second != third && first != third);
    }
}
