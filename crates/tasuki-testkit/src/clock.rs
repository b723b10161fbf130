//! A clock that moves when it is told, and randomness that repeats itself.
//!
//! Both are handles: a clone tells the same time and draws from the same sequence, so a test keeps
//! one and gives the other to the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::ports::{Clock, Entropy};
use tasuki_packet::leaf::Hash;

/// A clock that moves when it is told. It may go back, as wall clocks do.
#[derive(Debug, Clone)]
pub struct ManualClock {
    microsecond: Arc<AtomicI64>,
}

impl ManualClock {
    /// A clock that stands at this instant, in whole microseconds.
    pub fn at(instant: Timestamp) -> Self {
        Self { microsecond: Arc::new(AtomicI64::new(instant.as_microsecond())) }
    }

    /// Moves on.
    pub fn advance(&self, by: Duration) {
        self.microsecond.fetch_add(microseconds(by), Ordering::SeqCst);
    }

    /// Goes back.
    pub fn step_back(&self, by: Duration) {
        self.microsecond.fetch_sub(microseconds(by), Ordering::SeqCst);
    }

    /// Jumps to this instant, later or earlier.
    pub fn set(&self, instant: Timestamp) {
        self.microsecond.store(instant.as_microsecond(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.microsecond.load(Ordering::SeqCst))
            .expect("tests stay within the years that jiff knows")
    }
}

/// Randomness that is the same for the same seed.
#[derive(Debug, Clone)]
pub struct SeededEntropy {
    seed: u64,
    drawn_count: Arc<AtomicU64>,
}

impl SeededEntropy {
    /// The sequence of this seed, from its beginning.
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
    i64::try_from(duration.as_micros()).expect("tests do not wait for millennia")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_stands_still_until_it_is_moved_also_backwards() {
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
    fn equal_seeds_draw_equal_sequences_that_never_repeat_a_draw() {
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
