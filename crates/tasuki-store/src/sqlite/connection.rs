//! A connection to one database file: opening it, and running statements.
//!
//! Below the store's directory no symbolic link is followed. Waiting for another process is
//! implemented here, in steps of a millisecond: SQLite's own handler backs off, so that a busy
//! writer starves all others.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags, Params, StatementStatus, ToSql};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::cost;

use crate::row::Columns;
use crate::sqlite::fault::{StoreOperation, fault};
use crate::sqlite::files::{create_file, display_path};
use crate::sqlite::read_only::Unwritable;
use crate::sqlite::statements::Statement;
use crate::sqlite::{checksum, read_only};

/// LIMIT: how long to wait for another process, in steps of a millisecond.
pub(crate) const BUSY_STEPS_MAX: i32 = 10_000;

const BUSY_STEP: Duration = Duration::from_millis(1);

/// LIMIT: prepared statements that a connection caches; there are fewer files in `sql/`.
const STATEMENTS_MAX: usize = 128;

/// The page cache of a writer. A larger cache is slower: after a B-tree was rebalanced, SQLite
/// visits every slot of the cache before the commit ends.
const CACHE_KIB: u32 = 8_192;

/// The steps that a statement takes for a row, approximately.
const STEPS_PER_ROW: u64 = 10;

/// The access mode of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Write, with automatic checkpoints of SQLite during commits.
    Write,
    /// Write, with checkpoints by the checkpointer.
    WriteWithoutCheckpoint,
    /// Write, and return before the data is durable. Used only for [`Synchronous::UnsafeForTests`].
    ///
    /// [`Synchronous::UnsafeForTests`]: crate::Synchronous::UnsafeForTests
    WriteUnsafe,
    /// Read beside a writer.
    Read,
    /// Read a store that cannot be written.
    ReadOnly(Unwritable),
}

impl Access {
    pub(crate) fn is_write(self) -> bool {
        !matches!(self, Self::Read | Self::ReadOnly(_))
    }
}

#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
    /// The length of the WAL after the last commit, if the checkpointer copies it.
    wal_pages: Arc<AtomicU64>,
    /// `true` if it reads without locks, as no process writes.
    is_unlocked: bool,
}

/// The pages of a WAL, and how many of them are checkpointed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalState {
    pub(crate) pages: u64,
    pub(crate) checkpointed: u64,
}

pub(crate) struct Prepared<'d> {
    database: &'d Database,
    name: &'static str,
    cached: CachedStatement<'d>,
}

impl Prepared<'_> {
    /// Runs it. Returns the number of changed rows.
    pub(crate) fn run(&mut self, params: impl Params) -> Result<usize, Fault> {
        let done = self.cached.execute(params);
        done.map_err(|error| self.database.fault(&error, StoreOperation::Running(self.name)))
    }

    /// Runs it and checks that exactly one row changed.
    pub(crate) fn run_on_one(&mut self, params: &[&dyn ToSql]) -> Result<(), Fault> {
        match self.run(params)? {
            1 => Ok(()),
            count => {
                let message = format!("statement `{}` changed {count} rows, expected 1", self.name);
                Err(Fault::new(FaultKind::Bug, message))
            }
        }
    }
}

