//! The result of one run of one contender.

use std::time::Duration;

use crate::callers::Seen;
use crate::meter::Spent;
use crate::usage::Usage;

/// The median and the slow end of latencies.
#[derive(Clone, Copy, Debug)]
pub struct Percentiles {
    /// Half of them were faster.
    pub p50: Duration,
    /// One in a hundred was slower.
    pub p99: Duration,
}

/// The result of one run of one contender.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Handoffs that were submitted, claimed and returned.
    pub handoffs: u64,
    /// The measured time.
    pub elapsed: Duration,
    /// Latencies of submit, claim and return.
    pub steps: [Percentiles; 3],
    /// Latencies of whole handoffs.
    pub whole: Percentiles,
    /// Processor time of the whole process, callers included.
    pub cpu: Duration,
    /// Bytes written to the disk.
    pub written_bytes: u64,
    /// The time of the writer per phase.
    pub writer: Spent,
}

impl Measured {
    /// Returns handoffs per second.
    pub fn rate(&self) -> f64 {
        count(self.handoffs) / self.elapsed.as_secs_f64()
    }

    /// Returns the number of busy cores.
    pub fn cores(&self) -> f64 {
        self.cpu.as_secs_f64() / self.elapsed.as_secs_f64()
    }

    /// Returns bytes written to the disk per handoff.
    pub fn bytes_per_handoff(&self) -> f64 {
        count(self.written_bytes) / count(self.handoffs.max(1))
    }

    /// Returns the number of steps that shared one sync.
    pub fn steps_per_commit(&self) -> f64 {
        3.0 * count(self.handoffs) / count(self.writer.commits.max(1))
    }
}

/// The raw counts of the measured window.
#[derive(Debug)]
pub struct Window {
    /// The observations of all callers.
    pub seen: Seen,
    /// The length of the window.
    pub elapsed: Duration,
    /// The resource usage at its start and end.
    pub usage: [Usage; 2],
    /// The work of the writer in it.
    pub writer: Spent,
}

impl From<Window> for Measured {
    fn from(window: Window) -> Self {
        let (cpu, written_bytes) = window.usage[1].since(&window.usage[0]);
        Self {
            handoffs: window.seen.handoffs,
            elapsed: window.elapsed,
            steps: window.seen.latencies.map(percentiles),
            whole: percentiles(window.seen.whole),
            cpu,
            written_bytes,
            writer: window.writer,
        }
    }
}

/// Sorts latencies. Returns the median and the 99th percentile; zero if there are none.
pub fn percentiles(mut microseconds: Vec<u32>) -> Percentiles {
    microseconds.sort_unstable();
    let at = |percent: usize| {
        let index = (microseconds.len() * percent / 100).min(microseconds.len().saturating_sub(1));
        let value = microseconds.get(index).copied().unwrap_or_default();
        Duration::from_micros(u64::from(value))
    };
    Percentiles { p50: at(50), p99: at(99) }
}

/// Returns the median; of an even number, the upper of the middle two. Zero if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Converts a count for a division.
pub fn count(number: u64) -> f64 {
    // LIMIT: exact up to 2^53, which no count here reaches.
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_found_in_any_order() {
        let of = percentiles((1..=1000).rev().collect());
        assert_eq!((of.p50.as_micros(), of.p99.as_micros()), (501, 991));
    }

    #[test]
    fn nothing_measured_is_zero() {
        assert_eq!(percentiles(Vec::new()).p99, Duration::ZERO);
        assert!(median(Vec::new()).abs() < f64::EPSILON);
    }

    #[test]
    fn the_median_of_three_is_the_middle_one() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
