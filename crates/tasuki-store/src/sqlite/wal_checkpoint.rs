//! Checkpoints the WAL on a separate thread of a server.
//!
//! Otherwise SQLite checkpoints inside a commit, and every caller of that batch waits. The thread
//! copies most of the WAL while the writer continues, and the last few pages under the writer's
//! lock: SQLite restarts a WAL only after it was copied completely.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use tasuki_engine::error::{Fault, FaultKind};

use crate::row::{self, Columns};
use crate::sqlite::connection::{Access, Database, WalState};
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::with_suffix;
use crate::sqlite::project::Project;
use crate::sqlite::statements;
use crate::sqlite::write::writer_lock::WriterLock;

/// LIMIT: pages of the WAL before a checkpoint: 32 MiB. A longer WAL makes the slowest commits
/// slower.
const WAL_PAGES_MAX: u64 = 4_096;

/// Pages that may be left for the copy under the writer's lock, during which all writers wait.
const WAL_PAGES_LAST: u64 = 64;

/// LIMIT: attempts of a checkpoint to complete before the next commit.
const ROUNDS_MAX: u32 = 12;

/// LIMIT: attempts to get near the end again before the writer is locked.
const LAST_ROUNDS_MAX: u32 = 4;

/// LIMIT: queued projects. If the queue is full, the next commit of a project requests again.
const QUEUE_MAX: usize = 64;

/// LIMIT: wait of a stopping server for the readers of other processes.
const EMPTY_WAIT: Duration = Duration::from_secs(2);

/// A handle to the checkpoint thread, which ends with the last handle.
#[derive(Debug, Clone)]
pub(crate) struct Checkpointer {
    jobs: SyncSender<Arc<Project>>,
}

impl Checkpointer {
    pub(crate) fn start() -> Result<Self, Fault> {
        let (jobs, queue) = sync_channel(QUEUE_MAX);
        std::thread::Builder::new()
            .name("tasuki-checkpoint".to_owned())
            .spawn(move || run(&queue))
            .map_err(|error| file_fault(&error, "starting the thread", "checkpoint"))?;
        Ok(Self { jobs })
    }

    /// Requests a checkpoint of a project, if its WAL is long enough.
    pub(crate) fn request(&self, project: &Arc<Project>, wal_pages: u64) {
        if wal_pages < WAL_PAGES_MAX || project.is_checkpoint_requested() {
            return;
        }
        if self.jobs.try_send(Arc::clone(project)).is_err() {
            project.checkpoint_finished();
        }
    }
}

fn run(queue: &Receiver<Arc<Project>>) {
    for project in queue {
        // A WAL that could not be copied only grows, and the next commit requests again. A commit
        // reports disk errors.
        drop(checkpoint_wal(&project));
        project.checkpoint_finished();
    }
}

/// Checkpoints the WAL of a project completely, so that its next commit restarts the WAL.
///
/// SQLite syncs the database only in a round that completes before the next commit, and the sync
/// takes longer than the copy. Therefore one such round runs before the writer is locked.
pub(crate) fn checkpoint_wal(project: &Arc<Project>) -> Result<(), Fault> {
    let database = Database::open(&project.path, Access::WriteWithoutCheckpoint)?;
    database.checkpoint_until(0, ROUNDS_MAX)?;
    database.checkpoint_until(WAL_PAGES_LAST, LAST_ROUNDS_MAX)?;
    let _guard = WriterLock::acquire(project)?;
    database.checkpoint().map(drop)
}

/// Moves the WAL of a database file into it, so that the file alone is complete. Waits a moment for
/// readers of other processes; what they still need stays in the WAL.
pub(crate) fn empty_wal(path: &Path) -> Result<(), Fault> {
    if std::fs::metadata(with_suffix(path, "-wal")).is_ok_and(|wal| wal.len() > 0) {
        let database = Database::open(path, Access::WriteWithoutCheckpoint)?;
        database.limit_wait(EMPTY_WAIT)?;
        database.first(&statements::DATABASE_WAL_TRUNCATE, [], wal_state)?;
    }
    Ok(())
}

