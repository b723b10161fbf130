//! The store: a directory with `exchange.db` and the projects, which are opened when they are used.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::directory::Record;
use tasuki_engine::document::DocumentKind;
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::handoff::Handoff;
use tasuki_engine::people::{People, SessionHash, SessionRecord};
use tasuki_engine::state::{Head, Key, Remembered};
use tasuki_engine::store::{Counts, Found, LeafRow, Pending, Query, Store, Stored, Transaction};
use tasuki_packet::id::{HandoffId, ProjectId, TokenId};

use super::open_files::projects_max;
use crate::maintenance::doctor::{Depth, Finding};
use crate::maintenance::orphaned_projects::{self, Unlisted};
use crate::maintenance::rebuild::Rebuilt;
use crate::maintenance::{backup, doctor, rebuild};
use crate::sqlite::connection::{Access, Database, make_directory, place};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::file_fault;
use crate::sqlite::migrate::{self, Kind};
use crate::sqlite::project::{Project, load_head};
use crate::sqlite::read::ReadHandoff;
use crate::sqlite::wal_checkpoint::Checkpointer;
use crate::sqlite::write::batch::integer;
use crate::sqlite::write::transaction::SqliteTransaction;
use crate::sqlite::{change_stamp, handoff_list, read, row, search, statements};

/// How long an unused project stays open.
const IDLE: Duration = Duration::from_mins(1);

/// How a store is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether a server has opened it: the WAL is then moved into the database beside the writer,
    /// not by it.
    pub serve: bool,
    /// When a commit is answered: once it is on the disk, unless a test asks for less.
    pub synchronous: Synchronous,
    /// Whether handoffs are read by facts and progress alone, whatever the columns say that they are
    /// found by: for whoever looks what is wrong.
    pub bare: bool,
}

/// When a commit is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When the disk has it.
    #[default]
    Full,
    /// Before the disk has it: **unsafe, for tests only**. A power cut takes what was acknowledged.
    ///
    /// It is the control of `make powercut`, which must lose something with it; otherwise its cuts
    /// would prove nothing. No command and no setting of the tool leads here.
    UnsafeForTests,
}

impl Options {
    fn access(self) -> Access {
        match self.synchronous {
            Synchronous::UnsafeForTests => Access::WriteUnsafe,
            Synchronous::Full if self.serve => Access::WriteOnly,
            Synchronous::Full => Access::Write,
        }
    }
}

/// Durable memory on SQLite.
#[derive(Debug)]
pub struct SqliteStore {
    directory: PathBuf,
    exchange: Exchange,
    access: Access,
    read_handoff: ReadHandoff,
    projects: Mutex<HashMap<ProjectId, Arc<Mutex<Opened>>>>,
    /// How often projects were asked for, which tells who was used last.
    uses: AtomicU64,
    open_max: usize,
    checkpointer: Option<Checkpointer>,
}

/// A project that is open, or was.
#[derive(Debug, Default)]
struct Opened {
    project: Option<Arc<Project>>,
    /// How often it was opened.
    generation: u64,
    last_use: u64,
    idle_since: Option<Instant>,
}

impl SqliteStore {
    /// Opens the store in a directory, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, was written by a newer program, or could not keep what it promises.
    pub fn open(directory: &Path, options: Options) -> Result<Self, Fault> {
        make_directory(directory)?;
        // From here on no symbolic link is followed.
        let directory = directory
            .canonicalize()
            .map_err(|error| file_fault(&error, "finding the directory", &place(directory)))?;
        let exchange = Exchange::open(&directory.join("exchange.db"))?;
        let checkpointer = options.serve.then(Checkpointer::start).transpose()?;
        let access = options.access();
        let read_handoff = if options.bare { row::bare_handoff } else { row::handoff };
        Ok(Self {
            directory,
            exchange,
            access,
            read_handoff,
            projects: Mutex::default(),
            uses: AtomicU64::default(),
            open_max: projects_max(),
            checkpointer,
        })
    }

