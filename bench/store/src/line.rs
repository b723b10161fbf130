//! The queue in front of a writer: callers push a job and wait until it is durable.
//!
//! The writer is a thread. It takes all waiting jobs, without waiting for more, and acknowledges
//! all of them after one sync. Callers are tasks, so that an acknowledgement costs a queue entry
//! rather than a system call.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, ensure};
use tokio::sync::oneshot;

/// A job with its waiting caller. If it is dropped without an acknowledgement, it has failed.
#[derive(Debug)]
pub struct Queued<J> {
    /// The job.
    pub job: J,
    caller: oneshot::Sender<()>,
}

/// The queue.
#[derive(Debug)]
pub struct Line<J> {
    queue: Mutex<Queue<J>>,
    arrived: Condvar,
}

#[derive(Debug)]
struct Queue<J> {
    jobs: VecDeque<Queued<J>>,
    is_closed: bool,
}

impl<J> Queued<J> {
    /// Tells the caller that its job is durable. Must be called after the sync.
    pub fn answer(self) {
        // The caller may be gone.
        self.caller.send(()).unwrap_or_default();
    }
}

impl<J> Default for Line<J> {
    fn default() -> Self {
        let queue = Queue { jobs: VecDeque::new(), is_closed: false };
        Self { queue: Mutex::new(queue), arrived: Condvar::new() }
    }
}

impl<J> Line<J> {
    /// Pushes a job and waits until it is durable.
    pub async fn run(&self, job: J) -> anyhow::Result<()> {
        let (caller, answer) = oneshot::channel();
        self.push(Queued { job, caller })?;
        answer.await.context("the writer failed")
    }

    fn push(&self, queued: Queued<J>) -> anyhow::Result<()> {
        let mut queue = self.lock();
        ensure!(!queue.is_closed, "the writer has stopped");
        queue.jobs.push_back(queued);
        let is_first = queue.jobs.len() == 1;
        drop(queue);
        if is_first {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Waits for jobs and moves up to `limit` of them to `batch`. Returns `false` if the queue is
    /// closed and empty.
    pub fn take(&self, limit: usize, batch: &mut Vec<Queued<J>>) -> bool {
        let mut queue = self.lock();
        while queue.jobs.is_empty() && !queue.is_closed {
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let count = queue.jobs.len().min(limit);
        batch.extend(queue.jobs.drain(..count));
        count > 0
    }

    /// Accepts no more jobs. The writer ends when the queue is empty.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_one();
    }

    /// Closes the queue and fails all waiting jobs, because the writer is gone.
    pub fn abandon(&self) {
        self.close();
        self.lock().jobs.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<J>> {
        // A panic elsewhere cannot leave the queue half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn run_on_a_thread(line: &Line<u32>, job: u32) -> anyhow::Result<()> {
        tokio::runtime::Builder::new_current_thread().build()?.block_on(line.run(job))
    }

    #[test]
    fn a_caller_waits_until_it_is_answered() {
        let line = Line::default();
        thread::scope(|scope| {
            let caller = scope.spawn(|| run_on_a_thread(&line, 7));
            let mut batch = Vec::new();
            assert!(line.take(256, &mut batch));
            assert_eq!(batch[0].job, 7);
            assert!(!caller.is_finished());
            batch.remove(0).answer();
            assert!(caller.join().unwrap().is_ok());
        });
    }

    #[test]
    fn no_caller_waits_for_an_ended_writer() {
        let line = Line::default();
        thread::scope(|scope| {
            let caller = scope.spawn(|| run_on_a_thread(&line, 7));
            while line.lock().jobs.is_empty() {
                thread::yield_now();
            }
            line.abandon();
            assert!(caller.join().unwrap().is_err());
        });
        assert!(run_on_a_thread(&line, 8).is_err());
        assert!(!line.take(256, &mut Vec::new()));
    }
}
