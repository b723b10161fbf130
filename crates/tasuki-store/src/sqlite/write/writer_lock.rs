//! The lock on a project's one writing connection. Its holder is the only writer of this process;
//! the transaction excludes other processes.
//!
//! The lock is fair. Otherwise the worker of a busy project would take it again before another
//! thread wakes up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tasuki_engine::error::{Fault, FaultKind};

use crate::batch::cache::Cache;
use crate::sqlite::connection::{BUSY_STEPS_MAX, Database};
use crate::sqlite::project::Project;
use crate::sqlite::read_only;

/// The writing connection with its cache.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) database: Database,
    pub(crate) cache: Cache,
    /// `PRAGMA data_version` when the cache was last valid.
    pub(crate) data_version: i64,
}

/// A fair lock on the writer.
#[derive(Debug)]
pub(crate) struct WriterLock {
    state: Mutex<LockState>,
    changed: Condvar,
}

#[derive(Debug)]
struct LockState {
    is_taken: bool,
    /// The connection. The first writer opens it, and the next one after a fault.
    writer: Option<Box<Writer>>,
    /// The tickets of waiting threads, in order.
    waiting: VecDeque<u64>,
    next_number: u64,
}

/// Exclusive access to the writer, until dropped.
#[derive(Debug)]
pub(crate) struct WriterGuard {
    project: Arc<Project>,
    writer: Option<Box<Writer>>,
}

/// The writer was not released in time.
struct Timeout;

impl WriterLock {
    pub(crate) fn new(writer: Writer) -> Self {
        let writer = Some(Box::new(writer));
        let state = LockState { is_taken: false, writer, waiting: VecDeque::new(), next_number: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for the writer and opens it if needed.
    pub(crate) fn acquire(project: &Arc<Project>) -> Result<WriterGuard, Fault> {
        if let Some(reason) = project.unwritable() {
            return Err(read_only::refused(&project.path, reason));
        }
        let writer = project.writer_lock.wait().map_err(|Timeout| busy(project))?;
        // From here on `guard` releases the lock, even if the connection cannot be opened.
        let mut guard = WriterGuard { project: Arc::clone(project), writer };
        if guard.writer.is_none() {
            guard.writer = Some(Box::new(project.open_writer()?));
        }
        Ok(guard)
    }

    /// Waits in the queue, and takes the connection out of the lock.
    fn wait(&self) -> Result<Option<Box<Writer>>, Timeout> {
        let mut state = self.lock();
        let number = state.next_number;
        state.next_number += 1;
        state.waiting.push_back(number);
        let is_early =
            |state: &mut LockState| state.is_taken || state.waiting.front() != Some(&number);
        let wait = Duration::from_millis(u64::from(BUSY_STEPS_MAX.unsigned_abs()));
        let waited = self.changed.wait_timeout_while(state, wait, is_early);
        let (mut state, end) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting.retain(|other| *other != number);
        if end.timed_out() {
            // The next in the queue may be first now.
            self.changed.notify_all();
            return Err(Timeout);
        }
        state.is_taken = true;
        Ok(state.writer.take())
    }

    fn release(&self, writer: Option<Box<Writer>>) {
        let mut state = self.lock();
        state.writer = writer;
        state.is_taken = false;
        let has_waiting = !state.waiting.is_empty();
        drop(state);
        if has_waiting {
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, LockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy(project: &Project) -> Fault {
    let message = format!("timed out waiting for the writer of project {}", project.id);
    Fault::new(FaultKind::StoreBusy, message).hint("try again")
}

impl WriterGuard {
    pub(crate) fn writer(&mut self) -> &mut Writer {
        self.writer.as_mut().expect("present until discarded")
    }

    pub(crate) fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Closes the connection: after a failed commit its cache is not valid.
    pub(crate) fn discard(mut self) {
        self.writer = None;
    }
}

impl Drop for WriterGuard {
    fn drop(&mut self) {
        self.project.writer_lock.release(self.writer.take());
    }
}
