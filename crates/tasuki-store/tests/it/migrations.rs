//! The schema, its migrations, and databases that this program must not open.

use std::path::Path;

use rusqlite::Connection;
use tasuki_engine::error::FaultKind;
use tasuki_engine::ports::Store as _;
use tasuki_store::sqlite::migrate::{MIGRATIONS, VERSION};
use tasuki_store::{Options, Overwrite, SqliteStore};
use tasuki_testkit::samples;

use crate::fixture::{Folder, code, now, open, restore, with_project};

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all tables and indexes of a database in the order of creation.
fn schema(connection: &Connection) -> String {
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let texts = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let texts: Vec<String> = texts.map(Result::unwrap).collect();
    format!("{};\n\n", texts.join(";\n\n"))
}

#[test]
fn the_schema_matches_the_committed_file() {
    let (_store, _log, folder) = with_project();
    let exchange = Connection::open(folder.path().join("exchange.db")).unwrap();
    let text = format!(
        "-- The result of all migrations, generated: TASUKI_UPDATE=1 cargo test.\n\n\
         -- exchange.db\n\n{}-- project.db\n\n{}",
        schema(&exchange),
        schema(&folder.raw()),
    );
    let text = format!("{}\n", text.trim_end());
    let path = manifest().join("schema/sqlite.sql");
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "schema/sqlite.sql is not current: TASUKI_UPDATE=1 cargo test");
}

/// The statements that recreate the full-text index repeat the migration.
#[test]
fn a_rebuilt_project_has_the_same_schema() {
    let (store, log, folder) = with_project();
    let sorted = || {
        let schema = schema(&folder.raw());
        let mut parts: Vec<String> = schema.split(";\n\n").map(str::to_owned).collect();
        parts.sort();
        parts
    };
    let before = sorted();
    store.rebuild(log.head.project, &|_| None).unwrap();
    assert_eq!(sorted(), before);
}

#[test]
fn migrations_are_numbered_without_a_gap_and_named_as_their_files() {
    let mut files: Vec<String> = std::fs::read_dir(manifest().join("migrations/sqlite"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let named = MIGRATIONS.iter().map(|one| format!("{:04}_{}.sql", one.number, one.name));
    assert_eq!(files, named.collect::<Vec<_>>());
    for (number, migration) in (1..).zip(MIGRATIONS) {
        assert_eq!(migration.number, number);
        let first = migration.text.lines().next().unwrap();
        assert_eq!(
            first.to_lowercase(),
            format!("-- database: {:?}", migration.kind).to_lowercase()
        );
    }
}

#[test]
fn a_newer_store_is_refused_and_both_versions_are_named() {
    let check = |file: fn(&Folder) -> std::path::PathBuf| {
        let (store, log, folder) = with_project();
        drop(store);
        let path = file(&folder);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let before = std::fs::read(&path).unwrap();

        let asked = SqliteStore::open(folder.path(), Options::default())
            .and_then(|store| now(store.head(log.head.project)));
        let fault = asked.unwrap_err();
        assert_eq!(fault.kind, FaultKind::NewerStore);
        assert!(fault.message.contains("99"), "{fault}");
        assert!(fault.message.contains(&VERSION.to_string()), "{fault}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "nothing is written");
    };
    check(|folder| folder.path().join("exchange.db"));
    check(Folder::database);
}

#[test]
fn a_migration_edited_after_it_was_applied_is_refused() {
    let check = |file: fn(&Folder) -> std::path::PathBuf, number: i64, name: &str| {
        let (store, log, folder) = with_project();
        let copy = folder.path().join("copy");
        store.backup(None, &copy).unwrap();
        drop(store);
        let path = file(&folder);
        let other = format!("UPDATE migration SET digest = 'sha256:0' WHERE number = {number}");
        for path in [path.clone(), copy.join(path.strip_prefix(folder.path()).unwrap())] {
            assert_eq!(Connection::open(&path).unwrap().execute(&other, []), Ok(1));
        }
        let before = std::fs::read(&path).unwrap();

        let asked = SqliteStore::open(folder.path(), Options::default())
            .and_then(|store| now(store.head(log.head.project)));
        let fault = asked.unwrap_err();
        assert_eq!(fault.kind, FaultKind::NewerStore);
        let said = format!(
            "/{}`: migration {number} (`{name}`) differs from the applied one",
            path.file_name().unwrap().display()
        );
        assert!(fault.message.ends_with(&said), "{fault}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "nothing is written");

        let into = Folder::new();
        let refused = restore(&copy, into.path(), Overwrite::Refuse).unwrap_err();
        assert_eq!(code(&refused), "TK-STORE-NEWER", "{refused}");
    };
    check(|folder| folder.path().join("exchange.db"), 1, "exchange");
    check(Folder::database, 2, "project");
}

#[test]
fn a_running_program_notices_a_newer_one() {
    let (store, log, folder) = with_project();
    drop(now(store.open(log.head.project)).unwrap());
    folder.raw().pragma_update(None, "user_version", 99).unwrap();

    let fault = now(store.open(log.head.project)).map(drop).unwrap_err();
    assert_eq!(fault.kind, FaultKind::NewerStore, "{fault}");
}

#[test]
fn a_database_of_another_kind_is_not_opened() {
    let (store, log, folder) = with_project();
    drop(store);
    std::fs::copy(folder.path().join("exchange.db"), folder.database()).unwrap();

    let fault = now(open(folder.path()).head(log.head.project)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt, "{fault}");
}

#[test]
fn a_foreign_database_is_left_as_it_is() {
    let (store, log, folder) = with_project();
    drop(store);
    std::fs::remove_file(folder.database()).unwrap();
    folder.raw().execute_batch("CREATE TABLE song (title TEXT)").unwrap();

    let fault = now(open(folder.path()).head(log.head.project)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt, "{fault}");
    assert_eq!(schema(&folder.raw()), "CREATE TABLE song (title TEXT);\n\n");
}

#[test]
fn a_project_in_the_directory_of_another_is_not_opened() {
    let (store, log, folder) = with_project();
    drop(store);
    let other = samples::project("other");
    let from = folder.database().parent().unwrap().to_owned();
    std::fs::rename(&from, from.with_file_name(other.to_string())).unwrap();

    let store = open(folder.path());
    assert_eq!(now(store.head(log.head.project)), Ok(None));
    let fault = now(store.head(other)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt, "{fault}");
}
