//! Time and randomness: the only sources of either in the exchange.

use std::cell::RefCell;
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::CommandSeed;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall clock. The worker ensures that rules never see a time before the last leaf.
    fn now(&self) -> Timestamp;

    /// Returns the wall clock with the clock of the machine, by which the exchange judges whether a
    /// process has the right time; `None` for a clock that is not judged.
    fn reading(&self) -> Option<ClockReading> {
        None
    }
}

/// The wall clock of a process, and how long its machine has been running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockReading {
    /// The wall clock, in whole microseconds.
    pub wall: Timestamp,
    /// The clock of the machine; `None` where the system does not have one.
    pub boot: Option<BootTime>,
}

/// The time since a machine was started, including the time that it was suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootTime {
    /// The id of this start of the machine.
    pub id: String,
    /// The time since then.
    pub elapsed: Duration,
}

/// The newest reading of a process that had the right time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockReference {
    /// The reading.
    pub reading: ClockReading,
    /// The last step forward that was taken, with the times before and after it.
    pub step: Option<(Timestamp, Timestamp)>,
}

/// A source of randomness.
pub trait Entropy: Send + Sync + 'static {
    /// Returns 32 unguessable bytes.
    fn bytes(&self) -> [u8; 32];

    /// Returns the seed of one command.
    fn command_seed(&self) -> CommandSeed {
        CommandSeed::new(self.bytes())
    }
}

/// The clock and the random generator of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn reading(&self) -> Option<ClockReading> {
        Some(ClockReading { wall: microseconds(Timestamp::now()), boot: boot_time() })
    }
}

/// Returns the clock of this machine. It does not follow the wall clock.
#[cfg(target_os = "linux")]
fn boot_time() -> Option<BootTime> {
    static BOOT_ID: OnceLock<Option<String>> = OnceLock::new();
    let read = || std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let id = BOOT_ID.get_or_init(|| read().map(|id| id.trim().to_owned())).clone()?;
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let (seconds, nanoseconds) =
        (u64::try_from(now.tv_sec).ok()?, u32::try_from(now.tv_nsec).ok()?);
    Some(BootTime { id, elapsed: Duration::new(seconds, nanoseconds) })
}

/// Other systems are judged by their wall clock alone.
#[cfg(not(target_os = "linux"))]
fn boot_time() -> Option<BootTime> {
    None
}

impl Entropy for System {
    fn bytes(&self) -> [u8; 32] {
        SEEDS.with_borrow_mut(Seeds::next)
    }
}

thread_local! {
    static SEEDS: RefCell<Seeds> = const { RefCell::new(Seeds { seeds: [[0; 32]; SEEDS_AT_ONCE], left: 0 }) };
}

/// The number of seeds requested at once: a system call costs more than the seeds.
const SEEDS_AT_ONCE: usize = 16;

/// Unused seeds of one thread. INVARIANT: no fork without `exec`, which would reuse them.
struct Seeds {
    seeds: [[u8; 32]; SEEDS_AT_ONCE],
    left: usize,
}

impl Seeds {
    /// Returns a seed and erases it here.
    fn next(&mut self) -> [u8; 32] {
        if self.left == 0 {
            getrandom::fill(self.seeds.as_flattened_mut())
                .expect("the operating system provides randomness");
            self.left = SEEDS_AT_ONCE;
        }
        self.left -= 1;
        std::mem::take(&mut self.seeds[self.left])
    }
}

/// Truncates an instant to whole microseconds, the resolution of the exchange.
pub fn microseconds(instant: Timestamp) -> Timestamp {
    // Truncation moves towards zero, so the instant stays in range.
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_seed_is_returned_twice_in_any_thread() {
        let seeds = || (0..3 * SEEDS_AT_ONCE).map(|_| System.bytes()).collect::<Vec<_>>();
        let other = std::thread::spawn(seeds).join().unwrap();
        let all: Vec<[u8; 32]> = seeds().into_iter().chain(other).collect();
        let different: HashSet<&[u8; 32]> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(!different.contains(&[0; 32]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_clock_of_the_machine_moves_with_the_wall_clock() {
        let (first, second) = (System.reading().unwrap(), System.reading().unwrap());
        let (before, after) = (first.boot.unwrap(), second.boot.unwrap());
        assert_eq!(before.id, after.id);
        assert!(before.id.len() == 36 && before.elapsed <= after.elapsed);
        assert!(after.elapsed.saturating_sub(before.elapsed) < Duration::from_mins(1));
    }

    #[test]
    fn a_returned_seed_is_erased() {
        let mut seeds = Seeds { seeds: [[0; 32]; SEEDS_AT_ONCE], left: 0 };
        let first = seeds.next();
        assert!(seeds.left == SEEDS_AT_ONCE - 1 && !seeds.seeds.contains(&first));
    }
}
