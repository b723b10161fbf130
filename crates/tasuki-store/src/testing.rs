//! A store with one project, for the unit tests of this crate.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, Head};
use tasuki_engine::ports::{Store as _, WriteSet};
use tasuki_testkit::samples::{self, Log};
use tempfile::TempDir;

use crate::sqlite::project::Project;
use crate::{Options, SqliteStore};

/// A store with the project `default` in a temporary directory.
pub(crate) struct Case {
    pub(crate) store: SqliteStore,
    pub(crate) log: Log,
    _folder: TempDir,
}

impl Case {
    /// Opens it as a command does.
    pub(crate) fn new() -> Self {
        Self::open(Options::default())
    }

    /// Opens it as a server does.
    pub(crate) fn serving() -> Self {
        Self::open(Options { serve: true, ..Options::default() })
    }

    pub(crate) fn open(options: Options) -> Self {
        let folder = tempfile::Builder::new().prefix("tasuki-store-").tempdir().unwrap();
        let store = SqliteStore::open(folder.path(), options).unwrap();
        let log = Log::new(samples::project("default"));
        assert_eq!(now(store.create(log.head.clone(), "default".to_owned())), Ok(true));
        Self { store, log, _folder: folder }
    }

    pub(crate) fn project(&self) -> Arc<Project> {
        self.store.project(self.log.head.project).unwrap()
    }

    pub(crate) fn head(&self) -> Head {
        now(self.store.head(self.log.head.project)).unwrap().unwrap()
    }

    /// Commits a new handoff. If that fails, the log is unchanged.
    pub(crate) fn submit(&mut self, handoff: Handoff) -> Result<(), Fault> {
        let before = self.log.clone();
        let written = self.log.submitted(handoff);
        let committed = self.commit(written);
        if committed.is_err() {
            self.log = before;
        }
        committed
    }

    /// Commits a write set of the log.
    pub(crate) fn commit(&self, written: WriteSet) -> Result<(), Fault> {
        let mut transaction = now(self.store.open(self.log.head.project))?;
        transaction.write(written);
        now(transaction.commit(self.log.head.clone()))
    }
}

/// Returns the output of a future that is ready at once.
pub(crate) fn now<T>(mut pending: Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    match pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the store completes its work in the call"),
    }
}
