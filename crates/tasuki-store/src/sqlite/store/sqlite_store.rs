//! The store on SQLite: a directory with `exchange.db` and the projects, which are opened on use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, Record,
};
use tasuki_engine::ports::{
    ClockReference, Counts, Found, LeafRow, Pending, Query, Store, Stored, Transaction,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};

use super::deliveries;
use super::open_projects::OpenProjects;
use crate::findings::{Finding, RebuildReport};
use crate::options::{Options, Synchronous};
use crate::row;
use crate::row::integer;
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::change_stamp;
use crate::sqlite::files::{check_space, create_directory, display_path, parent_of, project_file};
use crate::sqlite::maintenance::doctor::{self, Depth};
use crate::sqlite::maintenance::orphaned_projects::{self, OrphanedProject};
use crate::sqlite::maintenance::rebuild;
use crate::sqlite::maintenance::{backup, restore};
use crate::sqlite::project::{Project, load_head};
use crate::sqlite::read::{self, ReadHandoff};
use crate::sqlite::read_only::Unwritable;
use crate::sqlite::statements::{self, Kind};
use crate::sqlite::wal_checkpoint::{self, Checkpointer};
use crate::sqlite::write::transaction::SqliteTransaction;
use crate::sqlite::{handoff_list, migrate, read_only, search};

/// A durable store on SQLite.
#[derive(Debug)]
pub struct SqliteStore {
    directory: PathBuf,
    pub(crate) exchange: Exchange,
    read_handoff: ReadHandoff,
    pub(super) projects: OpenProjects,
    is_read_only: bool,
}

impl SqliteStore {
    /// Opens the store in a directory, which is created if it is missing. A store that cannot be
    /// written is opened for reading; a server does that only if its disk is not full, because it
    /// would stay so when space is back. A restore that was killed is completed or removed first.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened, was written by a newer program, cannot guarantee durability,
    /// or has an unfinished import.
    pub fn open(directory: &Path, options: Options) -> Result<Self, Fault> {
        let store = Self::open_or_read(directory, options)?;
        store.exchange.refuse_unfinished_import()?;
        Ok(store)
    }

    /// Opens the store as the target of an import, which may be unfinished.
    pub(crate) fn open_for_import(directory: &Path) -> Result<Self, Fault> {
        Self::open_for_writing(directory, Options::default())
    }

    /// Opens it for writing, or for reading where it cannot be written.
    fn open_or_read(directory: &Path, options: Options) -> Result<Self, Fault> {
        let database = directory.join("exchange.db");
        let fault = match Self::open_for_writing(directory, options) {
            Err(fault) if database.is_file() => fault,
            opened => return opened,
        };
        let read_only = |reason| Self::open_as(directory, options, Access::ReadOnly(reason));
        match fault.kind {
            FaultKind::StoreUnavailable if read_only::is_read_only(directory, &database) => {
                read_only(Unwritable::Refused)
            }
            FaultKind::DiskFull if !options.serve => read_only(Unwritable::FullDisk).or(Err(fault)),
            _ => Err(fault),
        }
    }

    fn open_for_writing(directory: &Path, options: Options) -> Result<Self, Fault> {
        create_directory(directory)?;
        restore::finish_killed(directory)?;
        Self::open_as(directory, options, access(options))
    }

    fn open_as(directory: &Path, options: Options, access: Access) -> Result<Self, Fault> {
        // From here on no symbolic link is followed.
        let directory = directory.canonicalize().map_err(|error| {
            file_fault(&error, "resolving the directory", &display_path(directory))
        })?;
        let exchange_access = if access.is_write() { Access::Write } else { access };
        let exchange = Exchange::open_as(&directory.join("exchange.db"), exchange_access)?;
        let checkpointer = options.serve.then(Checkpointer::start).transpose()?;
        let read_handoff = if options.bare { row::handoff_unchecked } else { row::handoff };
        let projects = OpenProjects::new(&directory, access, checkpointer);
        let is_read_only = !access.is_write();
        Ok(Self { directory, exchange, read_handoff, projects, is_read_only })
    }

    /// Returns the directory of the store.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns a number that changes after any process has written to the project. It may also
    /// change without a write.
    ///
    /// # Errors
    ///
    /// Fails if the project does not exist or cannot be read.
    pub fn data_version(&self, project: ProjectId) -> Result<u64, Fault> {
        let (project, generation) = self.projects.get(project)?;
        // SQLite counts in 32 bits, and starts over when a project is opened again.
        Ok(generation << 32 | project.data_version()?.unsigned_abs())
    }

