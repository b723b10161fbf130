//! The store on PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, Record,
};
use tasuki_engine::ports::{
    Clock, ClockReference, Counts, Found, LeafRow, Pending, Query, Store, Stored, Transaction,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tokio::runtime::Runtime;

use crate::Options;
use crate::postgres::changes::{self, Changes};
use crate::postgres::clock::DatabaseClock;
use crate::postgres::connection::pool::{Connector, OpenTransaction, Pool, Pooled};
use crate::postgres::connection::url::StoreUrl;
use crate::postgres::connection::{Connection, Param};
use crate::postgres::fault::unknown_project;
use crate::postgres::read::ReadHandoff;
use crate::postgres::write::caches::Caches;
use crate::postgres::write::transaction::PostgresTransaction;
use crate::postgres::{handoff_list, lease, migrate, read, search, statements};
use crate::row::{self, integer};
use crate::unfinished_import::unfinished_import;

/// LIMIT: connections for transactions of projects. A transaction that waits for another process
/// holds one.
const WRITERS_MAX: usize = 16;

/// LIMIT: connections for everything else.
const READERS_MAX: usize = 8;

/// The threads that drive the connections.
const THREADS: usize = 2;

/// Connections that were not used for this long are closed.
const IDLE_MAX: Duration = Duration::from_mins(1);

/// A durable store on PostgreSQL.
pub struct PostgresStore {
    pub(super) shared: Arc<Shared>,
    /// `None` once the store is dropped.
    runtime: Option<Runtime>,
    read_handoff: ReadHandoff,
}

/// The parts of a store that its transactions use.
pub(super) struct Shared {
    pub(super) writers: Pool,
    pub(super) readers: Pool,
    pub(super) clock: Arc<DatabaseClock>,
    pub(super) caches: Caches,
    pub(super) changes: Arc<Changes>,
    /// The name of this process among those that share the database.
    pub(super) server: String,
    /// The channel that this process notifies itself; a server has a task for it.
    channel: Option<String>,
}

impl Shared {
    /// Tells the other processes of a commit, unless a task does.
    pub(super) async fn announce(
        &self,
        connection: &Connection,
        project: ProjectId,
        is_committed: bool,
    ) {
        if !is_committed {
            return;
        }
        self.changes.committed(project);
        let Some(channel) = &self.channel else { return };
        for payload in self.changes.take_untold() {
            // If it fails, the others find the commit by polling.
            drop(connection.rows(&statements::DATABASE_NOTIFY, &[channel, &payload]).await);
        }
    }
}

impl PostgresStore {
    /// Opens the store at an address, and creates or migrates its tables.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be reached, was written by a newer program, does not make
    /// commits durable, or has an unfinished import.
    pub fn open(url: StoreUrl, options: Options) -> Result<Self, Fault> {
        Self::open_as(url, options, false)
    }

    /// Opens the store as the target of an import, which may be unfinished.
    pub(crate) fn open_for_import(url: StoreUrl) -> Result<Self, Fault> {
        Self::open_as(url, Options::default(), true)
    }

    fn open_as(url: StoreUrl, options: Options, is_for_import: bool) -> Result<Self, Fault> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| {
                let message = format!("cannot start the threads of the store: {error}");
                Fault::new(FaultKind::StoreUnavailable, message)
            })?;
        let connector = Connector::new(url, runtime.handle().clone())?;
        let opening = connector.clone();
        let now = blocked_on(&runtime, async move {
            let connection = opening.connect().await?;
            check_durability(&connection).await?;
            migrate::migrate(&connection, &opening.url().schema).await?;
            if !is_for_import {
                refuse_unfinished_import(&connection).await?;
            }
            now(&connection).await
        })?;
        let (changes, clock) = (Arc::new(Changes::default()), Arc::new(DatabaseClock::new(now)));
        if options.serve {
            runtime.spawn(changes::notify(connector.clone(), Arc::clone(&changes)));
            runtime.spawn(changes::listen(connector.clone(), Arc::clone(&changes)));
            let (changes, clock) = (Arc::clone(&changes), Arc::clone(&clock));
            runtime.spawn(changes::poll(connector.clone(), changes, clock));
        }
        let channel = (!options.serve).then(|| changes::channel(&connector.url().schema));
        let shared = Shared {
            writers: Pool::new(connector.clone(), WRITERS_MAX),
            readers: Pool::new(connector, READERS_MAX),
            clock,
            caches: Caches::default(),
            changes,
            server: server_name(),
            channel,
        };
        let read_handoff = if options.bare { row::handoff_unchecked } else { row::handoff };
        Ok(Self { shared: Arc::new(shared), runtime: Some(runtime), read_handoff })
    }

    /// Returns the clock of the database, which all processes of the exchange go by.
    pub fn database_clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.shared.clock) as Arc<dyn Clock>
    }

    pub(super) async fn reader(&self) -> Result<Pooled, Fault> {
        self.shared.readers.get().await
    }

    /// Runs work on a connection, and blocks until it is done.
    pub(crate) fn wait<T, F>(&self, work: impl FnOnce(Pooled) -> F) -> Result<T, Fault>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Fault>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().expect("present until dropped");
        let shared = Arc::clone(&self.shared);
        let connection = blocked_on(runtime, async move { shared.readers.get().await })?;
        blocked_on(runtime, work(connection))
    }

    /// Acquires or renews the lease of background work. Returns `false` while another process has
    /// it, or if that is not known.
    pub(crate) fn acquire_lease(&self, work: &'static str) -> bool {
        let server = self.shared.server.clone();
        let acquired =
            self.wait(|connection| async move { lease::acquire(&connection, work, &server).await });
        acquired.unwrap_or(false)
    }

    /// Ends the leases of this process.
    pub(crate) fn release_leases(&self) -> Result<(), Fault> {
        let server = self.shared.server.clone();
        self.wait(|connection| async move { lease::release_all(&connection, &server).await })
    }

    /// Returns the number of commits of a project.
    pub(crate) fn commits(&self, project: ProjectId) -> Result<u64, Fault> {
        let project = project.to_string();
        self.wait(|connection| async move {
            let rows = connection.all(&statements::HEAD_COMMITS, &[&project], row::commits).await?;
            rows.first().map(|(_, commits)| *commits).ok_or_else(|| unknown_project(&project))
        })
    }

    /// Returns a number that changes after any process has written to a project.
    pub(crate) fn stamp(&self, project: ProjectId) -> u64 {
        self.shared.changes.stamp(project)
    }

    /// Indexes at most `leaves_max` leaves for search. Returns `true` if none are left.
    pub(crate) fn index_leaves(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault> {
        let project = project.to_string();
        self.wait(|connection| async move { search::index(connection, &project, leaves_max).await })
    }

    /// Closes connections that were not used for a while.
    pub(crate) fn close_idle_connections(&self) {
        self.shared.writers.close_idle(IDLE_MAX);
        self.shared.readers.close_idle(IDLE_MAX);
    }

    async fn create_now(&self, head: &Head, name: &str) -> Result<bool, Fault> {
        let project = head.project.to_string();
        let open = OpenTransaction::begin(self.reader().await?).await?;
        if open.run(&statements::PROJECT_INSERT, &[&name, &project]).await? == 0 {
            return Ok(false);
        }
        // The inserted row excludes an import that begins, so that this sees one that has begun.
        refuse_unfinished_import(&open).await?;
        let (last_hash, key) = (&head.last_hash.as_bytes()[..], &head.fingerprint_key[..]);
        let [leaves, directory_version, claim_epoch, fence_floor] =
            [head.leaves, head.directory_version, head.claim_epoch, head.fence_floor].map(integer);
        let (last_at, is_halted) = (head.last_at.as_microsecond(), i64::from(head.is_halted));
        let params: [Param<'_>; 10] = [
            &project,
            &name,
            &leaves,
            &last_hash,
            &last_at,
            &directory_version,
            &claim_epoch,
            &is_halted,
            &fence_floor,
            &key,
        ];
        open.run(&statements::HEAD_INSERT, &params).await?;
        open.commit().await?;
        Ok(true)
    }
}

