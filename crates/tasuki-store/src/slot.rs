//! The place of a project's one writing connection. Whoever has taken it is the only writer of this
//! process; other processes are kept out by the transaction.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tasuki_engine::error::{Fault, FaultKind};

use crate::cache::Cache;
use crate::connection::{BUSY_STEPS_MAX, Database};
use crate::project::Project;

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
    content: Mutex<Content>,
    freed: Condvar,
}

#[derive(Debug)]
enum Content {
    /// Nobody writes. The connection is opened by the first who does, and again after a fault.
    Free(Option<Box<Writer>>),
    Taken,
}

/// The writer in the hands of its one user; it goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    project: Arc<Project>,
    writer: Option<Box<Writer>>,
}

impl Slot {
    pub(crate) fn new(writer: Writer) -> Self {
        Self { content: Mutex::new(Content::Free(Some(Box::new(writer)))), freed: Condvar::new() }
    }

    /// Waits for the writer and takes it; it is opened if need be.
    pub(crate) fn take(project: &Arc<Project>) -> Result<Taken, Fault> {
        let slot = &project.slot;
        let wait = Duration::from_millis(u64::from(BUSY_STEPS_MAX.unsigned_abs()));
        let content = slot.content.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |content: &mut Content| matches!(content, Content::Taken);
        let (mut content, _) = slot
            .freed
            .wait_timeout_while(content, wait, is_taken)
            .unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *content, Content::Taken) {
            Content::Taken => Err(busy(project)),
            Content::Free(writer) => {
                drop(content);
                // From here on `taken` frees the slot, also if the connection cannot be opened.
                let mut taken = Taken { project: Arc::clone(project), writer };
                if taken.writer.is_none() {
                    taken.writer = Some(Box::new(project.open_writer()?));
                }
                Ok(taken)
            }
        }
    }

    fn give_back(&self, writer: Option<Box<Writer>>) {
        *self.content.lock().unwrap_or_else(PoisonError::into_inner) = Content::Free(writer);
        self.freed.notify_one();
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
