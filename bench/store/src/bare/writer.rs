//! The writer thread: takes all waiting jobs, commits once, and acknowledges all.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::bail;

use super::store::Store;
use crate::line::{Line, Queued};
use crate::meter::Meter;
use crate::work::{Hash, Step};

/// The phases of the writer's meter.
pub const PHASES: &[&str] = &["waiting", "statements", "commit", "answers"];

/// LIMIT: steps in one commit.
const BATCH_MAX: usize = 256;

/// One step of one handoff, with what its caller computed beforehand.
#[derive(Debug)]
pub struct Job {
    /// The step.
    pub step: Step,
    /// The handoff.
    pub number: u64,
    /// The packet or return packet; empty for a claim.
    pub document: Vec<u8>,
    /// The document's hash.
    pub digest: Hash,
}

/// A running writer.
#[derive(Debug)]
pub struct Writer {
    line: Arc<Line<Job>>,
    meter: Arc<Meter>,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl Writer {
    /// Starts the thread, which owns `store`.
    pub fn start(store: Store) -> Self {
        let (line, meter) = (Arc::new(Line::default()), Arc::new(Meter::new(PHASES)));
        let (its_line, its_meter) = (Arc::clone(&line), Arc::clone(&meter));
        let thread = thread::spawn(move || {
            let written = write_all(store, &its_line, &its_meter);
            its_line.abandon();
            written
        });
        Self { line, meter, thread }
    }

    /// Returns the time spent per phase.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Returns the queue for jobs.
    pub fn line(&self) -> Arc<Line<Job>> {
        Arc::clone(&self.line)
    }

    /// Stops the thread once the queue is empty. Returns its error if it ended before.
    pub fn stop(self) -> anyhow::Result<()> {
        self.line.close();
        let Ok(written) = self.thread.join() else { bail!("the writer panicked") };
        written
    }
}

/// Any failure ends the writer: after a failed commit the state on disk is unknown.
fn write_all(mut store: Store, line: &Line<Job>, meter: &Meter) -> anyhow::Result<()> {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    let mut moment = Instant::now();
    while line.take(BATCH_MAX, &mut batch) {
        moment = meter.lap(0, moment);
        store.begin()?;
        for queued in &batch {
            write(&mut store, &queued.job)?;
        }
        moment = meter.lap(1, moment);
        store.commit()?;
        moment = meter.lap(2, moment);
        meter.count_commit();
        // INVARIANT: an acknowledged step is synced.
        batch.drain(..).for_each(Queued::answer);
        moment = meter.lap(3, moment);
    }
    Ok(())
}

fn write(store: &mut Store, job: &Job) -> anyhow::Result<()> {
    match job.step {
        Step::Submit => store.submit(job.number, &job.document, &job.digest),
        Step::Claim => store.claim(job.number),
        Step::Return => store.return_packet(job.number, &job.document, &job.digest),
    }
}