/// Refuses a database that would lose acknowledged commits in a power failure.
async fn check_durability(connection: &Connection) -> Result<(), Fault> {
    let text = "SELECT current_setting('fsync'), current_setting('full_page_writes')";
    let rows = connection.composed("durability check", text, &[]).await?;
    let settings = rows.first().map(|row| (row.get::<_, String>(0), row.get::<_, String>(1)));
    let Some((fsync, pages)) = settings else { return Ok(()) };
    if fsync == "on" && pages == "on" {
        return Ok(());
    }
    let message = format!(
        "PostgreSQL: fsync is `{fsync}` and full_page_writes is `{pages}`; both must be `on`, or a \
         power failure loses acknowledged work"
    );
    Err(Fault::new(FaultKind::StoreUnavailable, message)
        .hint("change the settings of the database"))
}

/// Fails while an import into this store is not finished.
async fn refuse_unfinished_import(connection: &Connection) -> Result<(), Fault> {
    match connection.first(&statements::PROJECT_IMPORT_LOAD, &[], row::import).await? {
        Some(_) => Err(unfinished_import("drop its schema")),
        None => Ok(()),
    }
}

async fn now(connection: &Connection) -> Result<Timestamp, Fault> {
    let found = connection.first(&statements::CLOCK_NOW, &[], row::instant).await?;
    found.ok_or_else(|| Fault::new(FaultKind::Bug, "the database returned no time"))
}

