//! The schema, how it comes about, and databases that this program should leave alone.

use std::path::Path;

use rusqlite::{Connection, params};
use tasuki_engine::document::{Document, DocumentKind};
use tasuki_engine::error::FaultKind;
use tasuki_engine::handoff::{Handoff, StateWord};
use tasuki_engine::store::{Query, Store as _, Stored};
use tasuki_packet::leaf::EventType;
use tasuki_store::sql::{MIGRATIONS, VERSION};
use tasuki_store::{Options, Overwrite, SqliteStore};
use tasuki_testkit::samples;

use crate::folder::{Folder, code, commit, now, open, restore, with_project};

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All tables and indexes of a database, in the order in which they were made.
fn schema(connection: &Connection) -> String {
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let texts = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let texts: Vec<String> = texts.map(Result::unwrap).collect();
    format!("{};\n\n", texts.join(";\n\n"))
}

#[test]
fn the_schema_is_the_one_that_is_written_down() {
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

/// As the program before the tenth migration left it.
const BEFORE_JUDGE: &str = "\
    DROP INDEX handoff_judge;
    ALTER TABLE handoff DROP COLUMN judge;
    DELETE FROM migration WHERE number >= 10;
    PRAGMA user_version = 9;";

/// As the program before the eighth migration left it, after [`BEFORE_JUDGE`].
const BEFORE_BACK_LINKS: &str = "\
    DROP INDEX handoff_awaits;
    ALTER TABLE handoff DROP COLUMN awaits_sender;
    CREATE INDEX leaf_handoff ON leaf (handoff, n) WHERE handoff IS NOT NULL;
    ALTER TABLE leaf DROP COLUMN previous;
    ALTER TABLE handoff DROP COLUMN last_n;
    DELETE FROM migration WHERE number >= 8;
    PRAGMA user_version = 7;";

/// As the program before the twelfth migration left it: a row for each leaf and each document.
fn unbind(folder: &Folder, store: SqliteStore, handoffs: &[Handoff]) {
    let project = samples::project("default");
    let leaves = now(store.leaves(project, 0, 99)).unwrap();
    let documents = |handoff: &Handoff| now(store.documents(project, handoff.id, None)).unwrap();
    let documents: Vec<Stored> = handoffs.iter().flat_map(documents).collect();
    drop(store);
    let raw = folder.raw();
    raw.execute_batch(BEFORE_SHEAVES).unwrap();
    let number = u64::cast_signed;
    for leaf in leaves {
        let handoff = leaf.handoff.map(|id| id.to_string());
        let (at, previous) = (leaf.at.as_microsecond(), leaf.previous.map(number));
        let n = number(leaf.n);
        let row = params![n, at, leaf.kind.name(), handoff, leaf.leaf, leaf.detail, previous];
        raw.execute("INSERT INTO leaf VALUES ($1, $2, $3, $4, $5, $6, $7)", row).unwrap();
    }
    for Stored { n, document: Document { handoff, kind, id, sealed } } in documents {
        let n = number(n);
        let key = params![n << 8, handoff.to_string(), n, kind.as_str(), id];
        let commitment = sealed.commitment.as_bytes();
        let rest = params![sealed.body, sealed.source, sealed.salt, commitment, sealed.digest];
        let insert = "INSERT INTO document VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        raw.execute(insert, [key, rest].concat().as_slice()).unwrap();
    }
}

const BEFORE_SHEAVES: &str = "\
    DROP TABLE sheaf;
    CREATE TABLE document (
      seq INTEGER NOT NULL PRIMARY KEY, handoff TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL,
      id TEXT NOT NULL, body TEXT NOT NULL, source BLOB, salt BLOB NOT NULL,
      commitment BLOB NOT NULL, digest TEXT NOT NULL
    ) STRICT;
    CREATE TABLE leaf (
      n INTEGER NOT NULL PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, handoff TEXT,
      leaf TEXT NOT NULL, detail TEXT NOT NULL, previous INTEGER
    ) STRICT;
    DELETE FROM migration WHERE number >= 12;
    PRAGMA user_version = 11;";

#[test]
fn what_was_a_row_each_is_found_in_sheaves() {
    let (store, mut log, folder) = with_project();
    let project = log.head.project;
    let handoffs = [1, 2, 3].map(|number| samples::handoff_numbered(number, StateWord::Offered));
    for (handoff, length) in handoffs.iter().zip([5, 50_000, 70_000]) {
        let mut written = log.submitted(handoff.clone());
        let packet = samples::packet(&"long".repeat(length));
        let document = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
        written.documents.push((log.head.leaves - 1, document));
        commit(&store, &log, written).unwrap();
    }
    let written = log.changed(handoffs[0].clone(), EventType::Declined);
    commit(&store, &log, written).unwrap();
    let all = |store: &SqliteStore| {
        let of = |one: &Handoff| now(store.documents(project, one.id, None)).unwrap();
        (now(store.leaves(project, 0, 99)).unwrap(), handoffs.each_ref().map(of))
    };
    let expected = all(&store);
    assert_eq!((expected.0.len(), expected.1.each_ref().map(Vec::len)), (4, [1, 1, 1]));
    unbind(&folder, store, &handoffs);

    let store = open(folder.path());
    assert_eq!(all(&store), expected);
    drop(store);
    assert!(!schema(&folder.raw()).contains("CREATE TABLE leaf"));
}

#[test]
fn a_leaf_that_cannot_be_moved_is_named_and_nothing_is_changed() {
    let (store, mut log, folder) = with_project();
    let handoff = samples::handoff(StateWord::Offered);
    let written = log.submitted(handoff.clone());
    commit(&store, &log, written).unwrap();
    unbind(&folder, store, &[handoff]);
    folder.raw().execute_batch("UPDATE leaf SET handoff = 'hof_'").unwrap();
    let before = schema(&folder.raw());

    let fault = now(open(folder.path()).head(log.head.project)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt);
    assert!(fault.message.contains("table `leaf`, row `0`: column `handoff`"), "{fault}");
    assert_eq!(schema(&folder.raw()), before);
}

/// Programs before the eleventh migration knew no shorthand.
fn write_in_full(folder: &Folder, handoffs: &[Handoff]) {
    for handoff in handoffs {
        let progress = serde_json::to_string(&handoff.progress).unwrap();
        let update = "UPDATE handoff SET progress = $1 WHERE id = $2";
        assert_eq!(folder.raw().execute(update, [progress, handoff.id.to_string()]), Ok(1));
    }
}

#[test]
fn what_was_written_before_it_was_found_by_links_and_senders_is_found_by_them() {
    let (store, mut log, folder) = with_project();
    let project = log.head.project;
    let handoffs = [1, 2].map(|number| samples::handoff_numbered(number, StateWord::Offered));
    for handoff in &handoffs {
        let written = log.submitted(handoff.clone());
        commit(&store, &log, written).unwrap();
    }
    for (number, state) in [(3, StateWord::Returned), (4, StateWord::Done), (5, StateWord::Offered)]
    {
        let written = log.submitted(samples::handoff_numbered(number, state));
        commit(&store, &log, written).unwrap();
    }
    for kind in [EventType::Revised, EventType::Declined] {
        for handoff in &handoffs {
            let written = log.changed(handoff.clone(), kind);
            commit(&store, &log, written).unwrap();
        }
    }
    let leaves = |store: &SqliteStore| {
        handoffs.clone().map(|handoff| now(store.leaves_of(project, handoff.id)).unwrap())
    };
    let awaiting = |store: &SqliteStore| {
        let query = Query { awaits_sender: true, limit: 9, ..Query::default() };
        now(store.handoffs(project, query)).unwrap()
    };
    let (expected, mut expected_awaiting) = (leaves(&store), awaiting(&store));
    assert_eq!(expected_awaiting.len(), 4, "one was returned, three have a question open");
    let damaged = samples::handoff_id(5);
    expected_awaiting.retain(|handoff| handoff.id != damaged);
    assert_eq!(expected.each_ref().map(Vec::len), [3, 3]);
    let all = now(store.handoffs(project, Query { limit: 9, ..Query::default() })).unwrap();
    unbind(&folder, store, &all);
    write_in_full(&folder, &all);
    folder.raw().execute_batch(BEFORE_JUDGE).unwrap();
    folder.raw().execute_batch(BEFORE_BACK_LINKS).unwrap();
    let damage = format!("UPDATE handoff SET progress = '{{' WHERE id = '{damaged}'");
    assert_eq!(folder.raw().execute(&damage, []), Ok(1));

    let store = open(folder.path());
    assert_eq!(leaves(&store), expected);
    let found = now(store.handoff(project, handoffs[0].id)).unwrap().unwrap();
    assert_eq!(Some(found.progress.last_n), expected[0].last().map(|leaf| leaf.n));
    assert_eq!(awaiting(&store), expected_awaiting);
    // One damaged row does not keep the others from being read.
    assert_eq!(now(store.handoff(project, damaged)).unwrap_err().kind, FaultKind::Corrupt);
}

#[test]
fn what_was_written_before_it_was_found_by_its_judge_is_found_by_them() {
    let (store, mut log, folder) = with_project();
    let project = log.head.project;
    let words = [StateWord::Returned, StateWord::Returned, StateWord::Returned, StateWord::Done];
    for (number, word) in (1..).zip(words) {
        let mut handoff = samples::handoff_numbered(number, word);
        handoff.progress.judge = handoff.progress.judge.filter(|_| number != 2);
        let written = log.submitted(handoff);
        commit(&store, &log, written).unwrap();
    }
    let judged = |store: &SqliteStore| {
        let query = Query { judges: vec![samples::party("judge")], limit: 9, ..Query::default() };
        now(store.handoffs(project, query)).unwrap()
    };
    let mut expected = judged(&store);
    assert_eq!(expected.len(), 2, "one is for its sender, one is done");
    let damaged = samples::handoff_id(3);
    expected.retain(|handoff| handoff.id != damaged);
    let all = now(store.handoffs(project, Query { limit: 9, ..Query::default() })).unwrap();
    unbind(&folder, store, &all);
    write_in_full(&folder, &all);
    folder.raw().execute_batch(BEFORE_JUDGE).unwrap();
    let damage = format!("UPDATE handoff SET progress = '{{' WHERE id = '{damaged}'");
    assert_eq!(folder.raw().execute(&damage, []), Ok(1));

    let store = open(folder.path());
    assert_eq!(judged(&store), expected);
    // One damaged row does not keep the others from being read.
    for number in [1, 2, 4] {
        assert!(now(store.handoff(project, samples::handoff_id(number))).unwrap().is_some());
    }
    assert_eq!(now(store.handoff(project, damaged)).unwrap_err().kind, FaultKind::Corrupt);
}

#[test]
fn a_newer_store_is_left_alone_and_both_versions_are_named() {
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
fn a_migration_that_was_changed_after_it_was_applied_is_noticed() {
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
            "/{}`: migration {number}, `{name}`, was another one when it was applied",
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
    check(Folder::database, 3, "search");
}

#[test]
fn a_program_that_runs_notices_a_newer_one() {
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
fn somebody_elses_database_is_left_as_it_is() {
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
