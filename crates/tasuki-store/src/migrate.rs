//! Migrations: forward only, one file each, numbered over both kinds of database.
//!
//! The number of the last migration that a database has seen is its `user_version`. A database with
//! a higher number than this program knows was written by a newer one, and is left alone. So is one
//! whose migrations were other ones when it saw them: it keeps the digest of each.

use std::collections::BTreeMap;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::canonical::digest_of_bytes;

use crate::connection::Database;
use crate::{row, sql};

/// What a database file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `exchange.db`: what all projects share.
    Exchange,
    /// `project.db`: one project.
    Project,
}

/// One step from a version of the schema to the next.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number, from 1 without a gap.
    pub number: i64,
    /// The name of its file, without number and ending.
    pub name: &'static str,
    /// The kind of database that it changes.
    pub kind: Kind,
    /// Its statements.
    pub text: &'static str,
}

/// The one that makes the index of words, which is derived and can be made again.
pub(crate) const SEARCH: &str = include_str!("../migrations/sqlite/0003_search.sql");

/// All migrations in order.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "exchange",
        kind: Kind::Exchange,
        text: include_str!("../migrations/sqlite/0001_exchange.sql"),
    },
    Migration {
        number: 2,
        name: "project",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0002_project.sql"),
    },
    Migration { number: 3, name: "search", kind: Kind::Project, text: SEARCH },
    Migration {
        number: 4,
        name: "session",
        kind: Kind::Exchange,
        text: include_str!("../migrations/sqlite/0004_session.sql"),
    },
    Migration {
        number: 5,
        name: "delivery",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0005_delivery.sql"),
    },
    Migration {
        number: 6,
        name: "lean",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0006_lean.sql"),
    },
    Migration {
        number: 7,
        name: "token_use",
        kind: Kind::Exchange,
        text: include_str!("../migrations/sqlite/0007_token_use.sql"),
    },
    Migration {
        number: 8,
        name: "back_links",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0008_back_links.sql"),
    },
    Migration {
        number: 9,
        name: "awaits_sender",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0009_awaits_sender.sql"),
    },
    Migration {
        number: 10,
        name: "judge",
        kind: Kind::Project,
        text: include_str!("../migrations/sqlite/0010_judge.sql"),
    },
];

/// The version that this program writes.
pub const VERSION: i64 = MIGRATIONS[MIGRATIONS.len() - 1].number;

impl Migration {
    /// The digest of its text.
    pub fn digest(&self) -> String {
        digest_of_bytes(self.text.as_bytes())
    }
}

impl Kind {
    /// What marks a file as a database of this kind: `TSKX` or `TSKP`.
    const fn application_id(self) -> i64 {
        match self {
            Self::Exchange => 0x5453_4b58,
            Self::Project => 0x5453_4b50,
        }
    }
}

/// Brings a database to this program's version. A new one gets everything.
pub(crate) fn migrate(database: &Database, kind: Kind) -> Result<(), Fault> {
    if check_all(database, kind)? == VERSION {
        return Ok(());
    }
    database.begin()?;
    // Another process may have been faster.
    let migrated = check(database, kind).and_then(|version| apply(database, kind, version));
    match migrated {
        Ok(()) => database.commit(),
        Err(fault) => {
            database.roll_back()?;
            Err(fault)
        }
    }
}

/// The version of a database.
///
/// # Errors
///
/// A database of another kind, or of a newer program.
pub(crate) fn check(database: &Database, kind: Kind) -> Result<i64, Fault> {
    let version: i64 = database.pragma("user_version")?;
    let application_id: i64 = database.pragma("application_id")?;
    let schema_version: i64 = database.pragma("schema_version")?;
    let place = database.place();
    // A database without a version is one of ours only as long as there is nothing in it.
    let is_empty = version == 0 && application_id == 0 && schema_version == 0;
    if !is_empty && (version <= 0 || application_id != kind.application_id()) {
        let message = format!("`{place}`: it is not a database of this kind");
        return Err(
            Fault::new(FaultKind::Corrupt, message).hint("look whether files were exchanged")
        );
    }
    if version > VERSION {
        let message =
            format!("`{place}`: it has version {version}, this program knows {VERSION} and older");
        return Err(Fault::new(FaultKind::NewerStore, message)
            .hint("use the version that wrote it, or a later one"));
    }
    Ok(version)
}

/// The same, and that this program would have made the database as it is.
///
/// # Errors
///
/// A database that has seen other migrations under the same numbers, too.
pub(crate) fn check_all(database: &Database, kind: Kind) -> Result<i64, Fault> {
    let version = check(database, kind)?;
    if version == 0 {
        return Ok(version);
    }
    let seen = database.all(&sql::MIGRATION_LIST, [], row::migration)?;
    let seen: BTreeMap<i64, String> = seen.into_iter().collect();
    let due = MIGRATIONS.iter().filter(|one| one.number <= version && one.kind == kind);
    match due.into_iter().find(|one| seen.get(&one.number) != Some(&one.digest())) {
        Some(other) => Err(is_another(database, other)),
        None => Ok(version),
    }
}

fn is_another(database: &Database, migration: &Migration) -> Fault {
    let (place, Migration { number, name, .. }) = (database.place(), migration);
    let message =
        format!("`{place}`: migration {number}, `{name}`, was another one when it was applied");
    Fault::new(FaultKind::NewerStore, message)
        .hint("use the program that wrote it; a migration is never changed, a new one is added")
}

fn apply(database: &Database, kind: Kind, version: i64) -> Result<(), Fault> {
    let missing = MIGRATIONS.iter().filter(|one| one.number > version && one.kind == kind);
    for migration in missing {
        database.script(migration.name, migration.text)?;
        database.run(&sql::MIGRATION_ADD, params![migration.number, migration.digest()])?;
    }
    let marks = format!(
        "PRAGMA user_version = {VERSION}; PRAGMA application_id = {};",
        kind.application_id()
    );
    database.script("user_version", &marks)
}