    /// Returns a number that changes after any process has written to the project, from the
    /// metadata of its files. It changes more often than [`Self::data_version`], but never by
    /// reading.
    pub fn change_stamp(&self, project: ProjectId) -> u64 {
        change_stamp::change_stamp(&self.directory.join(project_file(project)))
    }

    /// Indexes at most `leaves_max` leaves for search, in its own transaction. Returns `true` if
    /// none are left. A search does this first; a server may do it earlier.
    ///
    /// # Errors
    ///
    /// Fails if the project does not exist, or cannot be read or written.
    pub fn index_search(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault> {
        search::index(&self.project(project)?, leaves_max)
    }

    /// Copies a project to a file, or the whole store to a directory, while it is in use. The copy
    /// is a snapshot of each project and durable when this returns.
    ///
    /// # Errors
    ///
    /// Fails if the target exists, or if reading or writing fails.
    pub fn backup(&self, project: Option<ProjectId>, to: &Path) -> Result<(), Error> {
        match project {
            Some(id) => backup::back_up(&self.project(id)?.path, to),
            None => backup::back_up_all(&self.directory, to),
        }
    }

    /// Checks a project; `due` returns when the clock will move a handoff.
    ///
    /// # Errors
    ///
    /// Fails if the project cannot be read.
    pub fn inspect(
        &self,
        project: ProjectId,
        depth: Depth,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Vec<Finding>, Fault> {
        self.project(project)?.check(|database| doctor::inspect(database, depth, due))
    }

    /// Checks the data that all projects share.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn inspect_exchange(&self) -> Result<Vec<Finding>, Fault> {
        doctor::inspect_exchange(&self.exchange.open_for_check()?)
    }

    /// Lists projects whose database is missing.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be read.
    pub fn missing(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        let mut projects = self.exchange.projects()?;
        projects.retain(|(_, id)| !self.directory.join(project_file(*id)).is_file());
        Ok(projects)
    }

    /// Rebuilds everything derived from facts, progress and log: the indexed columns of handoffs,
    /// due times, counters, cursors, the full-text index.
    ///
    /// # Errors
    ///
    /// Fails if the project cannot be read or written.
    pub fn rebuild(
        &self,
        project: ProjectId,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<RebuildReport, Fault> {
        rebuild::rebuild(&self.project(project)?, due)
    }

    /// Lists projects that have a directory but are not listed, except those without a leaf.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn orphaned_projects(&self) -> Result<Vec<OrphanedProject>, Fault> {
        let present = orphaned_projects::projects_on_disk(&self.directory.join("projects"))?;
        let listed = self.exchange.projects()?;
        let is_listed = |id: &ProjectId| listed.iter().any(|(_, listed)| listed == id);
        let unlisted = present.into_iter().filter(|id| !is_listed(id)).filter_map(|id| {
            let read = |database: &Database| load_head(database);
            match self.project(id).and_then(|project| project.read(read)) {
                // Its creation was interrupted.
                Ok((head, _)) if head.leaves == 0 => None,
                found => Some(OrphanedProject { id, name: found.map(|(_, name)| name) }),
            }
        });
        let mut unlisted: Vec<OrphanedProject> = unlisted.collect();
        if !unlisted.is_empty() {
            let listed = self.exchange.projects_after_pending()?;
            unlisted.retain(|one| !listed.iter().any(|(_, id)| *id == one.id));
        }
        Ok(unlisted)
    }

    /// Lists an orphaned project again. Returns its name: its own, or a numbered one if that is
    /// taken.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, or if the list cannot be written.
    pub fn relist_project(&self, project: ProjectId) -> Result<String, Fault> {
        let (_, own) = self.project(project)?.read(load_head)?;
        loop {
            let listed = self.exchange.projects()?;
            if let Some((name, _)) = listed.iter().find(|(_, id)| *id == project) {
                return Ok(name.clone());
            }
            let is_taken = |name: &str| listed.iter().any(|(taken, _)| taken == name);
            // If another process took this name, the next iteration sees it.
            self.exchange.add(&orphaned_projects::free_name(&own, is_taken), project, || Ok(()))?;
        }
    }

    /// Closes projects that were not used for a minute. Must be called every few seconds.
    pub fn close_idle(&self, now: Instant) {
        self.projects.close_idle(now);
    }

    /// Moves all that was committed into the databases, so that a copy of `*.db` is complete. To be
    /// called when a process stops; readers of other processes can keep a WAL.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or written. The other files are complete then.
    pub fn empty_wals(&self) -> Result<(), Fault> {
        let projects = self.exchange.projects()?;
        let files = projects.iter().map(|(_, id)| project_file(*id)).chain(["exchange.db".into()]);
        let emptied: Vec<_> =
            files.map(|file| wal_checkpoint::empty_wal(&self.directory.join(file))).collect();
        emptied.into_iter().collect()
    }

    pub(crate) fn project(&self, id: ProjectId) -> Result<Arc<Project>, Fault> {
        self.projects.get(id).map(|(project, _)| project)
    }

    fn create_now(&self, head: &Head, name: &str) -> Result<bool, Fault> {
        self.exchange.add(name, head.project, || {
            let path = self.directory.join(project_file(head.project));
            create_directory(parent_of(&path))?;
            let database = Database::open(&path, Access::Write)?;
            migrate::migrate(&database, Kind::Project)?;
            make_head(&database, head, name)
        })
    }

    fn head_now(&self, id: ProjectId) -> Result<Option<Head>, Fault> {
        if !self.directory.join(project_file(id)).exists() {
            return Ok(None);
        }
        self.project(id)?.read(|database| load_head(database).map(|(head, _)| Some(head)))
    }

    fn run_query<'a, T: Send + 'a>(
        &'a self,
        project: ProjectId,
        query: impl FnOnce(&Database) -> Result<T, Fault> + Send + 'a,
    ) -> Pending<'a, T> {
        Box::pin(async move { self.project(project)?.read(query) })
    }
}

