//! Manual clocks and seeded randomness.
//!
//! All are handles: a clone shares the time and the sequence, so that a test keeps one and gives
//! the other to the engine.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::ports::{BootTime, Clock, ClockReading, Entropy};
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

/// The wall clock of a process on a machine, which the clock of the machine judges.
#[derive(Debug, Clone)]
pub struct ProcessClock {
    machine: Arc<Mutex<Machine>>,
    /// The error of this process, in microseconds.
    error: Arc<AtomicI64>,
}

/// The clocks of a machine.
#[derive(Debug)]
struct Machine {
    wall: Timestamp,
    /// The number of this start, and the time since then. `None` on a system without such a clock.
    boot: Option<(u64, Duration)>,
}

impl ProcessClock {
    /// Creates the clock of a process on a new machine at this time, in whole microseconds.
    pub fn at(wall: Timestamp, has_boot_clock: bool) -> Self {
        let boot = has_boot_clock.then_some((1, Duration::from_mins(1)));
        Self { machine: Arc::new(Mutex::new(Machine { wall, boot })), error: Arc::default() }
    }

    /// Returns the clock of another process on the same machine.
    #[must_use]
    pub fn of_other_process(&self) -> Self {
        Self { machine: Arc::clone(&self.machine), error: Arc::default() }
    }

    /// Returns `true` if the machine counts the time since its start.
    pub fn has_boot_clock(&self) -> bool {
        self.machine().boot.is_some()
    }

    /// Lets time pass for all processes of the machine.
    pub fn advance(&self, by: Duration) {
        let mut machine = self.machine();
        machine.wall += by;
        machine.boot = machine.boot.map(|(start, elapsed)| (start, elapsed + by));
    }

    /// Sets the wall clock of the machine, which its own clock does not follow.
    pub fn step(&self, by: SignedDuration) {
        self.machine().wall += by;
    }

    /// Starts the machine again.
    pub fn restart(&self) {
        let mut machine = self.machine();
        machine.boot = machine.boot.map(|(start, _)| (start + 1, Duration::from_secs(1)));
    }

    /// Sets the error of this process alone.
    pub fn set_error(&self, by: SignedDuration) {
        let by = i64::try_from(by.as_micros()).expect("tests use short durations");
        self.error.store(by, Ordering::SeqCst);
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        let error = SignedDuration::from_micros(self.error.load(Ordering::SeqCst));
        self.machine().wall + error
    }

    fn reading(&self) -> Option<ClockReading> {
        let boot = self.machine().boot;
        let boot = boot.map(|(start, elapsed)| BootTime { id: format!("start-{start}"), elapsed });
        Some(ClockReading { wall: self.now(), boot })
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
    fn a_process_has_its_own_error_and_the_machine_counts_what_passes() {
        let clock = ProcessClock::at(Timestamp::UNIX_EPOCH, true);
        let other = clock.of_other_process();
        other.set_error(SignedDuration::from_secs(-30));
        clock.advance(Duration::from_mins(2));
        clock.step(SignedDuration::from_hours(1));
        assert_eq!(clock.now().to_string(), "1970-01-01T01:02:00Z");
        assert_eq!(other.now().to_string(), "1970-01-01T01:01:30Z");
        let boot = |clock: &ProcessClock| clock.reading().unwrap().boot.unwrap();
        assert_eq!(boot(&clock), boot(&other));
        assert_eq!(boot(&clock).elapsed, Duration::from_mins(3));
        clock.restart();
        assert_eq!(boot(&other).id, "start-2");
        assert_eq!(ProcessClock::at(Timestamp::UNIX_EPOCH, false).reading().unwrap().boot, None);
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
