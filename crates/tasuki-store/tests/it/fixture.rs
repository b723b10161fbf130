//! A store in a temporary directory for each test.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use rusqlite::Connection;
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::ports::{Store as _, WriteSet};
use tasuki_packet::id::ProjectId;
use tasuki_store::{Options, Overwrite, Restore, SqliteStore};
use tasuki_testkit::samples::{self, Log};
use tempfile::TempDir;

/// A new directory, removed when dropped.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// Creates a directory in memory if the system has one, for tests that write often and do not
    /// concern the disk.
    pub(crate) fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::within(memory) } else { Self::new() }
    }

    fn within(parent: &Path) -> Self {
        let directory = tempfile::Builder::new().prefix("tasuki-store-").tempdir_in(parent);
        Self(directory.expect("a test may write there"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the database of the project `default`.
    pub(crate) fn database(&self) -> PathBuf {
        database_in(self.0.path(), samples::project("default"))
    }

    /// Opens a direct connection for inspecting and damaging the database.
    pub(crate) fn raw(&self) -> Connection {
        let connection = Connection::open(self.database()).expect("the database is there");
        tasuki_store::sqlite::checksum::register(&connection).expect("a function is added");
        connection
            .execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;")
            .expect("a pragma is set");
        connection
    }
}

/// Returns the path of a project's database.
pub(crate) fn database_in(store: &Path, project: ProjectId) -> PathBuf {
    store.join("projects").join(project.to_string()).join("project.db")
}

pub(crate) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, Options::default()).expect("a store opens in a directory")
}

pub(crate) fn fresh() -> (SqliteStore, Folder) {
    let folder = Folder::new();
    (open(folder.path()), folder)
}

/// Opens a store in a new directory in memory.
pub(crate) fn fresh_in_memory() -> (SqliteStore, Folder) {
    let folder = Folder::in_memory();
    (open(folder.path()), folder)
}

/// Opens a store with the empty project `default`, and returns its log.
pub(crate) fn with_project() -> (SqliteStore, Log, Folder) {
    let (store, folder) = fresh();
    let log = Log::new(samples::project("default"));
    let created = now(store.create(log.head.clone(), "default".to_owned()));
    assert_eq!(created, Ok(true));
    (store, log, folder)
}

pub(crate) fn commit(store: &SqliteStore, log: &Log, written: WriteSet) -> Result<(), Fault> {
    let mut transaction = now(store.open(log.head.project))?;
    transaction.write(written);
    now(transaction.commit(log.head.clone()))
}

/// Restores a backup without recording truncations.
pub(crate) fn restore(from: &Path, to: &Path, overwrite: Overwrite) -> Result<(), Error> {
    Ok(Restore::prepare(from, to, overwrite)?.commit()?)
}

pub(crate) fn code(error: &Error) -> &'static str {
    match error {
        Error::Refused(refusal) => refusal.code.as_str(),
        Error::Failed(fault) => fault.code(),
    }
}

/// Returns the output of a future that is ready at once.
pub(crate) fn now<T>(mut pending: Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    match pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the store completes its work in the call"),
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime starts").block_on(future)
}
