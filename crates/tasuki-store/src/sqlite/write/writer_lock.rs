//! The place of a project's one writing connection. Whoever has taken it is the only writer of this
//! process; other processes are kept out by the transaction.
//!
//! It is given out in the order in which it was asked for: the line of a busy project would
//! otherwise take it again before anybody else has woken up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tasuki_engine::error::{Fault, FaultKind};

use crate::sqlite::connection::{BUSY_STEPS_MAX, Database};
use crate::sqlite::project::Project;
use crate::sqlite::write::cache::Cache;

/// A connection that writes, with what it remembers.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) database: Database,
    pub(crate) cache: Cache,
    /// `PRAGMA data_version` when the cache was last right.
    pub(crate) data_version: i64,
}

/// The place of the writer.
#[derive(Debug)]
pub(crate) struct Slot {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inside {
    is_taken: bool,
    /// The connection is opened by the first who writes, and again after a fault.
    writer: Option<Box<Writer>>,
    /// Who waits, by number, first come first served.
    waiting: VecDeque<u64>,
    next_number: u64,
}

/// The writer in the hands of its one user; it goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    project: Arc<Project>,
    writer: Option<Box<Writer>>,
}

/// Nobody waits for ever.
struct TooLong;

impl Slot {
    pub(crate) fn new(writer: Writer) -> Self {
        let writer = Some(Box::new(writer));
        let inside = Inside { is_taken: false, writer, waiting: VecDeque::new(), next_number: 0 };
        Self { inside: Mutex::new(inside), changed: Condvar::new() }
    }

    /// Waits for the writer and takes it; it is opened if need be.
    pub(crate) fn take(project: &Arc<Project>) -> Result<Taken, Fault> {
        let writer = project.slot.wait().map_err(|TooLong| busy(project))?;
        // From here on `taken` frees the slot, also if the connection cannot be opened.
        let mut taken = Taken { project: Arc::clone(project), writer };
        if taken.writer.is_none() {
            taken.writer = Some(Box::new(project.open_writer()?));
        }
        Ok(taken)
    }

    /// What is in the slot when it is our turn.
    fn wait(&self) -> Result<Option<Box<Writer>>, TooLong> {
        let mut inside = self.lock();
        let number = inside.next_number;
        inside.next_number += 1;
        inside.waiting.push_back(number);
        let is_early =
            |inside: &mut Inside| inside.is_taken || inside.waiting.front() != Some(&number);
        let wait = Duration::from_millis(u64::from(BUSY_STEPS_MAX.unsigned_abs()));
        let waited = self.changed.wait_timeout_while(inside, wait, is_early);
        let (mut inside, end) = waited.unwrap_or_else(PoisonError::into_inner);
        inside.waiting.retain(|other| *other != number);
        if end.timed_out() {
            // Whoever came next may be first now.
            self.changed.notify_all();
            return Err(TooLong);
        }
        inside.is_taken = true;
        Ok(inside.writer.take())
    }

    fn give_back(&self, writer: Option<Box<Writer>>) {
        let mut inside = self.lock();
        inside.writer = writer;
        inside.is_taken = false;
        let has_waiting = !inside.waiting.is_empty();
        drop(inside);
        if has_waiting {
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy(project: &Project) -> Fault {
    let message = format!("project {} is written by this process for too long", project.id);
    Fault::new(FaultKind::StoreBusy, message).hint("try again")
}

impl Taken {
    /// The writer.
    pub(crate) fn writer(&mut self) -> &mut Writer {
        self.writer.as_mut().expect("it is there until it is discarded")
    }

    /// The project it belongs to.
    pub(crate) fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Closes the connection: after a failed commit nothing it remembers can be relied on.
    pub(crate) fn discard(mut self) {
        self.writer = None;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.project.slot.give_back(self.writer.take());
    }
}