    /// A number that is another one after anybody, in any process, has written to the project. It
    /// may also move when nobody has.
    ///
    /// # Errors
    ///
    /// If the project is not here or cannot be read.
    pub fn data_version(&self, project: ProjectId) -> Result<u64, Fault> {
        let (project, generation) = self.opened(project)?;
        // SQLite counts in 32 bits, and from the start again when a project is opened again.
        Ok(generation << 32 | project.data_version()?.unsigned_abs())
    }

    /// The same, told from the project's files without opening them: it moves more often, and never
    /// because somebody has read.
    pub fn stamp(&self, project: ProjectId) -> u64 {
        change_stamp::stamp(&self.project_directory(project).join("project.db"))
    }

    /// Takes at most so many leaves more into the index of words, in a transaction of its own.
    /// `true` if that was all there were. A search does this first; a server may do it before.
    ///
    /// # Errors
    ///
    /// If the project is not here, or cannot be read or written.
    pub fn index_search(&self, project: ProjectId, leaves_max: u32) -> Result<bool, Fault> {
        search::index(&self.project(project)?, leaves_max)
    }

    /// Copies a project to a file, or the whole store to a directory, while it is in use. It is the
    /// state of one moment for each project, on the disk when this returns.
    ///
    /// # Errors
    ///
    /// If something is there already, or reading or writing fails.
    pub fn backup(&self, project: Option<ProjectId>, to: &Path) -> Result<(), Error> {
        match project {
            Some(id) => backup::back_up(&self.project(id)?.path, to),
            None => backup::back_up_all(&self.directory, to),
        }
    }

    /// Looks for what cannot be in a project; `due` says when the clock will move a handoff.
    ///
    /// # Errors
    ///
    /// If the project cannot even be read.
    pub fn inspect(
        &self,
        project: ProjectId,
        depth: Depth,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Vec<Finding>, Fault> {
        self.project(project)?.look(|database| doctor::inspect(database, depth, due))
    }

    /// Looks for what cannot be in what all projects share.
    ///
    /// # Errors
    ///
    /// If it cannot even be read.
    pub fn inspect_exchange(&self) -> Result<Vec<Finding>, Fault> {
        self.exchange.inspect()
    }

    /// Projects that are listed and whose database is gone.
    ///
    /// # Errors
    ///
    /// If the list cannot be read.
    pub fn missing(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        let mut projects = self.exchange.projects()?;
        projects.retain(|(_, id)| !self.project_directory(*id).join("project.db").is_file());
        Ok(projects)
    }

    /// Makes everything anew that can be told from facts, progress and log: the columns that
    /// handoffs are found by, due times, counts, cursors, the index of words.
    ///
    /// # Errors
    ///
    /// If the project cannot be read or written.
    pub fn rebuild(
        &self,
        project: ProjectId,
        due: &dyn Fn(&Handoff) -> Option<Timestamp>,
    ) -> Result<Rebuilt, Fault> {
        rebuild::rebuild(&self.project(project)?, due)
    }

    /// Projects that lie here and are not listed, but for those that nothing ever happened in.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn unlisted(&self) -> Result<Vec<Unlisted>, Fault> {
        let present = orphaned_projects::present(&self.directory.join("projects"))?;
        let listed = self.exchange.projects()?;
        let is_listed = |id: &ProjectId| listed.iter().any(|(_, listed)| listed == id);
        let unlisted = present.into_iter().filter(|id| !is_listed(id)).filter_map(|id| {
            let read = |database: &Database| load_head(database);
            match self.project(id).and_then(|project| project.read(read)) {
                // Making it was interrupted.
                Ok((head, _)) if head.leaves == 0 => None,
                found => Some(Unlisted { id, name: found.map(|(_, name)| name) }),
            }
        });
        let mut unlisted: Vec<Unlisted> = unlisted.collect();
        if !unlisted.is_empty() {
            let listed = self.exchange.projects_settled()?;
            unlisted.retain(|one| !listed.iter().any(|(_, id)| *id == one.id));
        }
        Ok(unlisted)
    }