/// Returns how a store with these options is opened for writing.
fn access(options: Options) -> Access {
    match options.synchronous {
        Synchronous::UnsafeForTests => Access::WriteUnsafe,
        Synchronous::Full if options.serve => Access::WriteWithoutCheckpoint,
        Synchronous::Full => Access::Write,
    }
}

/// Inserts the head of a new project.
fn make_head(database: &Database, head: &Head, name: &str) -> Result<(), Fault> {
    let params = params![
        head.project.to_string(),
        name,
        integer(head.leaves),
        head.last_hash.as_bytes(),
        head.last_at.as_microsecond(),
        integer(head.directory_version),
        integer(head.claim_epoch),
        head.is_halted,
        integer(head.fence_floor),
        head.fingerprint_key,
    ];
    database.run(&statements::HEAD_INSERT, params).map(drop)
}

impl Store for SqliteStore {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let transaction = SqliteTransaction::open(&self.project(project)?)?;
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        Box::pin(async move { self.head_now(project) })
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        Box::pin(async move { self.create_now(&head, &name) })
    }

    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        Box::pin(async move { self.exchange.clock() })
    }

    fn put_clock(&self, reference: ClockReference) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.put_clock(&reference) })
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    fn check_space(&self) -> Pending<'_, ()> {
        Box::pin(async move { check_space(&self.directory) })
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        Box::pin(async move { self.exchange.projects() })
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        self.run_query(project, read::directory)
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.run_query(project, move |database| read::handoff(database, id, self.read_handoff))
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        Box::pin(async move {
            let read = self.read_handoff;
            self.project(project)?
                .read_snapshot(|database| handoff_list::handoffs(database, &query, read))
        })
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        self.run_query(project, move |database| {
            handoff_list::handoff_at(database, after, is_newest_first, places)
        })
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            deliveries::write(&self.project(project)?, |database| {
                failures.into_iter().try_for_each(|(handoff, n)| {
                    let params = params![party.to_string(), handoff.to_string(), integer(n)];
                    database.run(&statements::ACKNOWLEDGEMENT_UPSERT, params).map(drop)
                })
            })
        })
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        self.run_query(project, move |database| read::documents(database, handoff, kind))
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        self.run_query(project, move |database| read::leaves(database, from, limit))
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        self.run_query(project, move |database| read::leaves_of(database, handoff))
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        self.run_query(project, move |database| {
            Ok(read::next_due(database)?.is_some_and(|due_at| due_at <= now))
        })
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        self.run_query(project, read::next_due)
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        self.run_query(project, read::counts)
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        Box::pin(async move {
            let project = self.project(project)?;
            project.read(|database| {
                let mut found = Vec::new();
                for key in keys {
                    let kept = read::remembered(database, &project.secret, &key)?;
                    found.extend(kept.map(|kept| (key, kept)));
                }
                Ok(found)
            })
        })
    }

    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>> {
        Box::pin(async move {
            let project = self.project(project)?;
            search::catch_up(&project)?;
            project.read_snapshot(|database| search::search(database, &words, before, limit))
        })
    }
}
