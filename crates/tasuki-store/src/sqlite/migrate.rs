//! Migrations: forward only, one file each, numbered across both kinds of database.
//!
//! `user_version` is the number of the last applied migration. A database with a higher number was
//! written by a newer program and is not opened. Neither is one whose applied migrations differ
//! from this program's: it stores the digest of each.

use std::collections::BTreeMap;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::canonical::digest_of_bytes;

use crate::row;
use crate::sqlite::connection::Database;
use crate::sqlite::statements::{self, Kind};

/// One step between two versions of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The number, starting at 1 without gaps.
    pub number: i64,
    /// The name of its file, without number and extension.
    pub name: &'static str,
    /// The kind of database it changes.
    pub kind: Kind,
    /// The SQL statements.
    pub text: &'static str,
}

/// All migrations in order.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "exchange",
        kind: Kind::Exchange,
        text: include_str!("../../migrations/sqlite/0001_exchange.sql"),
    },
    Migration {
        number: 2,
        name: "project",
        kind: Kind::Project,
        text: include_str!("../../migrations/sqlite/0002_project.sql"),
    },
];

/// The schema version of this program.
pub const VERSION: i64 = last_number(MIGRATIONS);

const fn last_number(migrations: &[Migration]) -> i64 {
    migrations[migrations.len() - 1].number
}

impl Migration {
    /// Returns the digest of its text.
    pub fn digest(&self) -> String {
        digest_of_bytes(self.text.as_bytes())
    }
}

/// Migrates a database to this program's version. A new one gets every migration of its kind.
pub(crate) fn migrate(database: &Database, kind: Kind) -> Result<(), Fault> {
    migrate_by(MIGRATIONS, database, kind)
}

fn migrate_by(migrations: &[Migration], database: &Database, kind: Kind) -> Result<(), Fault> {
    if check_all_by(migrations, database, kind)? == last_number(migrations) {
        return Ok(());
    }
    database.begin()?;
    // Another process may have migrated it meanwhile.
    let migrated = check_by(migrations, database, kind)
        .and_then(|version| apply(migrations, database, kind, version));
    match migrated {
        Ok(()) => database.commit(),
        Err(fault) => {
            database.roll_back()?;
            Err(fault)
        }
    }
}

/// Returns the version of a database.
///
/// # Errors
///
/// Fails for a database of another kind or of a newer program.
pub(crate) fn check(database: &Database, kind: Kind) -> Result<i64, Fault> {
    check_by(MIGRATIONS, database, kind)
}

fn check_by(migrations: &[Migration], database: &Database, kind: Kind) -> Result<i64, Fault> {
    let version: i64 = database.pragma("user_version")?;
    let application_id: i64 = database.pragma("application_id")?;
    let schema_version: i64 = database.pragma("schema_version")?;
    let (place, known) = (database.display_path(), last_number(migrations));
    // Only an empty database may be without a version.
    let is_empty = version == 0 && application_id == 0 && schema_version == 0;
    if !is_empty && (version <= 0 || application_id != kind.application_id()) {
        let message = format!("`{place}` is not a database of this kind");
        return Err(
            Fault::new(FaultKind::Corrupt, message).hint("check whether files were swapped")
        );
    }
    if version > known {
        let message =
            format!("`{place}` has schema version {version}; this program supports up to {known}");
        return Err(Fault::new(FaultKind::NewerStore, message)
            .hint("use the version that wrote it, or a newer one"));
    }
    Ok(version)
}

/// Returns the version of a database whose migrations are exactly this program's.
///
/// # Errors
///
/// The errors of [`check`], and a database to which other migrations were applied under the same
/// numbers.
pub(crate) fn check_all(database: &Database, kind: Kind) -> Result<i64, Fault> {
    check_all_by(MIGRATIONS, database, kind)
}

fn check_all_by(migrations: &[Migration], database: &Database, kind: Kind) -> Result<i64, Fault> {
    let version = check_by(migrations, database, kind)?;
    if version == 0 {
        return Ok(version);
    }
    let seen = database.all(&statements::MIGRATION_LIST, [], row::migration)?;
    let seen: BTreeMap<i64, String> = seen.into_iter().collect();
    let mut due = migrations.iter().filter(|one| one.number <= version && one.kind == kind);
    match due.find(|one| seen.get(&one.number) != Some(&one.digest())) {
        Some(other) => Err(is_another(database, other)),
        None => Ok(version),
    }
}