impl Database {
    /// Opens a database file. For writing, a missing file is created.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self, Fault> {
        if access.is_write() {
            create_file(path)?;
        }
        let mode = match access {
            Access::Read | Access::ReadOnly(_) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write | Access::WriteWithoutCheckpoint | Access::WriteUnsafe => {
                OpenFlags::SQLITE_OPEN_READ_WRITE
            }
        };
        let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let opened = match access {
            Access::ReadOnly(_) => read_only::connect(path, flags),
            _ => Connection::open_with_flags(path, flags).map(|connection| (connection, false)),
        };
        let (connection, is_unlocked) =
            opened.map_err(|error| fault(&error, StoreOperation::Opening, &display_path(path)))?;
        // SQLite opens a file that it may not write for reading.
        if access.is_write() && connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(false) {
            return Err(read_only::refused(path, Unwritable::Refused));
        }
        let (path, wal_pages) = (path.to_owned(), Arc::default());
        let mut database = Self { connection, path, wal_pages, is_unlocked };
        database.configure(access)?;
        Ok(database)
    }

    /// Opens an existing database file that no other connection has open.
    pub(crate) fn open_exclusive(path: &Path) -> Result<Self, Fault> {
        let mut database = Self::open(path, Access::Write)?;
        // A process that has it open will not close it within seconds.
        let never = None::<fn(i32) -> bool>;
        let set = database.connection.busy_handler(never);
        set.map_err(|error| database.fault(&error, StoreOperation::Opening))?;
        // The mode takes effect with the first lock, which fails while another connection holds
        // one.
        database
            .script("locking_mode", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;")?;
        Ok(database)
    }

    /// Limits how long a statement waits for other connections.
    pub(crate) fn limit_wait(&self, wait: Duration) -> Result<(), Fault> {
        let limited = self.connection.busy_timeout(wait);
        limited.map_err(|error| self.fault(&error, StoreOperation::Opening))
    }

    /// Opens a database file for a check. It is opened for writing, because SQLite skips `CHECK`
    /// constraints on a read-only database.
    pub(crate) fn open_for_check(path: &Path, access: Access) -> Result<Self, Fault> {
        if !access.is_write() {
            return Self::open(path, access);
        }
        let database = Self::open(path, Access::WriteWithoutCheckpoint)?;
        database.script("query_only", "PRAGMA query_only = ON;")?;
        Ok(database)
    }

    fn configure(&mut self, access: Access) -> Result<(), Fault> {
        let place = display_path(&self.path);
        let opening = |error: rusqlite::Error| fault(&error, StoreOperation::Opening, &place);
        let connection = &mut self.connection;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.busy_handler(Some(wait_step)).map_err(opening)?;
        checksum::register(connection).map_err(opening)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(opening)?;
        // Keeps query plans independent of parameters; otherwise every `LIMIT $1` is prepared again
        // each time.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(opening)?;
        let common = "PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF; \
                      PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;";
        connection.execute_batch(common).map_err(opening)?;
        if !access.is_write() {
            return connection
                .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -8192;")
                .map_err(opening);
        }
        connection
            .execute_batch(&format!("PRAGMA page_size = 8192; PRAGMA cache_size = -{CACHE_KIB};"))
            .map_err(opening)?;
        enable_wal(connection).map_err(opening)?;
        if access == Access::WriteUnsafe {
            return self.script("synchronous", "PRAGMA synchronous = NORMAL;");
        }
        self.assert_durable()?;
        if access == Access::WriteWithoutCheckpoint {
            self.disable_auto_checkpoint()
                .map_err(|error| fault(&error, StoreOperation::Opening, &place))?;
        }
        Ok(())
    }

    /// Disables checkpoints and only records the length of the WAL. Both use the same hook of
    /// SQLite, so the pragma must come first.
    fn disable_auto_checkpoint(&mut self) -> rusqlite::Result<()> {
        let never = "PRAGMA wal_autocheckpoint = 0;";
        self.connection.query_row(never, [], |_| Ok(()))?;
        let wal_pages = Arc::clone(&self.wal_pages);
        self.connection.wal_hook(Some(move |_: &mut Wal, pages| {
            wal_pages.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))
    }

    /// Returns the length of the WAL after the last commit, in pages.
    pub(crate) fn wal_pages(&self) -> u64 {
        self.wal_pages.load(Ordering::Relaxed)
    }

    /// INVARIANT: an acknowledged commit is fsynced. A connection that does not guarantee this is
    /// refused.
    fn assert_durable(&self) -> Result<(), Fault> {
        let journal: String = self.pragma("journal_mode")?;
        let synchronous: i64 = self.pragma("synchronous")?;
        if journal == "wal" && synchronous == 2 {
            return Ok(());
        }
        let message = format!(
            "`{}`: journal_mode is `{journal}` and synchronous is {synchronous}; required are `wal` \
             and 2 (full)",
            display_path(&self.path)
        );
        Err(Fault::new(FaultKind::StoreUnavailable, message)
            .hint("keep the store on a local disk; network file systems do not support this"))
    }

    pub(crate) fn pragma<T: rusqlite::types::FromSql>(&self, name: &str) -> Result<T, Fault> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| self.fault(&error, StoreOperation::Running(name)))
    }

    /// Runs a statement. Returns the number of changed rows.
    pub(crate) fn run(&self, statement: &Statement, params: impl Params) -> Result<usize, Fault> {
        self.prepare(statement)?.run(params)
    }

    /// Prepares a statement that is run more than once: looking it up costs as much as a short one
    /// takes.
    pub(crate) fn prepare(&self, statement: &Statement) -> Result<Prepared<'_>, Fault> {
        let failed =
            |error: rusqlite::Error| self.fault(&error, StoreOperation::Running(statement.name));
        let cached = self.connection.prepare_cached(statement.text).map_err(failed)?;
        Ok(Prepared { database: self, name: statement.name, cached })
    }

    pub(crate) fn all<T>(
        &self,
        statement: &Statement,
        params: impl Params,
        mut read: impl FnMut(&dyn Columns) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut found = Vec::new();
        self.each(statement, params, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Visits all rows of a statement one at a time.
    pub(crate) fn each(
        &self,
        statement: &Statement,
        params: impl Params,
        visit: impl FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let visited = self.visit(statement, params, visit);
        self.check_unused()?;
        visited
    }

    fn visit(
        &self,
        statement: &Statement,
        params: impl Params,
        mut visit: impl FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let failed =
            |error: rusqlite::Error| self.fault(&error, StoreOperation::Running(statement.name));
        let mut prepared = self.connection.prepare_cached(statement.text).map_err(failed)?;
        let mut rows = prepared.query(params).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            visit(row)?;
        }
        drop(rows);
        add_cost(&prepared);
        Ok(())
    }

    /// Returns the first row of a statement.
    pub(crate) fn first<T>(
        &self,
        statement: &Statement,
        params: impl Params,
        read: impl FnOnce(&dyn Columns) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let first = self.read_first(statement, params, read);
        self.check_unused()?;
        first
    }

    /// Checks after a query without locks that no process wrote meanwhile.
    fn check_unused(&self) -> Result<(), Fault> {
        if self.is_unlocked { read_only::check_unused(&self.path) } else { Ok(()) }
    }

    fn read_first<T>(
        &self,
        statement: &Statement,
        params: impl Params,
        read: impl FnOnce(&dyn Columns) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let failed =
            |error: rusqlite::Error| self.fault(&error, StoreOperation::Running(statement.name));
        let mut prepared = self.connection.prepare_cached(statement.text).map_err(failed)?;
        let mut rows = prepared.query(params).map_err(failed)?;
        let first = rows.next().map_err(failed)?.map(|row| read(row)).transpose();
        drop(rows);
        add_cost(&prepared);
        first
    }

    /// Runs statements outside of `sql/`, such as migrations.
    pub(crate) fn script(&self, name: &str, text: &str) -> Result<(), Fault> {
        self.connection
            .execute_batch(text)
            .map_err(|error| self.fault(&error, StoreOperation::Running(name)))
    }

    /// Returns the number of the last inserted row.
    pub(crate) fn last_row(&self) -> i64 {
        self.connection.last_insert_rowid()
    }

    /// Begins a transaction that excludes all other writers, in this process and in others.
    pub(crate) fn begin(&self) -> Result<(), Fault> {
        self.control("BEGIN IMMEDIATE", StoreOperation::Running("begin"))
    }

    /// Begins a transaction that reads one snapshot.
    pub(crate) fn begin_read(&self) -> Result<(), Fault> {
        self.control("BEGIN", StoreOperation::Running("begin"))
    }

    /// Commits the transaction durably.
    pub(crate) fn commit(&self) -> Result<(), Fault> {
        self.control("COMMIT", StoreOperation::Committing)
    }

    pub(crate) fn roll_back(&self) -> Result<(), Fault> {
        self.control("ROLLBACK", StoreOperation::Running("rollback"))
    }

    fn control(&self, text: &str, operation: StoreOperation<'_>) -> Result<(), Fault> {
        self.connection
            .prepare_cached(text)
            .and_then(|mut prepared| prepared.execute([]))
            .map(drop)
            .map_err(|error| self.fault(&error, operation))
    }

    fn fault(&self, error: &rusqlite::Error, operation: StoreOperation<'_>) -> Fault {
        fault(error, operation, &self.display_path())
    }

    /// Returns the connection, as the source of a backup.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns the connection, as the target of a backup.
    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Returns the problems that `quick_check` or `integrity_check` reports.
    pub(crate) fn problems(&self, check: &str) -> Result<Vec<String>, Fault> {
        let mut problems = Vec::new();
        let checked = self.connection.pragma_query(None, check, |row| {
            problems.push(row.get::<_, String>(0)?);
            Ok(())
        });
        if let Err(error) = checked {
            let fault = self.fault(&error, StoreOperation::Running(check));
            // The check cannot get past this error, so it is the problem.
            if fault.kind != FaultKind::Corrupt {
                return Err(fault);
            }
            problems.push(error.to_string());
        }
        problems.retain(|problem| problem != "ok");
        Ok(problems)
    }

    /// Returns the path for messages: the last folder and the file name.
    pub(crate) fn display_path(&self) -> String {
        display_path(&self.path)
    }
}

