//! The limit of the disk: the same bytes appended to one file, one fdatasync for all waiting
//! callers.
//!
//! No handoff could be read back. Everything a store does beyond this is its overhead.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::callers::{Caller, alone, drive};
use crate::contender::Contender;
use crate::line::{Line, Queued};
use crate::measured::Measured;
use crate::meter::Meter;
use crate::scratch::Scratch;
use crate::work::{self, Leaf, STEP_BYTES, Step};

/// Appends and syncs, nothing else.
#[derive(Debug)]
pub struct Disk {
    directory: PathBuf,
}

const PHASES: &[&str] = &["waiting", "write", "fdatasync", "answers"];

impl Disk {
    /// Creates a contender that keeps its file under `directory`.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }
}

impl Contender for Disk {
    fn name(&self) -> &'static str {
        "disk"
    }

    fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Measured> {
        let scratch = Scratch::new(&self.directory)?;
        let file = File::create(scratch.path().join("log"))?;
        let (line, numbers) = (Arc::new(Line::default()), Arc::new(AtomicU64::new(0)));
        let meter = Meter::new(PHASES);
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let written = write_all(&file, &line, &meter);
                line.abandon();
                written
            });
            let appender = || Appender::new(Arc::clone(&line), Arc::clone(&numbers));
            let measured = drive(callers, time, &meter, appender);
            line.close();
            let Ok(written) = writer.join() else { bail!("the writer panicked") };
            written?;
            measured
        })
    }

    fn submit_alone(&self, time: Duration) -> anyhow::Result<Vec<u32>> {
        let scratch = Scratch::new(&self.directory)?;
        let mut file = File::create(scratch.path().join("log"))?;
        let mut numbers = 0..;
        alone(time, || {
            let record = record(Step::Submit, numbers.next().unwrap_or_default());
            let start = Instant::now();
            file.write_all(&record)?;
            file.sync_data()?;
            Ok(start.elapsed())
        })
    }
}

/// Appends all waiting records, syncs once and acknowledges all, until the queue is closed.
fn write_all(mut file: &File, line: &Line<Vec<u8>>, meter: &Meter) -> anyhow::Result<()> {
    let (mut batch, mut buffer) = (Vec::new(), Vec::new());
    let mut moment = Instant::now();
    while line.take(usize::MAX, &mut batch) {
        moment = meter.lap(0, moment);
        buffer.clear();
        for queued in &batch {
            buffer.extend_from_slice(&queued.job);
        }
        file.write_all(&buffer)?;
        moment = meter.lap(1, moment);
        file.sync_data()?;
        moment = meter.lap(2, moment);
        meter.count_commit();
        batch.drain(..).for_each(Queued::answer);
        moment = meter.lap(3, moment);
    }
    Ok(())
}

/// Returns the record of a step: its document, its leaf, and the bytes of a state row.
fn record(step: Step, number: u64) -> Vec<u8> {
    let mut record = match step {
        Step::Submit => work::packet(number),
        Step::Claim => Vec::new(),
        Step::Return => work::return_packet(number),
    };
    let length = record.len() + STEP_BYTES;
    let zero = [0; 32];
    let id = work::id(number);
    let leaf = Leaf { step, id: &id, n: number, previous: &zero, document: &zero };
    record.extend_from_slice(&leaf.bytes());
    record.resize(length, b' ');
    record
}

struct Appender {
    line: Arc<Line<Vec<u8>>>,
    numbers: Arc<AtomicU64>,
    records: [Vec<u8>; 3],
}

impl Appender {
    fn new(line: Arc<Line<Vec<u8>>>, numbers: Arc<AtomicU64>) -> Self {
        Self { line, numbers, records: Default::default() }
    }
}

impl Caller for Appender {
    fn prepare(&mut self) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.records = Step::ALL.map(|step| record(step, number));
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        self.line.run(std::mem::take(&mut self.records[step as usize])).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_bytes_of_its_step() {
        let lengths = Step::ALL.map(|step| record(step, 5).len());
        assert_eq!(lengths, [3_542, 1_200, 1_734]);
    }
}
