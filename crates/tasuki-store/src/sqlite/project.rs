//! One open project: the writing connection in its slot, and a few that read beside it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::state::Head;
use tasuki_packet::id::ProjectId;

use crate::sqlite::connection::{Access, Database};
use crate::sqlite::migrate;
use crate::sqlite::statements::Kind;
use crate::sqlite::wal_checkpoint::Checkpointer;
use crate::sqlite::write::cache::Cache;
use crate::sqlite::write::writer_lock::{Slot, Writer};
use crate::sqlite::{row, statements};

/// LIMIT: idle connections that are kept for reading.
const READERS_MAX: usize = 4;

/// One open project.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) id: ProjectId,
    pub(crate) path: PathBuf,
    access: Access,
    // Fields are dropped in this order: the last connection to close moves the WAL into the
    // database, which one that only reads cannot.
    readers: Mutex<Vec<Database>>,
    watcher: Mutex<Option<Database>>,
    pub(crate) slot: Slot,
    is_used: AtomicBool,
    checkpointer: Option<Checkpointer>,
    is_checkpoint_asked: AtomicBool,
}

impl Project {
    /// Opens the database of a project, which must be there. Its WAL is moved by the checkpointer,
    /// or by SQLite where there is none.
    pub(crate) fn open(
        id: ProjectId,
        path: PathBuf,
        access: Access,
        checkpointer: Option<Checkpointer>,
    ) -> Result<Self, Fault> {
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(unknown(id));
        }
        let writer = open_writer(&path, access)?;
        let (head, _) = load_head(&writer.database)?;
        if head.project != id {
            let what = format!("is the project of another directory, {id}");
            return Err(row::corrupt("head", &head.project.to_string(), "project", &what));
        }
        Ok(Self {
            id,
            path,
            access,
            readers: Mutex::default(),
            watcher: Mutex::default(),
            slot: Slot::new(writer),
            is_used: AtomicBool::new(true),
            checkpointer,
            is_checkpoint_asked: AtomicBool::new(false),
        })
    }

    pub(crate) fn open_writer(&self) -> Result<Writer, Fault> {
        open_writer(&self.path, self.access)
    }

    /// Runs a question on a connection that only reads.
    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => Database::open(&self.path, Access::Read)?,
        };
        let answer = question(&reader);
        // After a fault the connection is closed: its next user should not meet the same.
        if answer.is_ok() {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if readers.len() < READERS_MAX {
                readers.push(reader);
            }
        }
        answer
    }

    /// Runs several questions that see one state of the database.
    pub(crate) fn read_at_once<T>(
        &self,
        questions: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.read(|database| {
            database.begin_read()?;
            let answer = questions(database);
            database.roll_back()?;
            answer
        })
    }

    /// The same on a connection that finds all that can be found.
    pub(crate) fn look<T>(
        &self,
        questions: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let database = Database::open_to_look(&self.path)?;
        database.begin_read()?;
        questions(&database)
    }

    /// A number that moves whenever anybody has committed.
    pub(crate) fn data_version(&self) -> Result<i64, Fault> {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let database = match watcher.take() {
            Some(database) => database,
            None => Database::open(&self.path, Access::Read)?,
        };
        let version = data_version(&database)?;
        *watcher = Some(database);
        Ok(version)
    }

    /// Notes that the project is in use.
    pub(crate) fn used(self: &Arc<Self>) -> Arc<Self> {
        self.is_used.store(true, Ordering::Relaxed);
        Arc::clone(self)
    }

    /// To be called after a commit, with the connection that made it.
    pub(crate) fn after_commit(self: &Arc<Self>, database: &Database) {
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.ask(self, database.wal_pages());
        }
    }

    /// Whether somebody has asked for a checkpoint already; from now on somebody has.
    pub(crate) fn is_checkpoint_asked(&self) -> bool {
        self.is_checkpoint_asked.swap(true, Ordering::Relaxed)
    }

    /// The checkpoint that was asked for has happened.
    pub(crate) fn checkpoint_is_done(&self) {
        self.is_checkpoint_asked.store(false, Ordering::Relaxed);
    }

    /// Whether it was used since this was asked last.
    pub(crate) fn take_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }
}

fn open_writer(path: &std::path::Path, access: Access) -> Result<Writer, Fault> {
    let database = Database::open(path, access)?;
    migrate::migrate(&database, Kind::Project)?;
    // What a batch binds has types that keep the checks; whoever looks for damage has them looked at.
    database.script("ignore_checks", "PRAGMA ignore_check_constraints = ON;")?;
    Ok(Writer { database, cache: Cache::default(), data_version: 0 })
}

/// The end of the log and the name of the project.
pub(crate) fn load_head(database: &Database) -> Result<(Head, String), Fault> {
    database
        .first(&statements::HEAD_LOAD, [], row::head)?
        .ok_or_else(|| row::corrupt("head", "1", "only_row", "is not there"))
}

/// The `data_version` that this connection sees.
pub(crate) fn data_version(database: &Database) -> Result<i64, Fault> {
    let version = database
        .first(&statements::DATABASE_DATA_VERSION, [], |found| row::number("pragma", found))?;
    version.ok_or_else(|| Fault::new(FaultKind::Bug, "`PRAGMA data_version` says nothing"))
}

/// The fault for a project that is not here.
pub(crate) fn unknown(id: ProjectId) -> Fault {
    Fault::new(FaultKind::StoreAway, format!("there is no project {id} in this store"))
        .hint("`tasuki init` makes one")
}
