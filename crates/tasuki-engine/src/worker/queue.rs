//! The queues of the project workers: one bounded queue and one thread per project.
//!
//! A worker starts with the first command of its project and stops after being idle for a while.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::error::{Error, Fault, FaultKind};
use crate::limits::{BATCH_MAX, QUEUE_MAX};
use crate::ports::{Clock, Store};
use crate::refusal::{Refusal, RefusalCode};
use crate::worker::batch::{ProjectWorker, Queued};
use crate::worker::cache::Cache;
use crate::worker::clock_guard::ClockGuard;

/// The running workers of all projects.
pub(crate) struct Workers {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    cache: Arc<Cache>,
    guard: Arc<ClockGuard>,
    idle: Duration,
    running: Mutex<HashMap<ProjectId, Running>>,
}

/// The queue and the thread of a worker.
struct Running {
    sender: SyncSender<Box<Queued>>,
    thread: Option<JoinHandle<()>>,
}

impl Workers {
    /// Creates the workers of a store, which stop after being idle for this long.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        cache: Arc<Cache>,
        idle: Duration,
    ) -> Arc<Self> {
        let guard = Arc::new(ClockGuard::default());
        Arc::new(Self { store, clock, cache, guard, idle, running: Mutex::default() })
    }

    /// Judges the clock of this process.
    pub(crate) async fn check_clock(&self) -> Result<(), Fault> {
        self.guard.check(&*self.store, &*self.clock).await.map(drop)
    }

    /// Returns the number of running workers.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Answers every queued command and waits until the workers have stopped.
    pub(crate) fn close(&self) {
        let running = std::mem::take(&mut *self.lock());
        for (_, Running { sender, thread }) in running {
            drop(sender);
            // A panicked worker needs no waiting.
            drop(thread.map(JoinHandle::join));
        }
    }

    /// Queues a command for the worker of a project, starting the worker if needed.
    ///
    /// INVARIANT: a command is queued under the lock, so that a worker that stops for idleness
    /// never leaves one behind.
    pub(crate) fn push(self: &Arc<Self>, project: ProjectId, queued: Queued) -> Result<(), Error> {
        let mut running = self.lock();
        let worker = running.entry(project).or_insert_with(|| self.start(project));
        // Boxed, because a queue allocates its full capacity up front.
        let queued = match worker.sender.try_send(Box::new(queued)) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(_)) => return Err(queue_full().into()),
            Err(TrySendError::Disconnected(queued)) => queued,
        };
        // The thread ended without removing its entry. The command was not received.
        let worker = self.start(project);
        let is_pushed = worker.sender.try_send(queued).is_ok();
        running.insert(project, worker);
        if is_pushed { Ok(()) } else { Err(no_thread(project).into()) }
    }

    fn start(self: &Arc<Self>, project: ProjectId) -> Running {
        let (sender, receiver) = sync_channel(QUEUE_MAX);
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let (cache, guard) = (Arc::clone(&self.cache), Arc::clone(&self.guard));
        let worker = ProjectWorker::new(project, store, clock, cache, guard);
        let (workers, idle) = (Arc::downgrade(self), self.idle);
        let started = std::thread::Builder::new()
            .name(format!("worker {project}"))
            .spawn(move || run_loop(worker, &receiver, &workers, idle));
        // Without a thread, `push` finds the queue disconnected and reports it.
        Running { sender, thread: started.ok() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processes the queue in batches. Stops when the worker is idle, or when the last handle is
/// dropped and every command has been answered; the handles share the senders.
fn run_loop(
    mut worker: ProjectWorker,
    receiver: &Receiver<Box<Queued>>,
    workers: &Weak<Workers>,
    idle: Duration,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    loop {
        let first = match receiver.recv_timeout(idle) {
            Ok(first) => first,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => match stop_if_idle(&worker, receiver, workers) {
                Some(first) => first,
                None => return,
            },
        };
        let mut batch = vec![*first];
        while batch.len() < BATCH_MAX
            && let Ok(next) = receiver.try_recv()
        {
            batch.push(*next);
        }
        // The callers of a panicked batch get an error because their channels close.
        drop(catch_unwind(AssertUnwindSafe(|| runtime.block_on(worker.run_batch(batch)))));
    }
}

/// Removes an idle worker, unless a command arrived in the meantime.
fn stop_if_idle(
    worker: &ProjectWorker,
    receiver: &Receiver<Box<Queued>>,
    workers: &Weak<Workers>,
) -> Option<Box<Queued>> {
    let workers = workers.upgrade()?;
    let mut running = workers.lock();
    let late = receiver.try_recv().ok();
    if late.is_none() {
        running.remove(&worker.project());
    }
    late
}

fn queue_full() -> Refusal {
    Refusal::new(
        RefusalCode::QueueFull,
        format!("too many commands are queued for this project (limit {QUEUE_MAX})"),
    )
    .hint("retry in a moment")
}

fn no_thread(project: ProjectId) -> Fault {
    let message = format!("cannot start a worker thread for {project}; nothing was written");
    Fault::new(FaultKind::StoreUnavailable, message).hint("check the thread limit of the machine")
}