/// Returns a name that no other process has.
fn server_name() -> String {
    let start = Timestamp::now().as_nanosecond();
    format!("{}-{start}", std::process::id())
}

/// Runs a future on the runtime of a store, and blocks this thread until it is done. Unlike
/// `Runtime::block_on`, this works on a thread of another runtime.
fn blocked_on<T: Send + 'static>(
    runtime: &Runtime,
    work: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, Fault> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    runtime.spawn(async move {
        // The receiver waits until this is sent.
        drop(sender.send(work.await));
    });
    let closed = || Fault::new(FaultKind::StoreUnavailable, "the store is closed");
    receiver.recv().unwrap_or_else(|_| Err(closed()))
}

impl Drop for PostgresStore {
    /// A runtime that waits for its tasks must not be dropped on a thread of another runtime.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("server", &self.shared.server).finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let transaction = PostgresTransaction::open(&self.shared, project).await?;
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let found = read::head(&connection, &project.to_string()).await?;
            Ok(found.map(|(head, _)| head))
        })
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        Box::pin(async move { self.create_now(&head, &name).await })
    }

    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.first(&statements::CLOCK_LOAD, &[], row::clock).await
        })
    }

    fn put_clock(&self, reference: ClockReference) -> Pending<'_, ()> {
        Box::pin(async move {
            let boot = reference.reading.boot;
            let (id, elapsed) = boot.map(|boot| (boot.id, boot.elapsed)).unzip();
            let elapsed = elapsed.map(|time| i64::try_from(time.as_micros()).unwrap_or(i64::MAX));
            let wall = reference.reading.wall.as_microsecond();
            let (from, until) = reference.step.unzip();
            let [from, until] = [from, until].map(|at| at.map(Timestamp::as_microsecond));
            let params: [Param<'_>; 5] = [&id, &elapsed, &wall, &from, &until];
            let connection = self.reader().await?;
            connection.run(&statements::CLOCK_UPSERT, &params).await.map(drop)
        })
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.all(&statements::PROJECT_LIST, &[], row::project).await
        })
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        Box::pin(async move { read::directory(&*self.reader().await?, &project.to_string()).await })
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            read::handoff(&connection, &project.to_string(), id, self.read_handoff).await
        })
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        Box::pin(async move {
            let (connection, project) = (self.reader().await?, project.to_string());
            handoff_list::handoffs(&connection, &project, &query, self.read_handoff).await
        })
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        Box::pin(async move {
            let (connection, project) = (self.reader().await?, project.to_string());
            handoff_list::handoff_at(&connection, &project, after, is_newest_first, places).await
        })
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            let (project, party) = (project.to_string(), party.to_string());
            let handoffs: Vec<String> = failures.iter().map(|(id, _)| id.to_string()).collect();
            let numbers: Vec<i64> = failures.iter().map(|(_, n)| integer(*n)).collect();
            let params: [Param<'_>; 4] = [&project, &party, &handoffs, &numbers];
            let connection = self.reader().await?;
            connection.run(&statements::ACKNOWLEDGEMENT_UPSERT, &params).await.map(drop)
        })
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            read::documents(&connection, &project.to_string(), handoff, kind).await
        })
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            read::leaves(&connection, &project.to_string(), from, limit).await
        })
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            read::leaves_of(&connection, &project.to_string(), handoff).await
        })
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        Box::pin(async move {
            let next = self.next_due(project).await?;
            Ok(next.is_some_and(|due_at| due_at <= now))
        })
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        Box::pin(async move { read::next_due(&*self.reader().await?, &project.to_string()).await })
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        Box::pin(async move { read::counts(&*self.reader().await?, &project.to_string()).await })
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        Box::pin(async move {
            let (connection, project) = (self.reader().await?, project.to_string());
            let Some((head, _)) = read::head(&connection, &project).await? else {
                return Ok(Vec::new());
            };
            read::remembered(&connection, &project, &head.fingerprint_key, &keys).await
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
            let project = project.to_string();
            search::catch_up(&self.shared.readers, &project).await?;
            let connection = self.reader().await?;
            search::search(&connection, &project, &words, before, limit).await
        })
    }
}
