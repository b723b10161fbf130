//! Where a writer's time goes: a few named counters that one thread adds to and another reads.
//!
//! A contender names its own phases, so that a table can show them without knowing what they are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts nanoseconds per phase, and commits.
#[derive(Debug)]
pub struct Meter {
    names: &'static [&'static str],
    nanoseconds: Vec<AtomicU64>,
    commits: AtomicU64,
}

/// What a meter showed at one moment.
#[derive(Clone, Debug)]
pub struct Reading {
    nanoseconds: Vec<u64>,
    commits: u64,
}

/// What went by between two readings.
#[derive(Clone, Debug)]
pub struct Spent {
    /// Each phase with its time.
    pub phases: Vec<(&'static str, Duration)>,
    /// How often something was made durable.
    pub commits: u64,
}

impl Meter {
    /// A meter with these phases, all at zero.
    pub fn new(names: &'static [&'static str]) -> Self {
        let nanoseconds = names.iter().map(|_| AtomicU64::new(0)).collect();
        Self { names, nanoseconds, commits: AtomicU64::new(0) }
    }

    /// Adds the time since `start` to a phase, and gives the moment where the next one starts.
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

    /// What it shows now.
    pub fn read(&self) -> Reading {
        let nanoseconds =
            self.nanoseconds.iter().map(|counter| counter.load(Ordering::Relaxed)).collect();
        Reading { nanoseconds, commits: self.commits.load(Ordering::Relaxed) }
    }

    /// What went by between two readings.
    pub fn between(&self, earlier: &Reading, later: &Reading) -> Spent {
        let elapsed = later.nanoseconds.iter().zip(&earlier.nanoseconds);
        let phases = self.names.iter().zip(elapsed);
        Spent {
            phases: phases.map(|(name, (b, a))| (*name, Duration::from_nanos(b - a))).collect(),
            commits: later.commits - earlier.commits,
        }
    }
}
