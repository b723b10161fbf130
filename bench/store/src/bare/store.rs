//! The rows that each step of the bare writer inserts and updates.
//!
//! Each step is a few prepared statements inside a transaction that the caller opens and commits.
//! Only the last leaf is remembered between steps.

use std::path::Path;

use anyhow::ensure;
use rusqlite::{Connection, OpenFlags, params};

use crate::work::{self, Hash, Leaf, Step};

/// The durability of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronous {
    /// Every commit is synced: an acknowledged step survives a power cut.
    Full,
    /// Only WAL checkpoints are synced: an acknowledged step may be lost. For the control of the
    /// power cut.
    Normal,
}

/// An open database with its last leaf.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    next_n: u64,
    last_hash: Hash,
}

/// The name of the file in a store's directory.
const FILE: &str = "bare.db";

// SQLite numbers `$` parameters by first use, whatever their digits.
const INSERT_HANDOFF: &str = "\
    INSERT INTO handoff (id, number, task, sender, receiver, status, revision, digest, token, submitted_at, changed_at) \
    VALUES ($1, $2, $3, 'scaffolder', $4, 'offered', 1, $5, 0, $6, $6)";
const INSERT_PACKET: &str = "INSERT INTO packet (number, bytes) VALUES ($1, $2)";
const INSERT_RETURN: &str = "INSERT INTO return_packet (number, bytes) VALUES ($1, $2)";
const INSERT_LEAF: &str = "INSERT INTO leaf (n, bytes, hash) VALUES ($1, $2, $3)";
const UPDATE_CLAIMED: &str = "\
    UPDATE handoff SET status = 'claimed', token = token + 1, holder = receiver, lease_until = $1 + 120000000, changed_at = $1 \
    WHERE id = $2 AND status = 'offered'";
const UPDATE_RETURNED: &str = "\
    UPDATE handoff SET status = 'returned', holder = NULL, lease_until = NULL, changed_at = $1 \
    WHERE id = $2 AND status = 'claimed'";
const INBOX: &str = "\
    SELECT id, task, sender, submitted_at FROM handoff \
    WHERE receiver = $1 AND status = 'offered' ORDER BY submitted_at, id LIMIT $2";

impl Store {
    /// Opens or creates the store in `directory`.
    pub fn open(directory: &Path, synchronous: Synchronous) -> anyhow::Result<Self> {
        let connection = Connection::open(directory.join(FILE))?;
        let level = match synchronous {
            Synchronous::Full => 2,
            Synchronous::Normal => 1,
        };
        connection.execute_batch(&format!(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = {level};"
        ))?;
        let set: i64 = connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        ensure!(set == level, "SQLite did not accept `synchronous = {level}`");
        connection.execute_batch(include_str!("schema.sql"))?;
        connection.set_prepared_statement_cache_capacity(16);
        Self::at_its_end(connection)
    }

    /// Opens an existing store, in whatever state a power cut left it.
    pub fn open_existing(directory: &Path) -> anyhow::Result<Self> {
        // Not read-only: the WAL has to be recovered first.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self::at_its_end(Connection::open_with_flags(directory.join(FILE), flags)?)
    }

    fn at_its_end(connection: Connection) -> anyhow::Result<Self> {
        let last = connection.query_row(
            "SELECT n + 1, hash FROM leaf ORDER BY n DESC LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        );
        let (next_n, last_hash) = match last {
            Err(rusqlite::Error::QueryReturnedNoRows) => (0, [0; 32]),
            last => last?,
        };
        Ok(Self { connection, next_n, last_hash })
    }

    /// Returns the database, for inspection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns the number of the next leaf.
    pub fn next_n(&self) -> u64 {
        self.next_n
    }

    /// Opens a transaction.
    pub fn begin(&self) -> anyhow::Result<()> {
        Ok(self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]).map(drop)?)
    }

    /// Commits everything since `begin` durably.
    pub fn commit(&self) -> anyhow::Result<()> {
        Ok(self.connection.prepare_cached("COMMIT")?.execute([]).map(drop)?)
    }

    /// Writes a submitted packet.
    pub fn submit(&mut self, number: u64, packet: &[u8], digest: &Hash) -> anyhow::Result<()> {
        let (id, now) = (work::id(number), self.next_n);
        self.execute(INSERT_PACKET, params![number, packet])?;
        let (task, receiver) = (work::task(number), work::receiver(number));
        let digest_text = format!("sha256:{}", work::hex(digest));
        self.execute(INSERT_HANDOFF, params![id, number, task, receiver, digest_text, now])?;
        self.append(Step::Submit, &id, digest)
    }

    /// Writes a claim.
    pub fn claim(&mut self, number: u64) -> anyhow::Result<()> {
        let (id, now) = (work::id(number), self.next_n);
        self.execute(UPDATE_CLAIMED, params![now, id])?;
        self.append(Step::Claim, &id, &[0; 32])
    }

    /// Writes a return.
    pub fn return_packet(
        &mut self,
        number: u64,
        bytes: &[u8],
        digest: &Hash,
    ) -> anyhow::Result<()> {
        let (id, now) = (work::id(number), self.next_n);
        self.execute(INSERT_RETURN, params![number, bytes])?;
        self.execute(UPDATE_RETURNED, params![now, id])?;
        self.append(Step::Return, &id, digest)
    }

    /// Reads the first page of offers to a receiver. Returns the number of rows.
    pub fn inbox(&self, receiver: &str, limit: u32) -> anyhow::Result<usize> {
        let mut statement = self.connection.prepare_cached(INBOX)?;
        let rows = statement.query_map(params![receiver, limit], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?.len())
    }

    fn append(&mut self, step: Step, id: &str, document: &Hash) -> anyhow::Result<()> {
        let n = self.next_n;
        let bytes = Leaf { step, id, n, previous: &self.last_hash, document }.bytes();
        let hash = work::leaf_hash(&bytes);
        self.execute(INSERT_LEAF, params![n, bytes, hash])?;
        (self.next_n, self.last_hash) = (n + 1, hash);
        Ok(())
    }

    /// Runs a statement that must change exactly one row.
    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> anyhow::Result<()> {
        let changed = self.connection.prepare_cached(sql)?.execute(parameters)?;
        ensure!(changed == 1, "`{sql}` changed {changed} rows, expected 1");
        Ok(())
    }
}
