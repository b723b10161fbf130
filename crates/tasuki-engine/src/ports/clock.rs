//! Time and randomness: the only sources of either in the exchange.

use std::cell::RefCell;

use jiff::Timestamp;

use crate::model::CommandSeed;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall clock. The worker ensures that rules never see a time before the last leaf.
    fn now(&self) -> Timestamp;
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

    #[test]
    fn a_returned_seed_is_erased() {
        let mut seeds = Seeds { seeds: [[0; 32]; SEEDS_AT_ONCE], left: 0 };
        let first = seeds.next();
        assert!(seeds.left == SEEDS_AT_ONCE - 1 && !seeds.seeds.contains(&first));
    }
}
