//! The callers: one task each, which submits, claims and returns one handoff after the other.
//!
//! All contenders are driven from here, so that the cost of callers (wake-ups, documents) is the
//! same for all. Callers are tasks, as in a server: waking 256 threads would take longer than the
//! sync they share. A run starts with a warm-up, and only the window after it counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::measured::{Measured, Window};
use crate::meter::Meter;
use crate::usage::Usage;
use crate::work::Step;

/// A caller of a contender.
pub trait Caller: Send + 'static {
    /// Prepares the next handoff. Not part of any latency.
    fn prepare(&mut self);

    /// Runs one step of that handoff, and returns when it is durable.
    fn step(&mut self, step: Step) -> impl Future<Output = anyhow::Result<()>> + Send;
}

const WARMING: u8 = 0;
const COUNTING: u8 = 1;
const STOPPED: u8 = 2;

/// The observations of callers, and the readings at both ends of the measured window.
#[derive(Debug)]
pub struct Driven<R> {
    /// The observations of all callers.
    pub seen: Seen,
    /// The length of the window.
    pub elapsed: Duration,
    /// The readings at its start and end.
    pub readings: [R; 2],
}

/// The observations of callers.
#[derive(Debug, Default)]
pub struct Seen {
    /// Handoffs whose last step ended in the window.
    pub handoffs: u64,
    /// Microseconds of each step.
    pub latencies: [Vec<u32>; 3],
    /// Microseconds of whole handoffs.
    pub whole: Vec<u32>,
}

/// Runs one task for each caller that `make` creates, on all cores, and counts for `time`.
pub fn drive<C: Caller>(
    callers: usize,
    time: Duration,
    meter: &Meter,
    make: impl Fn() -> C,
) -> anyhow::Result<Measured> {
    let runtime = Builder::new_multi_thread().worker_threads(cores()?).build()?;
    let callers = (0..callers).map(|_| make()).collect();
    let read = || Ok((Usage::now()?, meter.read()));
    let Driven { seen, elapsed, readings: [before, after] } =
        drive_on(&runtime, callers, time, read)?;
    let writer = meter.between(&before.1, &after.1);
    Ok(Window { seen, elapsed, usage: [before.0, after.0], writer }.into())
}

/// Runs one task for each caller, counts for `time`, and calls `read` at both ends.
pub fn drive_on<C: Caller, R>(
    runtime: &Runtime,
    callers: Vec<C>,
    time: Duration,
    read: impl Fn() -> anyhow::Result<R>,
) -> anyhow::Result<Driven<R>> {
    let phase = Arc::new(AtomicU8::new(WARMING));
    let start = |caller| runtime.spawn(hand_over(caller, Arc::clone(&phase)));
    let tasks: Vec<_> = callers.into_iter().map(start).collect();
    let watched = watch(time, &phase, read);
    phase.store(STOPPED, Ordering::Relaxed);
    let mut seen = Seen::default();
    for task in tasks {
        seen.add(runtime.block_on(task).context("a caller panicked")??);
    }
    let (elapsed, readings) = watched?;
    Ok(Driven { seen, elapsed, readings })
}

/// Waits for the warm-up and the window, and reads all counters at both ends.
fn watch<R>(
    time: Duration,
    phase: &AtomicU8,
    read: impl Fn() -> anyhow::Result<R>,
) -> anyhow::Result<(Duration, [R; 2])> {
    thread::sleep((time / 5).min(Duration::from_millis(500)));
    let (before, start) = (read()?, Instant::now());
    let was = phase.compare_exchange(WARMING, COUNTING, Ordering::Relaxed, Ordering::Relaxed);
    was.ok().context("a caller failed before anything was counted")?;
    thread::sleep(time);
    let elapsed = start.elapsed();
    Ok((elapsed, [before, read()?]))
}

/// Hands over until the run ends. A caller that fails ends it for all.
async fn hand_over(mut caller: impl Caller, phase: Arc<AtomicU8>) -> anyhow::Result<Seen> {
    let mut seen = Seen::default();
    while phase.load(Ordering::Relaxed) != STOPPED {
        caller.prepare();
        let first = Instant::now();
        for step in Step::ALL {
            let start = Instant::now();
            let done = caller.step(step).await;
            done.inspect_err(|_| phase.store(STOPPED, Ordering::Relaxed))?;
            if phase.load(Ordering::Relaxed) == COUNTING {
                seen.latencies[step as usize].push(microseconds(start.elapsed()));
            }
        }
        // A handoff counts where its last step ends.
        if phase.load(Ordering::Relaxed) == COUNTING {
            seen.handoffs += 1;
            seen.whole.push(microseconds(first.elapsed()));
        }
    }
    Ok(seen)
}

/// Creates a runtime for a single caller.
pub fn runtime_alone() -> anyhow::Result<Runtime> {
    Ok(Builder::new_current_thread().build()?)
}

fn cores() -> anyhow::Result<usize> {
    Ok(thread::available_parallelism()?.get())
}

/// Calls `step` repeatedly for `time`, after a warm-up. Returns the microseconds of each call.
pub fn alone(
    time: Duration,
    mut step: impl FnMut() -> anyhow::Result<Duration>,
) -> anyhow::Result<Vec<u32>> {
    let warm = Instant::now();
    while warm.elapsed() < time / 5 {
        step()?;
    }
    let (start, mut latencies) = (Instant::now(), Vec::new());
    while start.elapsed() < time {
        latencies.push(microseconds(step()?));
    }
    Ok(latencies)
}

fn microseconds(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.handoffs += other.handoffs;
        for (all, more) in self.latencies.iter_mut().zip(other.latencies) {
            all.extend(more);
        }
        self.whole.extend(other.whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(u32);

    impl Caller for Failing {
        fn prepare(&mut self) {}

        async fn step(&mut self, _: Step) -> anyhow::Result<()> {
            self.0 += 1;
            anyhow::ensure!(self.0 < 100, "no space left");
            Ok(())
        }
    }

    #[test]
    fn a_run_in_which_a_caller_fails_gives_no_numbers() {
        let meter = Meter::new(&[]);
        let run = drive(4, Duration::from_millis(20), &meter, || Failing(0));
        assert_eq!(run.unwrap_err().to_string(), "no space left");
    }

    struct Sleepy;

    impl Caller for Sleepy {
        fn prepare(&mut self) {}

        async fn step(&mut self, _: Step) -> anyhow::Result<()> {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        }
    }

    #[test]
    fn a_handoff_is_three_steps() {
        let run = drive(1, Duration::from_millis(100), &Meter::new(&[]), || Sleepy).unwrap();
        assert!((5..=34).contains(&run.handoffs), "{}", run.handoffs);
        assert!(run.steps[1].p50 >= Duration::from_millis(1));
    }
}
