//! Moving the WAL into the database beside the writer, in a server.
//!
//! SQLite does it inside a commit otherwise, and everybody in that batch waits. Here one thread of
//! the store does it: most of the WAL while the writer goes on, and the last few pages in the
//! writer's place, because only a WAL that is moved as a whole is written from its start again.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tasuki_engine::error::{Fault, FaultKind};

use crate::sqlite::connection::{Access, Database, WalState};
use crate::sqlite::fault::file_fault;
use crate::sqlite::project::Project;
use crate::sqlite::write::writer_lock::Slot;
use crate::sqlite::{row, statements};

/// LIMIT: pages that the WAL holds before it is moved: 32 MiB. With more the slowest commits are slower.
const WAL_PAGES_MAX: u64 = 4_096;

/// Pages that may be left for the writer's place, where everybody waits for them.
const WAL_PAGES_LAST: u64 = 64;

/// LIMIT: how often the moving tries to be through before the next commit.
const ROUNDS_MAX: u32 = 12;

/// LIMIT: how often it tries to come near the end again before it takes the writer's place.
const LAST_ROUNDS_MAX: u32 = 4;

/// LIMIT: projects that wait for the thread. One that finds no room asks again after its next commit.
const WAITING_MAX: usize = 64;

/// The way to the thread that moves WALs. The thread ends with the last of them.
#[derive(Debug, Clone)]
pub(crate) struct Checkpointer {
    jobs: SyncSender<Arc<Project>>,
}

impl Checkpointer {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self, Fault> {
        let (jobs, waiting) = sync_channel(WAITING_MAX);
        std::thread::Builder::new()
            .name("tasuki-checkpoint".to_owned())
            .spawn(move || move_all(&waiting))
            .map_err(|error| file_fault(&error, "starting a thread", "checkpoint"))?;
        Ok(Self { jobs })
    }

    /// Asks for the WAL of a project to be moved, if it is long enough.
    pub(crate) fn ask(&self, project: &Arc<Project>, wal_pages: u64) {
        if wal_pages < WAL_PAGES_MAX || project.is_checkpoint_asked() {
            return;
        }
        if self.jobs.try_send(Arc::clone(project)).is_err() {
            project.checkpoint_is_done();
        }
    }
}

fn move_all(waiting: &Receiver<Arc<Project>>) {
    for project in waiting {
        // A WAL that could not be moved only gets longer, and the next commit asks again. What is
        // wrong with the disk is for a commit to say.
        drop(move_wal(&project));
        project.checkpoint_is_done();
    }
}

/// Moves the WAL of a project, so that its next commit starts a new one.
///
/// SQLite syncs the database only in a round that is through before the next commit, which takes longer
/// than the moving. So there is one such round before the writer's place is taken, where everybody would
/// wait for it.
pub(crate) fn move_wal(project: &Arc<Project>) -> Result<(), Fault> {
    let database = Database::open(&project.path, Access::WriteOnly)?;
    database.move_until(0, ROUNDS_MAX)?;
    database.move_until(WAL_PAGES_LAST, LAST_ROUNDS_MAX)?;
    let _writers_place = Slot::take(project)?;
    database.checkpoint().map(drop)
}

impl Database {
    /// Moves the WAL until no more than this many pages are left, or somebody reads what is left, or the
    /// writer is faster.
    fn move_until(&self, left_max: u64, rounds_max: u32) -> Result<(), Fault> {
        let mut moved = 0;
        for _ in 0..rounds_max {
            let before = std::mem::replace(&mut moved, self.checkpoint()?.moved);
            let left = self.wal_state()?.pages.saturating_sub(moved);
            if left <= left_max || moved == before {
                break;
            }
        }
        Ok(())
    }

    /// Moves as much of the WAL as nobody reads, and waits for nobody.
    fn checkpoint(&self) -> Result<WalState, Fault> {
        self.first(&statements::DATABASE_WAL_CHECKPOINT, [], row::wal_state)?.ok_or_else(silent)
    }

    /// How long the WAL is.
    pub(crate) fn wal_state(&self) -> Result<WalState, Fault> {
        self.first(&statements::DATABASE_WAL_STATE, [], row::wal_state)?.ok_or_else(silent)
    }
}

fn silent() -> Fault {
    Fault::new(FaultKind::Bug, "`PRAGMA wal_checkpoint` says nothing")
}

#[cfg(test)]
mod tests {
    use tasuki_engine::handoff::StateWord;
    use tasuki_testkit::samples;

    use super::*;
    use crate::testing::Case;

    fn wal(project: &Arc<Project>) -> WalState {
        Slot::take(project).unwrap().writer().database.wal_state().unwrap()
    }

    #[test]
    fn after_a_checkpoint_the_wal_starts_anew() {
        let mut case = Case::serving();
        let project = case.project();
        for number in 1..=30 {
            case.submit(samples::handoff_numbered(number, StateWord::Offered)).unwrap();
        }
        let before = wal(&project);
        assert_eq!(Slot::take(&project).unwrap().writer().database.wal_pages(), before.pages);
        assert!(before.pages > 100 && before.moved == 0, "nobody else has moved it: {before:?}");

        move_wal(&project).unwrap();
        case.submit(samples::handoff_numbered(31, StateWord::Offered)).unwrap();
        let after = wal(&project);
        assert!(after.pages < 40 && after.moved == 0, "{after:?}");
    }

    #[test]
    fn what_somebody_reads_is_not_moved_away() {
        let mut case = Case::serving();
        let project = case.project();
        case.submit(samples::handoff_numbered(1, StateWord::Offered)).unwrap();
        let reader = Database::open(&project.path, Access::Read).unwrap();
        reader.begin_read().unwrap();
        let leaves = || crate::sqlite::project::load_head(&reader).unwrap().0.leaves;
        assert_eq!(leaves(), 1);
        case.submit(samples::handoff_numbered(2, StateWord::Offered)).unwrap();

        move_wal(&project).unwrap();
        case.submit(samples::handoff_numbered(3, StateWord::Offered)).unwrap();
        assert_eq!(leaves(), 1);
        assert_eq!(case.head().leaves, 3);
    }

    #[test]
    fn a_short_wal_is_left_alone_and_a_long_one_is_asked_for_once() {
        let case = Case::serving();
        let project = case.project();
        let (jobs, waiting) = sync_channel(WAITING_MAX);
        let checkpointer = Checkpointer { jobs };
        for (pages, asked) in [(WAL_PAGES_MAX - 1, 0), (WAL_PAGES_MAX, 1), (WAL_PAGES_MAX + 9, 0)] {
            checkpointer.ask(&project, pages);
            assert_eq!(waiting.try_iter().count(), asked, "{pages}");
        }
        project.checkpoint_is_done();
        checkpointer.ask(&project, WAL_PAGES_MAX);
        assert_eq!(waiting.try_iter().count(), 1);
    }
}