impl Database {
    /// Checkpoints until at most `left_max` pages are left, a reader needs them, or the writer is
    /// faster.
    fn checkpoint_until(&self, left_max: u64, rounds_max: u32) -> Result<(), Fault> {
        let mut checkpointed = 0;
        for _ in 0..rounds_max {
            let before = std::mem::replace(&mut checkpointed, self.checkpoint()?.checkpointed);
            let left = self.wal_state()?.pages.saturating_sub(checkpointed);
            if left <= left_max || checkpointed == before {
                break;
            }
        }
        Ok(())
    }

    /// Copies the part of the WAL that no reader needs, without waiting.
    fn checkpoint(&self) -> Result<WalState, Fault> {
        self.first(&statements::DATABASE_WAL_CHECKPOINT, [], wal_state)?.ok_or_else(no_row)
    }

    pub(crate) fn wal_state(&self) -> Result<WalState, Fault> {
        self.first(&statements::DATABASE_WAL_STATE, [], wal_state)?.ok_or_else(no_row)
    }
}

fn no_row() -> Fault {
    Fault::new(FaultKind::Bug, "`PRAGMA wal_checkpoint` returned no row")
}

fn wal_state(row: &dyn Columns) -> Result<WalState, Fault> {
    let (pages, checkpointed) = row::wal_pages(row)?;
    Ok(WalState { pages, checkpointed })
}

#[cfg(test)]
mod tests {
    use tasuki_engine::model::StateWord;
    use tasuki_testkit::samples;

    use super::*;
    use crate::testing::Case;

    fn wal(project: &Arc<Project>) -> WalState {
        WriterLock::acquire(project).unwrap().writer().database.wal_state().unwrap()
    }

    #[test]
    fn a_checkpoint_restarts_the_wal() {
        let mut case = Case::serving();
        let project = case.project();
        for number in 1..=30 {
            case.submit(samples::handoff_numbered(number, StateWord::Offered)).unwrap();
        }
        let before = wal(&project);
        assert_eq!(
            WriterLock::acquire(&project).unwrap().writer().database.wal_pages(),
            before.pages
        );
        assert!(
            before.pages > 100 && before.checkpointed == 0,
            "nothing was checkpointed: {before:?}"
        );

        checkpoint_wal(&project).unwrap();
        case.submit(samples::handoff_numbered(31, StateWord::Offered)).unwrap();
        let after = wal(&project);
        assert!(after.pages < 40 && after.checkpointed == 0, "{after:?}");
    }

    #[test]
    fn pages_that_a_reader_needs_are_not_overwritten() {
        let mut case = Case::serving();
        let project = case.project();
        case.submit(samples::handoff_numbered(1, StateWord::Offered)).unwrap();
        let reader = Database::open(&project.path, Access::Read).unwrap();
        reader.begin_read().unwrap();
        let leaves = || crate::sqlite::project::load_head(&reader).unwrap().0.leaves;
        assert_eq!(leaves(), 1);
        case.submit(samples::handoff_numbered(2, StateWord::Offered)).unwrap();

        checkpoint_wal(&project).unwrap();
        case.submit(samples::handoff_numbered(3, StateWord::Offered)).unwrap();
        assert_eq!(leaves(), 1);
        assert_eq!(case.head().leaves, 3);
    }

    #[test]
    fn a_long_wal_is_requested_once_and_a_short_one_is_not() {
        let case = Case::serving();
        let project = case.project();
        let (jobs, queue) = sync_channel(QUEUE_MAX);
        let checkpointer = Checkpointer { jobs };
        for (pages, requested) in
            [(WAL_PAGES_MAX - 1, 0), (WAL_PAGES_MAX, 1), (WAL_PAGES_MAX + 9, 0)]
        {
            checkpointer.request(&project, pages);
            assert_eq!(queue.try_iter().count(), requested, "{pages}");
        }
        project.checkpoint_finished();
        checkpointer.request(&project, WAL_PAGES_MAX);
        assert_eq!(queue.try_iter().count(), 1);
    }
}
