//! Migrations: forward only, one file each. One process applies them, under a lock.
//!
//! The table `migration` has the number and the digest of each applied one. A schema with a higher
//! number was written by a newer program and is not opened. Neither is one whose applied migrations
//! differ from this program's.

use std::collections::BTreeMap;

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::canonical::digest_of_bytes;

use crate::postgres::connection::{Connection, Param};
use crate::postgres::statements;
use crate::row;

/// One step between two versions of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The number, starting at 1 without gaps.
    pub number: i64,
    /// The SQL statements.
    pub text: &'static str,
}

/// All migrations in order.
pub const MIGRATIONS: &[Migration] =
    &[Migration { number: 1, text: include_str!("../../migrations/postgres/0001_exchange.sql") }];

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, digest TEXT NOT NULL);";

impl Migration {
    fn digest(&self) -> String {
        digest_of_bytes(self.text.as_bytes())
    }
}

/// Brings the schema of a connection to this program's version.
pub(super) async fn migrate(connection: &Connection, schema: &str) -> Result<(), Fault> {
    migrate_by(MIGRATIONS, connection, schema).await
}

async fn migrate_by(
    migrations: &[Migration],
    connection: &Connection,
    schema: &str,
) -> Result<(), Fault> {
    // A role that may not create anything can use a schema that is up to date.
    if is_there(connection).await? && due(migrations, connection).await?.is_empty() {
        return Ok(());
    }
    // A migration takes as long as its tables are large, and other processes wait for it.
    let _under_way = connection.unlimited();
    // A role that owns the schema need not be allowed to create one.
    let lock = format!(
        "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
         SET LOCAL idle_in_transaction_session_timeout = 0;
         SELECT pg_advisory_xact_lock(hashtextextended('tasuki migration {schema}', 0));
         DO $$ BEGIN IF to_regnamespace('{schema}') IS NULL THEN CREATE SCHEMA {schema}; END IF; END $$;
         {TABLE}"
    );
    connection.script("migration", &lock).await?;
    let applied = apply(migrations, connection).await;
    let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
    connection.script("migration", end).await?;
    applied
}

async fn apply(migrations: &[Migration], connection: &Connection) -> Result<(), Fault> {
    // Another process may have migrated it meanwhile.
    for migration in due(migrations, connection).await? {
        connection.script("migration", migration.text).await?;
        let params: [Param<'_>; 2] = [&migration.number, &migration.digest()];
        connection.run(&statements::DATABASE_MIGRATIONS_INSERT, &params).await?;
    }
    Ok(())
}

async fn is_there(connection: &Connection) -> Result<bool, Fault> {
    let found = connection.composed("migration", "SELECT to_regclass('migration')::text", &[]);
    Ok(found.await?.first().is_some_and(|row| row.get::<_, Option<&str>>(0).is_some()))
}

/// Returns the migrations that the schema does not have yet.
async fn due<'m>(
    migrations: &'m [Migration],
    connection: &Connection,
) -> Result<Vec<&'m Migration>, Fault> {
    let seen = connection.all(&statements::DATABASE_MIGRATIONS_LIST, &[], row::migration).await?;
    let seen: BTreeMap<i64, String> = seen.into_iter().collect();
    let known = migrations.last().map_or(0, |last| last.number);
    if let Some(newest) = seen.keys().next_back().filter(|newest| **newest > known) {
        let message = format!(
            "the database has schema version {newest}; this program supports up to {known}"
        );
        return Err(Fault::new(FaultKind::NewerStore, message)
            .hint("use the version that wrote it, or a newer one"));
    }
    let mut due = Vec::new();
    for migration in migrations {
        match seen.get(&migration.number) {
            None => due.push(migration),
            Some(digest) if *digest == migration.digest() => {}
            Some(_) => return Err(is_another(migration)),
        }
    }
    Ok(due)
}

fn is_another(migration: &Migration) -> Fault {
    let message =
        format!("PostgreSQL: migration {} differs from the applied one", migration.number);
    Fault::new(FaultKind::NewerStore, message)
        .hint("the database was created by another version; use that, or an empty schema")
}
