//! The bare writer as a contender, also filled with a million handoffs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::store::{Store, Synchronous};
use super::writer::{Job, Writer};
use crate::callers::{Caller, alone, drive, runtime_alone};
use crate::contender::{Contender, Fill, Looked};
use crate::line::Line;
use crate::measured::Measured;
use crate::scratch::Scratch;
use crate::work::{self, Step};

/// A bare SQLite writer without rules.
#[derive(Debug)]
pub struct Bare {
    directory: PathBuf,
}

/// The number of handoffs in one transaction of `fill`.
const FILL_BATCH: u64 = 1_000;
/// One handoff in this many stays pending.
const PENDING_EVERY: u64 = 10;
const PAGE_ROWS: u32 = 50;
const PAGES: u32 = 21;

impl Bare {
    /// Creates a contender that keeps its database under `directory`.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }
}

impl Contender for Bare {
    fn name(&self) -> &'static str {
        "bare"
    }

    fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Measured> {
        let scratch = Scratch::new(&self.directory)?;
        let writer = Writer::start(Store::open(scratch.path(), Synchronous::Full)?);
        let numbers = Arc::new(AtomicU64::new(0));
        let caller = || HandingOver::new(writer.line(), Arc::clone(&numbers));
        let measured = drive(callers, time, writer.meter(), caller);
        // If the writer failed, that is why the callers did.
        writer.stop()?;
        measured
    }

    fn submit_alone(&self, time: Duration) -> anyhow::Result<Vec<u32>> {
        let scratch = Scratch::new(&self.directory)?;
        let writer = Writer::start(Store::open(scratch.path(), Synchronous::Full)?);
        let (runtime, line) = (runtime_alone()?, writer.line());
        let mut numbers = 0..;
        let latencies = alone(time, || {
            let job = job(Step::Submit, numbers.next().unwrap_or_default());
            let start = Instant::now();
            runtime.block_on(line.run(job))?;
            Ok(start.elapsed())
        });
        writer.stop()?;
        latencies
    }

    fn store(&self) -> Option<&dyn Fill> {
        Some(self)
    }
}

impl Fill for Bare {
    fn fill(&self, directory: &Path, handoffs: u64) -> anyhow::Result<()> {
        let mut store = Store::open(directory, Synchronous::Full)?;
        for first in (0..handoffs).step_by(usize::try_from(FILL_BATCH)?) {
            store.begin()?;
            for number in first..handoffs.min(first + FILL_BATCH) {
                let packet = work::packet(number);
                store.submit(number, &packet, &work::hash(&packet))?;
                // Not by the number alone; otherwise only every tenth receiver would have an inbox.
                if !(number / work::RECEIVERS).is_multiple_of(PENDING_EVERY) {
                    let returned = work::return_packet(number);
                    store.claim(number)?;
                    store.return_packet(number, &returned, &work::hash(&returned))?;
                }
            }
            store.commit()?;
        }
        Ok(())
    }

    fn look(&self, directory: &Path) -> anyhow::Result<Looked> {
        let start = Instant::now();
        let store = Store::open(directory, Synchronous::Full)?;
        let open = start.elapsed();
        let mut pages = Vec::new();
        let mut rows = 0;
        for number in 0..PAGES {
            let start = Instant::now();
            rows = store.inbox(&work::receiver(u64::from(number)), PAGE_ROWS)?;
            pages.push(start.elapsed());
        }
        let first_page = pages.remove(0);
        pages.sort_unstable();
        Ok(Looked { open, first_page, page: pages[pages.len() / 2], rows })
    }
}

fn job(step: Step, number: u64) -> Job {
    let document = match step {
        Step::Submit => work::packet(number),
        Step::Claim => Vec::new(),
        Step::Return => work::return_packet(number),
    };
    Job { step, number, digest: work::hash(&document), document }
}

/// One caller of the writer.
#[derive(Debug)]
pub struct HandingOver {
    line: Arc<Line<Job>>,
    numbers: Arc<AtomicU64>,
    number: u64,
}

impl HandingOver {
    /// Creates a caller that takes its numbers from the shared `numbers`.
    pub fn new(line: Arc<Line<Job>>, numbers: Arc<AtomicU64>) -> Self {
        Self { line, numbers, number: 0 }
    }

    /// Returns the current handoff.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl Caller for HandingOver {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        // The caller builds and hashes the document, outside of the queue.
        self.line.run(job(step, self.number)).await
    }
}