/// Adds the steps of a statement to the cost of the current read. SQLite counts them, so a row costs
/// the same whether it is returned or skipped.
fn add_cost(statement: &CachedStatement<'_>) {
    let steps = statement.reset_status(StatementStatus::VmStep);
    cost::add(u64::try_from(steps).unwrap_or_default().div_ceil(STEPS_PER_ROW));
}

/// Switches the database to WAL mode. Another connection may be doing the same; SQLite then returns
/// `BUSY` without calling the busy handler.
fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
    let mut step = 0;
    loop {
        let result = connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; \
             PRAGMA checkpoint_fullfsync = ON;",
        );
        match result {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                if !wait_step(step) {
                    return Err(error);
                }
                step += 1;
            }
            done => return done,
        }
    }
}

fn wait_step(step: i32) -> bool {
    if step < BUSY_STEPS_MAX {
        std::thread::sleep(BUSY_STEP);
    }
    step < BUSY_STEPS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;
    use crate::{Options, Synchronous};

    /// Returns `journal_mode` and `synchronous`; 1 is normal and 2 is full.
    fn durability(case: &Case) -> (String, i64) {
        let database = case.project().open_writer().unwrap().database;
        (database.pragma("journal_mode").unwrap(), database.pragma("synchronous").unwrap())
    }

    #[test]
    fn a_commit_is_fsynced_unless_a_test_opts_out() {
        let full = ("wal".to_owned(), 2);
        assert_eq!(Options::default().synchronous, Synchronous::Full);
        assert_eq!(durability(&Case::new()), full);
        assert_eq!(durability(&Case::serving()), full);
        let unsafe_one =
            Case::open(Options { synchronous: Synchronous::UnsafeForTests, ..Options::default() });
        assert_eq!(durability(&unsafe_one), ("wal".to_owned(), 1));
    }

    #[test]
    fn a_connection_without_durable_commits_is_refused() {
        let check = |pragma: &str, expected: &str| {
            let case = Case::new();
            let path = case.project().path.with_file_name("alone.db");
            let database = Database::open(&path, Access::Write).unwrap();
            assert_eq!(database.assert_durable(), Ok(()));
            database.script("less", pragma).unwrap();
            let fault = database.assert_durable().unwrap_err();
            assert_eq!(fault.kind, FaultKind::StoreUnavailable);
            assert!(fault.message.contains(expected), "{fault}");
        };
        check(
            "PRAGMA synchronous = NORMAL;",
            "journal_mode is `wal` and synchronous is 1; required are",
        );
        check("PRAGMA synchronous = OFF;", "synchronous is 0");
        check("PRAGMA synchronous = EXTRA;", "synchronous is 3");
        check("PRAGMA journal_mode = DELETE;", "journal_mode is `delete` and synchronous is 2");
    }
}
