//! The threads that run reads.
//!
//! A read blocks its thread on the disk and on parsing, so none runs on the threads that serve
//! connections. Projects take turns: each has a queue, and at most half of the threads at once. A
//! project that reads all the time therefore delays its own reads, and those of others by one read
//! at most.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::cost;
use tasuki_packet::id::ProjectId;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// `true` on a thread that runs reads.
    static IS_READER: Cell<bool> = const { Cell::new(false) };
}

/// Runs work on a thread outside of the pool as if it were one of the pool: its reads run at once.
///
/// INVARIANT: a read never waits for a place that it holds itself. A handler on the pool that moves
/// work to another thread would wait forever, if that work queued for the pool.
pub(crate) fn as_reader<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_READER.replace(true);
    let result = work();
    IS_READER.set(before);
    result
}

/// A pool of threads that run reads. They start with the first reads, and end with the pool.
#[derive(Debug)]
pub(crate) struct Readers(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    threads_max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    threads: usize,
    idle: usize,
    is_closed: bool,
    lanes: HashMap<ProjectId, Lane>,
    /// The projects with queued reads, the next one first.
    turns: VecDeque<ProjectId>,
}

/// The reads of one project.
#[derive(Default)]
struct Lane {
    queued: VecDeque<Job>,
    running: usize,
}

impl Readers {
    /// Creates a pool of at most this many threads.
    pub(crate) fn new(threads_max: usize) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Pool { threads_max, state, changed }))
    }

    /// Runs a read of a project. Returns its result, and the rows that it looked at. A read within a
    /// read runs at once.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        project: ProjectId,
        read: impl Future<Output = T> + Send + 'static,
    ) -> Result<(T, u64), Fault> {
        if IS_READER.get() {
            // The outer read counts its rows.
            return Ok((read.await, 0));
        }
        let (sender, receiver) = oneshot::channel();
        let runtime = Handle::current();
        self.push(
            project,
            Box::new(move || {
                // A caller that hung up needs no result.
                if !sender.is_closed() {
                    drop(sender.send(cost::measured(|| runtime.block_on(read))));
                }
            }),
        )?;
        let ended = || Fault::new(FaultKind::Bug, "a read ended without a result");
        receiver.await.ok().ok_or_else(ended)
    }

    fn push(&self, project: ProjectId, job: Job) -> Result<(), Fault> {
        let mut state = self.0.lock();
        let lane = state.lanes.entry(project).or_default();
        lane.queued.push_back(job);
        if lane.queued.len() == 1 {
            state.turns.push_back(project);
        }
        if state.idle == 0 && state.threads < self.0.threads_max {
            let pool = Arc::clone(&self.0);
            let started =
                thread::Builder::new().name("reader".to_owned()).spawn(move || pool.work());
            match started {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads > 0 => {}
                Err(error) => {
                    let message = format!("starting a thread for reads failed: {error}");
                    return Err(Fault::new(FaultKind::StoreBusy, message));
                }
            }
        }
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs reads until the pool is closed.
    fn work(&self) {
        IS_READER.set(true);
        let per_project = self.threads_max.div_ceil(2);
        let mut state = self.lock();
        while !state.is_closed {
            let Some((project, job)) = state.next(per_project) else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            drop(state);
            // A read that panics has no result; the thread goes on.
            drop(catch_unwind(AssertUnwindSafe(job)));
            state = self.lock();
            state.ended(project);
            self.changed.notify_one();
        }
        state.threads -= 1;
    }
}

impl State {
    /// Returns the next read of the first project that has a thread left. The project then waits for
    /// its next turn.
    fn next(&mut self, per_project: usize) -> Option<(ProjectId, Job)> {
        let lanes = &self.lanes;
        let has_room =
            |project: &ProjectId| lanes.get(project).is_some_and(|lane| lane.running < per_project);
        let turn = self.turns.iter().position(has_room)?;
        let project = self.turns.remove(turn)?;
        let lane = self.lanes.get_mut(&project)?;
        let job = lane.queued.pop_front()?;
        lane.running += 1;
        if !lane.queued.is_empty() {
            self.turns.push_back(project);
        }
        Some((project, job))
    }

    fn ended(&mut self, project: ProjectId) {
        let Some(lane) = self.lanes.get_mut(&project) else { return };
        lane.running -= 1;
        if lane.running == 0 && lane.queued.is_empty() {
            self.lanes.remove(&project);
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let State { threads, idle, .. } = self;
        f.debug_struct("State")
            .field("threads", threads)
            .field("idle", idle)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn project(byte: u8) -> ProjectId {
        ProjectId::from_bytes([byte; 16])
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_read_runs_on_a_thread_of_the_pool_and_its_rows_are_counted() {
        let readers = Readers::new(2);
        let read = readers.run(project(1), async {
            cost::add(7);
            thread::current().name().map(str::to_owned)
        });
        assert_eq!(read.await.unwrap(), (Some("reader".to_owned()), 7));
    }

    /// Starts a read of the first project that ends with the next message.
    fn blocked(
        readers: &Arc<Readers>,
        wait: &Arc<Mutex<mpsc::Receiver<()>>>,
    ) -> tokio::task::JoinHandle<bool> {
        let (readers, wait) = (Arc::clone(readers), Arc::clone(wait));
        let read = async move { wait.lock().unwrap().recv().is_ok() };
        tokio::spawn(async move { readers.run(project(1), read).await.unwrap().0 })
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_project_that_blocks_its_threads_leaves_the_others_theirs() {
        let readers = Arc::new(Readers::new(4));
        let (release, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let blocked: Vec<_> = (0..8).map(|_| blocked(&readers, &wait)).collect();
        // Without turns, the reads of the first project would take all threads.
        for byte in 2..6 {
            assert_eq!(readers.run(project(byte), async move { byte }).await.unwrap().0, byte);
        }
        for _ in &blocked {
            release.send(()).unwrap();
        }
        for one in blocked {
            assert!(one.await.unwrap());
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn work_that_a_read_moves_to_another_thread_may_read_as_well() {
        let readers = Arc::new(Readers::new(1));
        let (inner, runtime) = (Arc::clone(&readers), Handle::current());
        let moved = move || as_reader(|| runtime.block_on(inner.run(project(1), async { 1 })));
        let outer = readers.run(project(1), async { tokio::task::spawn_blocking(moved).await });
        let ended = tokio::time::timeout(std::time::Duration::from_secs(20), outer).await;
        assert_eq!(ended.expect("it ends").unwrap().0.unwrap().unwrap().0, 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_panic_ends_its_read_alone() {
        let readers = Readers::new(1);
        let failed = readers.run(project(1), async { panic!("as the test wants") });
        assert_eq!(failed.await.map(|((), _)| ()).unwrap_err().kind, FaultKind::Bug);
        assert_eq!(readers.run(project(1), async { 1 }).await.unwrap().0, 1);
    }
}
