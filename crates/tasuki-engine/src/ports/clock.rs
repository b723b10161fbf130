//! Time and randomness: the only places where either enters the exchange.

use std::cell::RefCell;

use jiff::Timestamp;

use crate::model::CommandSeed;

/// Tells the time.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock. What the rules see is never before the last leaf; the worker sees to it.
    fn now(&self) -> Timestamp;
}

/// Gives randomness.
pub trait Entropy: Send + Sync + 'static {
    /// Returns 32 unguessable bytes.
    fn bytes(&self) -> [u8; 32];

    /// Returns the seed of one command.
    fn command_seed(&self) -> CommandSeed {
        CommandSeed::new(self.bytes())
    }
}

/// The clock and the randomness of the machine.
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

/// How many seeds are asked for at once: asking takes longer than making them.
const SEEDS_AT_ONCE: usize = 16;

/// Seeds of one thread that nobody has had yet. A process that was copied would have them twice:
/// the exchange starts others, but never copies itself.
struct Seeds {
    seeds: [[u8; 32]; SEEDS_AT_ONCE],
    left: usize,
}

impl Seeds {
    /// A seed that is nowhere else: it is forgotten here once it is handed out.
    fn next(&mut self) -> [u8; 32] {
        if self.left == 0 {
            getrandom::fill(self.seeds.as_flattened_mut())
                .expect("the operating system gives randomness");
            self.left = SEEDS_AT_ONCE;
        }
        self.left -= 1;
        std::mem::take(&mut self.seeds[self.left])
    }
}

/// An instant as the exchange keeps it: whole microseconds.
pub fn microseconds(instant: Timestamp) -> Timestamp {
    // Cut to microseconds an instant stays in range, towards zero.
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_seed_is_handed_out_twice_in_any_thread() {
        let seeds = || (0..3 * SEEDS_AT_ONCE).map(|_| System.bytes()).collect::<Vec<_>>();
        let other = std::thread::spawn(seeds).join().unwrap();
        let all: Vec<[u8; 32]> = seeds().into_iter().chain(other).collect();
        let different: HashSet<&[u8; 32]> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(!different.contains(&[0; 32]));
    }

    #[test]
    fn what_was_handed_out_is_forgotten() {
        let mut seeds = Seeds { seeds: [[0; 32]; SEEDS_AT_ONCE], left: 0 };
        let first = seeds.next();
        assert!(seeds.left == SEEDS_AT_ONCE - 1 && !seeds.seeds.contains(&first));
    }
}
