//! One open project: the writing connection behind its lock, and a few reading connections.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::Head;
use tasuki_packet::id::ProjectId;

use crate::batch::cache::Cache;
use crate::row;
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::files::head_file::{self, HeadFile};
use crate::sqlite::migrate;
use crate::sqlite::read_only::Unwritable;
use crate::sqlite::statements::{self, Kind};
use crate::sqlite::wal_checkpoint::Checkpointer;
use crate::sqlite::write::writer_lock::{Writer, WriterLock};

/// LIMIT: idle connections kept for reading.
const READERS_MAX: usize = 4;

#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) id: ProjectId,
    pub(crate) path: PathBuf,
    pub(crate) head_file: HeadFile,
    /// The secret key of fingerprints, which never changes.
    pub(crate) secret: [u8; 32],
    access: Access,
    // Fields are dropped in this order: closing the last connection checkpoints the WAL, which a
    // read-only one cannot do.
    readers: Mutex<Vec<Database>>,
    watcher: Mutex<Option<Database>>,
    pub(crate) writer_lock: WriterLock,
    is_used: AtomicBool,
    checkpointer: Option<Checkpointer>,
    is_checkpoint_requested: AtomicBool,
}

impl Project {
    /// Opens the database of an existing project. The checkpointer copies its WAL; without one,
    /// SQLite does.
    pub(crate) fn open(
        id: ProjectId,
        path: PathBuf,
        access: Access,
        checkpointer: Option<Checkpointer>,
    ) -> Result<Self, Fault> {
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(unknown_project(id));
        }
        // Read before the database: another process may commit in between.
        let recorded = head_file::recorded(&path);
        let writer = open_writer(&path, access)?;
        let (head, _) = load_head(&writer.database)?;
        if head.project != id {
            let what = format!("does not match its directory, {id}");
            return Err(row::corrupt("head", &head.project.to_string(), "project", &what));
        }
        head_file::check(&path, recorded, head.leaves)?;
        Ok(Self {
            id,
            head_file: HeadFile::open(&path),
            secret: head.fingerprint_key,
            path,
            access,
            readers: Mutex::default(),
            watcher: Mutex::default(),
            writer_lock: WriterLock::new(writer),
            is_used: AtomicBool::new(true),
            checkpointer,
            is_checkpoint_requested: AtomicBool::new(false),
        })
    }

    pub(crate) fn open_writer(&self) -> Result<Writer, Fault> {
        open_writer(&self.path, self.access)
    }

    /// Returns the reason why the project cannot be written, if there is one.
    pub(crate) fn unwritable(&self) -> Option<Unwritable> {
        match self.access {
            Access::ReadOnly(reason) => Some(reason),
            _ => None,
        }
    }

    fn open_reader(&self) -> Result<Database, Fault> {
        let access = if self.access.is_write() { Access::Read } else { self.access };
        Database::open(&self.path, access)
    }

    /// Runs a query on a reading connection.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => self.open_reader()?,
        };
        let result = query(&reader);
        // After a fault the connection is closed, so that the next query does not reuse it.
        if result.is_ok() {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if readers.len() < READERS_MAX {
                readers.push(reader);
            }
        }
        result
    }

    /// Runs several queries on one snapshot of the database.
    pub(crate) fn read_snapshot<T>(
        &self,
        queries: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.read(|database| {
            database.begin_read()?;
            let result = queries(database);
            database.roll_back()?;
            result
        })
    }

    /// Runs checks on a connection that detects all damage.
    pub(crate) fn check<T>(
        &self,
        queries: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let database = Database::open_for_check(&self.path, self.access)?;
        database.begin_read()?;
        queries(&database)
    }

    /// Returns a number that changes with every commit of any connection.
    pub(crate) fn data_version(&self) -> Result<i64, Fault> {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let database = match watcher.take() {
            Some(database) => database,
            None => self.open_reader()?,
        };
        let version = data_version(&database)?;
        *watcher = Some(database);
        Ok(version)
    }

    pub(crate) fn mark_used(self: &Arc<Self>) -> Arc<Self> {
        self.is_used.store(true, Ordering::Relaxed);
        Arc::clone(self)
    }

    /// Requests a checkpoint if needed. Must be called after each commit, with the connection that
    /// made it.
    pub(crate) fn after_commit(self: &Arc<Self>, database: &Database) {
        if let Some(checkpointer) = &self.checkpointer {
            checkpointer.request(self, database.wal_pages());
        }
    }

    /// Marks a checkpoint as requested. Returns `true` if one was requested already.
    pub(crate) fn is_checkpoint_requested(&self) -> bool {
        self.is_checkpoint_requested.swap(true, Ordering::Relaxed)
    }

    /// Marks the requested checkpoint as finished.
    pub(crate) fn checkpoint_finished(&self) {
        self.is_checkpoint_requested.store(false, Ordering::Relaxed);
    }

    /// Returns `true` if it was used since the last call.
    pub(crate) fn take_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }
}

fn open_writer(path: &std::path::Path, access: Access) -> Result<Writer, Fault> {
    let database = Database::open(path, access)?;
    if !access.is_write() {
        migrate::check_all(&database, Kind::Project)?;
        return Ok(Writer { database, cache: Cache::default(), data_version: 0 });
    }
    migrate::migrate(&database, Kind::Project)?;
    // The bound types satisfy the constraints; a check of the database evaluates them.
    database.script("ignore_checks", "PRAGMA ignore_check_constraints = ON;")?;
    Ok(Writer { database, cache: Cache::default(), data_version: 0 })
}

/// Loads the head of the log and the name of the project.
pub(crate) fn load_head(database: &Database) -> Result<(Head, String), Fault> {
    database
        .first(&statements::HEAD_LOAD, [], row::head)?
        .ok_or_else(|| row::corrupt("head", "1", "only_row", "is missing"))
}

/// Returns the `data_version` that this connection sees.
pub(crate) fn data_version(database: &Database) -> Result<i64, Fault> {
    let version = database
        .first(&statements::DATABASE_DATA_VERSION, [], |found| row::number("pragma", found))?;
    version.ok_or_else(|| Fault::new(FaultKind::Bug, "`PRAGMA data_version` returned no row"))
}

pub(crate) fn unknown_project(id: ProjectId) -> Fault {
    Fault::new(FaultKind::StoreUnavailable, format!("no project {id} in this store"))
        .hint("create a project with `tasuki init`")
}