    /// Lists a project that lies here, and says under which name: another one is found for it where
    /// its own is taken.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or the list cannot be written.
    pub fn list_again(&self, project: ProjectId) -> Result<String, Fault> {
        let (_, own) = self.project(project)?.read(load_head)?;
        loop {
            let listed = self.exchange.projects()?;
            if let Some((name, _)) = listed.iter().find(|(_, id)| *id == project) {
                return Ok(name.clone());
            }
            let is_taken = |name: &str| listed.iter().any(|(taken, _)| taken == name);
            // Whoever was faster with this name is seen in the next round.
            self.exchange.add(&orphaned_projects::free_name(&own, is_taken), project, || Ok(()))?;
        }
    }

    /// Closes projects that nobody has used for a minute. To be called every few seconds.
    pub fn close_idle(&self, now: Instant) {
        let projects: Vec<_> = self.lock_projects().values().cloned().collect();
        for opened in projects {
            // Whoever wants it back waits here until it is closed.
            opened.lock().unwrap_or_else(PoisonError::into_inner).close_if_idle(now);
        }
    }

    pub(crate) fn project(&self, id: ProjectId) -> Result<Arc<Project>, Fault> {
        self.opened(id).map(|(project, _)| project)
    }

    fn opened(&self, id: ProjectId) -> Result<(Arc<Project>, u64), Fault> {
        let opened = Arc::clone(self.lock_projects().entry(id).or_default());
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.last_use = self.uses.fetch_add(1, Ordering::Relaxed);
        if let Some(project) = &opened.project {
            return Ok((project.used(), opened.generation));
        }
        self.make_room();
        let path = self.project_directory(id).join("project.db");
        let project = Arc::new(Project::open(id, path, self.access, self.checkpointer.clone())?);
        opened.project = Some(Arc::clone(&project));
        opened.generation += 1;
        Ok((project, opened.generation))
    }

    /// Closes what was not used for longest, so that one more can be open: there are only so many files.
    fn make_room(&self) {
        let all: Vec<_> = self.lock_projects().values().cloned().collect();
        let last_use = |opened: &Arc<Mutex<Opened>>| {
            // One that is locked is being opened or closed, and that is somebody else's work.
            let opened = opened.try_lock().ok()?;
            opened.project.as_ref().map(|_| opened.last_use)
        };
        let mut open: Vec<_> = all.iter().filter_map(|one| Some((last_use(one)?, one))).collect();
        open.sort_unstable_by_key(|(last_use, _)| *last_use);
        let mut surplus = (open.len() + 1).saturating_sub(self.open_max);
        for (_, opened) in open {
            if surplus == 0 {
                return;
            }
            let is_closed = opened.try_lock().is_ok_and(|mut opened| opened.close_if_unused());
            surplus -= usize::from(is_closed);
        }
    }

    fn lock_projects(&self) -> MutexGuard<'_, HashMap<ProjectId, Arc<Mutex<Opened>>>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn project_directory(&self, id: ProjectId) -> PathBuf {
        self.directory.join("projects").join(id.to_string())
    }

    fn create_now(&self, head: &Head, name: &str) -> Result<bool, Fault> {
        self.exchange.add(name, head.project, || {
            let directory = self.project_directory(head.project);
            make_directory(&directory)?;
            let database = Database::open(&directory.join("project.db"), Access::Write)?;
            migrate::migrate(&database, Kind::Project)?;
            make_head(&database, head, name)
        })
    }

    fn head_now(&self, id: ProjectId) -> Result<Option<Head>, Fault> {
        if !self.project_directory(id).join("project.db").exists() {
            return Ok(None);
        }
        self.project(id)?.read(|database| load_head(database).map(|(head, _)| Some(head)))
    }

    fn asked<'a, T: Send + 'a>(
        &'a self,
        project: ProjectId,
        question: impl FnOnce(&Database) -> Result<T, Fault> + Send + 'a,
    ) -> Pending<'a, T> {
        Box::pin(async move { self.project(project)?.read(question) })
    }
}

impl Opened {
    /// Whether nobody had it in hand, so that it is closed now.
    fn close_if_unused(&mut self) -> bool {
        let is_unused = self.project.as_ref().is_some_and(|one| Arc::strong_count(one) == 1);
        if is_unused {
            self.project = None;
            self.idle_since = None;
        }
        is_unused
    }

