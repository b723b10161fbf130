//! A store as the binary uses it: the ports of the engine, and maintenance.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::Handoff;
use tasuki_engine::ports::{AccountStore, Clock, Deliveries, Snapshots, Store, System};
use tasuki_packet::id::ProjectId;

use crate::findings::{Finding, RebuildReport};
use crate::postgres::{PostgresStore, StoreUrl};
use crate::{Depth, Options, SqliteStore};

/// A durable store of an exchange. The methods may block.
pub trait ExchangeStore: Store + AccountStore + Deliveries + Snapshots {
    /// Returns the clock that the engine goes by.
    fn engine_clock(&self) -> Arc<dyn Clock>;

    /// Returns a number that changes after any process has written to the project. It may also
    /// change without a write.
    ///
    /// # Errors
    ///
    /// Fails if the project does not exist or cannot be read.
    fn data_version(&self, project: ProjectId) -> Result<u64, Fault>;

    /// Returns a number that changes after any process has written to the project, without reading
    /// the project. A server asks for it often.
    fn change_stamp(&self, project: ProjectId) -> u64;

    /// Indexes at most `leaves_max` leaves for search. Returns `true` if none are left.
    ///
    /// # Errors
    ///
    /// Fails if the project does not exist, or cannot be read or written.
    fn index_search(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault>;

    /// Checks a project; `due` returns when the clock will move a handoff.
    ///
    /// # Errors
    ///
    /// Fails if the project cannot be read.
    fn inspect(
        &self,
        project: ProjectId,
        depth: Depth,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Vec<Finding>, Fault>;

    /// Rebuilds everything derived from facts, progress and log.
    ///
    /// # Errors
    ///
    /// Fails if the project cannot be read or written.
    fn rebuild(
        &self,
        project: ProjectId,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<RebuildReport, Fault>;

    /// Acquires or renews the lease of background work. Of several processes that share a store, one
    /// does the work; when it ends, another takes over. `None` if the store has no leases.
    fn owns(&self, work: &'static str) -> Option<bool>;

    /// Closes what was not used for a while. Must be called every few seconds.
    fn close_idle(&self);

    /// Ends the work of this process. Nothing may be written afterwards.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written. Everything acknowledged is durable regardless.
    fn close(&self) -> Result<(), Fault>;
}

/// The place of a store.
#[derive(Debug, Clone)]
pub enum Location {
    /// A directory with SQLite databases.
    Directory(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<StoreUrl>),
}

impl Location {
    /// Opens the store, and creates it if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened, was written by a newer program, or cannot guarantee
    /// durability.
    pub fn open(&self, options: Options) -> Result<Arc<dyn ExchangeStore>, Fault> {
        Ok(match self {
            Self::Directory(path) => Arc::new(SqliteStore::open(path, options)?),
            Self::Postgres(url) => Arc::new(PostgresStore::open((**url).clone(), options)?),
        })
    }

    /// Returns the place for messages, without a password.
    pub fn display(&self) -> String {
        match self {
            Self::Directory(path) => path.display().to_string(),
            Self::Postgres(url) => url.display(),
        }
    }
}

impl ExchangeStore for SqliteStore {
    fn engine_clock(&self) -> Arc<dyn Clock> {
        Arc::new(System)
    }

    fn data_version(&self, project: ProjectId) -> Result<u64, Fault> {
        Self::data_version(self, project)
    }

    fn change_stamp(&self, project: ProjectId) -> u64 {
        Self::change_stamp(self, project)
    }

    fn index_search(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault> {
        Self::index_search(self, project, leaves_max)
    }

    fn inspect(
        &self,
        project: ProjectId,
        depth: Depth,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Vec<Finding>, Fault> {
        Self::inspect(self, project, depth, due)
    }

    fn rebuild(
        &self,
        project: ProjectId,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<RebuildReport, Fault> {
        Self::rebuild(self, project, due)
    }

    fn owns(&self, _work: &'static str) -> Option<bool> {
        None
    }

    fn close_idle(&self) {
        Self::close_idle(self, Instant::now());
    }

    fn close(&self) -> Result<(), Fault> {
        self.empty_wals()
    }
}

impl ExchangeStore for PostgresStore {
    fn engine_clock(&self) -> Arc<dyn Clock> {
        self.database_clock()
    }

    fn data_version(&self, project: ProjectId) -> Result<u64, Fault> {
        self.commits(project)
    }

    fn change_stamp(&self, project: ProjectId) -> u64 {
        self.stamp(project)
    }

    fn index_search(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault> {
        self.index_leaves(project, leaves_max)
    }

    fn inspect(
        &self,
        project: ProjectId,
        _: Depth,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Vec<Finding>, Fault> {
        self.inspect_project(project, due)
    }

    fn rebuild(
        &self,
        project: ProjectId,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<RebuildReport, Fault> {
        self.rebuild_project(project, due)
    }

    fn owns(&self, work: &'static str) -> Option<bool> {
        Some(self.acquire_lease(work))
    }

    fn close_idle(&self) {
        self.close_idle_connections();
    }

    fn close(&self) -> Result<(), Fault> {
        self.release_leases()
    }
}
