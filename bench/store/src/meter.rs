//! The time of a writer per phase: counters that one thread adds to and another reads.
//!
//! A contender names its own phases, so that a table can show them without knowing them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts nanoseconds per phase, and commits.
#[derive(Debug)]
pub struct Meter {
    names: &'static [&'static str],
    nanoseconds: Vec<AtomicU64>,
    commits: AtomicU64,
}

/// The state of a meter at one moment.
#[derive(Clone, Debug)]
pub struct Reading {
    nanoseconds: Vec<u64>,
    commits: u64,
}

/// The difference between two readings.
#[derive(Clone, Debug)]
pub struct Spent {
    /// Each phase with its time.
    pub phases: Vec<(&'static str, Duration)>,
    /// The number of commits.
    pub commits: u64,
}

impl Meter {
    /// Creates a meter with these phases, all at zero.
    pub fn new(names: &'static [&'static str]) -> Self {
        let nanoseconds = names.iter().map(|_| AtomicU64::new(0)).collect();
        Self { names, nanoseconds, commits: AtomicU64::new(0) }
    }

    /// Adds the time since `start` to a phase. Returns the start of the next one.
    pub fn lap(&self, phase: usize, start: Instant) -> Instant {
        let now = Instant::now();
        let elapsed = u64::try_from((now - start).as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds[phase].fetch_add(elapsed, Ordering::Relaxed);
        now
    }

    /// Counts one commit.
    pub fn count_commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the current state.
    pub fn read(&self) -> Reading {
        let nanoseconds =
            self.nanoseconds.iter().map(|counter| counter.load(Ordering::Relaxed)).collect();
        Reading { nanoseconds, commits: self.commits.load(Ordering::Relaxed) }
    }

    /// Returns the difference between two readings.
    pub fn between(&self, earlier: &Reading, later: &Reading) -> Spent {
        let elapsed = later.nanoseconds.iter().zip(&earlier.nanoseconds);
        let phases = self.names.iter().zip(elapsed);
        Spent {
            phases: phases.map(|(name, (b, a))| (*name, Duration::from_nanos(b - a))).collect(),
            commits: later.commits - earlier.commits,
        }
    }
}