    fn close_if_idle(&mut self, now: Instant) {
        let Some(project) = &self.project else { return };
        if project.take_used() || Arc::strong_count(project) > 1 {
            self.idle_since = None;
        }
        let since = *self.idle_since.get_or_insert(now);
        if now.duration_since(since) >= IDLE {
            self.project = None;
            self.idle_since = None;
        }
    }
}

/// The head of a new project.
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
        integer(head.token_floor),
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

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        Box::pin(async move { self.exchange.projects() })
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        self.asked(project, read::directory)
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        self.asked(project, move |database| read::handoff(database, id, self.read_handoff))
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        Box::pin(async move {
            let read = self.read_handoff;
            self.project(project)?
                .read_at_once(|database| handoff_list::handoffs(database, &query, read))
        })
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        self.asked(project, move |database| read::documents(database, handoff, kind))
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        self.asked(project, move |database| read::leaves(database, from, limit))
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        self.asked(project, move |database| read::leaves_of(database, handoff))
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        self.asked(project, move |database| {
            Ok(read::next_due(database)?.is_some_and(|due_at| due_at <= now))
        })
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        self.asked(project, read::next_due)
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        self.asked(project, read::counts)
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<Key>,
    ) -> Pending<'_, Vec<(Key, Remembered)>> {
        self.asked(project, move |database| {
            let mut found = Vec::new();
            for key in keys {
                found.extend(read::remembered(database, &key)?.map(|kept| (key, kept)));
            }
            Ok(found)
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
            project.read_at_once(|database| search::search(database, &words, before, limit))
        })
    }
}

impl People for SqliteStore {
    fn person(&self, name: String) -> Pending<'_, Option<String>> {
        Box::pin(async move { self.exchange.person(&name) })
    }

    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.set_person(&name, &hash) })
    }

    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.put_session(&session) })
    }

    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>> {
        Box::pin(async move { self.exchange.session(id) })
    }

    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.touch_session(id, seen_at) })
    }

    fn end_session(&self, id: SessionHash) -> Pending<'_, bool> {
        Box::pin(async move { self.exchange.end_session(id) })
    }

    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>> {
        Box::pin(async move { self.exchange.token_uses() })
    }

    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.note_token_uses(&uses) })
    }

    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>> {
        Box::pin(async move { self.exchange.last_heartbeat() })
    }

    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.beat(&server, at) })
    }
}

#[cfg(test)]
mod tests {
    use tasuki_testkit::samples::{self, Log};

    use super::*;
    use crate::testing::{Case, now};

    fn open_now(store: &SqliteStore) -> Vec<ProjectId> {
        let projects = store.lock_projects();
        let is_open = |opened: &Arc<Mutex<Opened>>| opened.lock().unwrap().project.is_some();
        projects.iter().filter(|(_, opened)| is_open(opened)).map(|(id, _)| *id).collect()
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room_and_what_is_in_hand_stays() {
        let mut case = Case::new();
        case.store.open_max = 3;
        let ids = ["a", "b", "c", "d", "e"].map(samples::project);
        for (name, id) in ["a", "b", "c", "d", "e"].iter().zip(ids) {
            let created = now(case.store.create(Log::new(id).head, (*name).to_owned()));
            assert_eq!(created, Ok(true));
        }
        let in_hand = case.store.project(ids[0]).unwrap();
        for id in [ids[1], ids[2], ids[1], ids[3]] {
            case.store.project(id).unwrap();
        }
        let open = open_now(&case.store);
        assert_eq!(open.len(), 3);
        assert!([ids[0], ids[1], ids[3]].iter().all(|id| open.contains(id)), "{open:?}");
        drop(in_hand);
        case.store.project(ids[4]).unwrap();
        assert!(!open_now(&case.store).contains(&ids[0]));
        // Whatever was closed is opened again when it is asked for.
        assert!(ids.iter().all(|id| now(case.store.head(*id)).unwrap().is_some()));
    }
}