fn is_another(database: &Database, migration: &Migration) -> Fault {
    let (place, Migration { number, name, .. }) = (database.display_path(), migration);
    let message = format!("`{place}`: migration {number} (`{name}`) differs from the applied one");
    Fault::new(FaultKind::NewerStore, message).hint(
        "use the program that wrote it; migrations must not be edited after they were applied",
    )
}

fn apply(
    migrations: &[Migration],
    database: &Database,
    kind: Kind,
    version: i64,
) -> Result<(), Fault> {
    let missing = migrations.iter().filter(|one| one.number > version && one.kind == kind);
    for migration in missing {
        database.script(migration.name, migration.text)?;
        database
            .run(&statements::MIGRATION_INSERT, params![migration.number, migration.digest()])?;
    }
    let marks = format!(
        "PRAGMA user_version = {}; PRAGMA application_id = {};",
        last_number(migrations),
        kind.application_id()
    );
    database.script("user_version", &marks)
}

#[cfg(test)]
mod tests {
    use tasuki_engine::model::StateWord;
    use tasuki_testkit::samples;

    use super::*;
    use crate::sqlite::connection::Access;
    use crate::testing::Case;

    /// Returns the migrations of a later program, the last of which has this kind and text.
    fn with_one_more(kind: Kind, text: &'static str) -> Vec<Migration> {
        let number = VERSION + 1;
        let one_more = Migration { number, name: "one_more", kind, text };
        MIGRATIONS.iter().copied().chain([one_more]).collect()
    }

    /// Returns a database with one handoff.
    fn database(case: &mut Case) -> Database {
        case.submit(samples::handoff(StateWord::Offered)).unwrap();
        Database::open(&case.project().path, Access::Write).unwrap()
    }

    fn has_note(database: &Database) -> bool {
        let text = "SELECT count(*) FROM sqlite_schema WHERE name = 'note'";
        database.connection().query_row(text, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_newer_program_migrates_an_existing_store_and_an_older_one_refuses_it() {
        let mut case = Case::new();
        let database = database(&mut case);
        let later = with_one_more(Kind::Project, "CREATE TABLE note (text TEXT) STRICT;");
        for _ in 0..2 {
            migrate_by(&later, &database, Kind::Project).unwrap();
            assert_eq!(check_all_by(&later, &database, Kind::Project), Ok(VERSION + 1));
            assert!(has_note(&database));
        }
        let seen = database.all(&statements::MIGRATION_LIST, [], row::migration).unwrap();
        let of_project = later.iter().filter(|one| one.kind == Kind::Project);
        assert_eq!(seen, of_project.map(|one| (one.number, one.digest())).collect::<Vec<_>>());
        assert_eq!(
            crate::sqlite::project::load_head(&database).unwrap().0.leaves,
            1,
            "nothing is lost"
        );

        let fault = migrate(&database, Kind::Project).unwrap_err();
        assert_eq!(fault.kind, FaultKind::NewerStore, "{fault}");
        let other = with_one_more(Kind::Project, "CREATE TABLE note (text BLOB) STRICT;");
        let fault = migrate_by(&other, &database, Kind::Project).unwrap_err();
        assert!(fault.message.ends_with("(`one_more`) differs from the applied one"));
    }

    #[test]
    fn a_migration_of_the_other_kind_changes_only_the_version() {
        let mut case = Case::new();
        let database = database(&mut case);
        let later = with_one_more(Kind::Exchange, "CREATE TABLE note (text TEXT) STRICT;");
        migrate_by(&later, &database, Kind::Project).unwrap();
        assert_eq!(check_all_by(&later, &database, Kind::Project), Ok(VERSION + 1));
        assert!(!has_note(&database));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_database_as_it_was() {
        let mut case = Case::new();
        let database = database(&mut case);
        let text = "CREATE TABLE note (text TEXT) STRICT; UPDATE nothing SET n = 1;";
        let later = with_one_more(Kind::Project, text);
        migrate_by(&later, &database, Kind::Project).unwrap_err();
        assert_eq!(check_all(&database, Kind::Project), Ok(VERSION));
        assert!(!has_note(&database));
        case.submit(samples::handoff_numbered(2, StateWord::Offered)).unwrap();
    }
}
