//! Moves between stores: every row arrives, an interrupted import continues, and a bad file is refused.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;
use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::types::Value;
use tasuki_engine::engine::Engine;
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::model::{PartyKind, Settings};
use tasuki_engine::ports::{SnapshotRecord, Snapshots as _, Store as _, System};
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::ProjectId;
use tasuki_store::transfer::{self, ImportReport, LEFT_OUT, Origin, TABLES, check_file};
use tasuki_store::{Location, Options, SqliteStore};
use tasuki_testkit::samples::{self, Log};
use tasuki_testkit::sim::Plan;

use crate::fixture::{Folder, code, database_in, fresh, now, open};
use crate::flip_matrix::{Exchange, fill, problems, wait};

/// Seeds of the simulation whose stores are moved.
const SEEDS: u64 = 4;

/// A row: its table, and the names and values of its columns.
pub(crate) type Row = (String, Vec<(String, Value)>);

pub(crate) fn directory(folder: &Folder) -> Location {
    Location::Directory(folder.path().to_owned())
}

pub(crate) fn export(from: &Location) -> Result<Vec<u8>, Fault> {
    let mut file = Vec::new();
    let origin = Origin { program: "1.2.3".to_owned(), at: Timestamp::now() };
    transfer::export(from, &origin, &mut file, "file", &mut |_| ())?;
    Ok(file)
}

pub(crate) fn import(into: &Location, file: &[u8]) -> Result<ImportReport, Error> {
    transfer::import(into, &mut Cursor::new(file), &mut |_| ())
}

/// Creates a store with a row in every table, and two snapshots of a work tree.
pub(crate) fn filled() -> (Folder, ProjectId) {
    let folder = Folder::in_memory();
    let store = Arc::new(open(folder.path()));
    let project = fill(&store);
    for content in [1, 2] {
        let bundle = vec![content; 5_000];
        let snapshot = SnapshotRecord {
            number: 0,
            by: samples::party("receiver"),
            at: samples::at(i64::from(content)),
            commit: "1".repeat(40),
            digest: digest_of_bytes(&bundle),
            bytes: 5_000,
        };
        store.add_snapshot(project, "build/42", snapshot, &bundle).unwrap();
    }
    (folder, project)
}

/// Creates a store with projects of many handoffs.
pub(crate) fn busy(names: &[&str], handoffs: usize) -> Folder {
    let folder = Folder::in_memory();
    let store = Arc::new(open(folder.path()));
    let engine = Engine::start(store, Arc::new(System), Arc::new(System));
    for name in names {
        let project = wait(engine.create_project(name, Settings::default())).unwrap();
        let exchange = Exchange { engine: engine.clone(), project };
        let [ana, _] = ["ana", "ben"].map(|name| exchange.party(name, PartyKind::Agent));
        let tasks: Vec<String> = (0..handoffs).map(|number| format!("task-{number}")).collect();
        for some in tasks.chunks(100) {
            let calls = some.iter().map(|task| exchange.submission(&ana, task, false));
            let all = wait(join_all(calls.map(|call| engine.run(call))));
            assert!(all.iter().all(Result::is_ok));
        }
    }
    engine.close();
    folder
}

/// Returns the rows of a store on SQLite, read past the store, without what a move leaves out.
pub(crate) fn rows(folder: &Path, projects: &[ProjectId]) -> Vec<Row> {
    let databases = projects.iter().map(|project| database_in(folder, *project));
    let databases: Vec<_> = databases.chain([folder.join("exchange.db")]).collect();
    databases.iter().flat_map(|path| rows_of(&Connection::open(path).unwrap())).collect()
}

fn rows_of(connection: &Connection) -> Vec<Row> {
    let mut all = Vec::new();
    for table in tables(connection) {
        let is_left_out = |column: &str| {
            LEFT_OUT.iter().any(|(name, left)| *name == table && (*left == "*" || *left == column))
        };
        if is_left_out("*") {
            continue;
        }
        let mut select = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = columns.iter().filter(|name| !is_left_out(name));
            let values: Vec<_> =
                values.map(|name| (name.clone(), row.get(name.as_str()).unwrap())).collect();
            all.push((table.clone(), values));
        }
    }
    all.sort_by_key(|row| format!("{row:?}"));
    all
}

/// Lists the tables of a database, without those of SQLite and the parts of the full-text index.
fn tables(connection: &Connection) -> Vec<String> {
    let text = "SELECT name FROM sqlite_schema WHERE type = 'table'
                   AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'search\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(text).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

pub(crate) fn projects(store: &SqliteStore) -> Vec<ProjectId> {
    now(store.projects()).unwrap().into_iter().map(|(_, id)| id).collect()
}

/// Returns the columns of a store that a move neither takes along nor leaves out, and those that it takes
/// along although they do not exist.
pub(crate) fn differences(columns: &BTreeSet<(String, String)>) -> Vec<(String, String)> {
    let pair = |table: &str, column: &str| (table.to_owned(), column.to_owned());
    let moved: BTreeSet<_> = TABLES
        .iter()
        .flat_map(|table| table.columns.iter().map(|column| pair(table.name, column.name)))
        .collect();
    let is_left_out = |(table, column): &(String, String)| {
        LEFT_OUT.iter().any(|(name, left)| name == table && (*left == "*" || left == column))
    };
    let expected = columns.iter().filter(|one| !is_left_out(one)).cloned().collect();
    moved.symmetric_difference(&expected).cloned().collect()
}

#[test]
fn every_table_and_column_is_moved_or_left_out_on_purpose() {
    let (folder, project) = filled();
    let mut columns = BTreeSet::new();
    for path in [database_in(folder.path(), project), folder.path().join("exchange.db")] {
        let connection = Connection::open(path).unwrap();
        for table in tables(&connection) {
            let select = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
            columns.extend(select.column_names().map(|name| (table.clone(), name.to_owned())));
        }
    }
    // Checksums are computed again; a head names its project; snapshots are files.
    columns.retain(|(_, column)| column != "checksum" && column != "only_row");
    columns.remove(&("head".to_owned(), "project".to_owned()));
    let snapshot = TABLES.iter().find(|table| table.name == "snapshot").unwrap();
    columns.extend(
        snapshot.columns.iter().map(|column| ("snapshot".to_owned(), column.name.to_owned())),
    );
    assert_eq!(differences(&columns), []);
}

#[test]
fn every_row_arrives() {
    let (from, project) = filled();
    let file = export(&directory(&from)).unwrap();
    let into = Folder::in_memory();
    let report = import(&directory(&into), &file).unwrap();
    assert_eq!(report.projects.len(), 1);
    let (before, after) = (rows(from.path(), &[project]), rows(into.path(), &[project]));
    assert!(before.len() > 30, "{}", before.len());
    assert_eq!(before, after);
    assert_eq!(problems(into.path(), project), Vec::<String>::new());
    let (from, into) = (open(from.path()), open(into.path()));
    let head = now(into.head(project)).unwrap().unwrap();
    assert_eq!((head.leaves, head.last_hash), (report.projects[0].leaves, report.projects[0].hash));
    let snapshots = from.snapshots(project, "build/42").unwrap();
    assert_eq!(snapshots.len(), 2);
    assert_eq!(into.snapshots(project, "build/42").unwrap(), snapshots);
    assert_eq!(
        into.bundle(project, "build/42", 1).unwrap(),
        from.bundle(project, "build/42", 1).unwrap()
    );
    assert_eq!(now(into.search(project, "ship".to_owned(), None, 10)).unwrap().len(), 3);
}

#[test]
fn stores_of_the_simulation_arrive() {
    for seed in 0..SEEDS {
        let from = Folder::in_memory();
        Plan::of(seed).run_on(&from).unwrap();
        let into = Folder::in_memory();
        import(&directory(&into), &export(&directory(&from)).unwrap()).unwrap();
        let projects = projects(&open(from.path()));
        assert!(!projects.is_empty());
        assert_eq!(rows(from.path(), &projects), rows(into.path(), &projects), "seed {seed}");
    }
}

#[test]
fn an_exchange_without_projects_can_be_moved() {
    let (from, into) = (Folder::in_memory(), Folder::in_memory());
    drop(open(from.path()));
    let file = export(&directory(&from)).unwrap();
    assert_eq!(import(&directory(&into), &file).unwrap().projects, []);
    assert_eq!(projects(&open(into.path())), []);
}

/// A reader that fails after a number of bytes, as a disk does.
struct Failing<'f>(&'f [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0.is_empty() {
            return Err(std::io::Error::other("the disk is gone"));
        }
        self.0.read(buffer)
    }
}

#[test]
fn an_interrupted_import_continues_and_nothing_can_use_its_store() {
    let from = busy(&["a", "b", "c"], 1_500);
    let expected = rows(from.path(), &projects(&open(from.path())));
    let file = export(&directory(&from)).unwrap();
    let (mut resumed, into) = (BTreeSet::new(), Folder::in_memory());
    let location = directory(&into);
    for end in (1..10).map(|tenth| file.len() * tenth / 10) {
        let mut reader = BufReader::new(Failing(&file[..end]));
        let failed = transfer::import(&location, &mut reader, &mut |_| ()).unwrap_err();
        assert_eq!(code(&failed), "TK-STORE-IO", "{failed}");
        let fault = SqliteStore::open(into.path(), Options::default()).unwrap_err();
        assert_eq!(fault.code(), "TK-STORE-UNAVAILABLE");
        assert!(fault.message.contains("is not finished"), "{fault}");
        let marker = Connection::open(into.path().join("exchange.db")).unwrap();
        let line: i64 = marker.query_row("SELECT line FROM import", [], |row| row.get(0)).unwrap();
        resumed.insert(line);
        let other = import(&location, &export(&directory(&from)).unwrap()).unwrap_err();
        assert_eq!(code(&other), "TK-STORE-TAKEN", "{other}");
    }
    assert!(resumed.len() > 3, "pages are committed one by one: {resumed:?}");
    let report = import(&location, &file).unwrap();
    assert_eq!(report.resumed_after, resumed.last().map(|line| line.unsigned_abs()));
    assert_eq!(rows(into.path(), &projects(&open(into.path()))), expected);
}

#[test]
fn a_page_that_was_stored_before_the_marker_moved_is_written_again() {
    let (from, project) = filled();
    let file = export(&directory(&from)).unwrap();
    let into = Folder::in_memory();
    import(&directory(&into), &file).unwrap();
    // As after `kill -9` between the commits of the project and of the marker.
    let first_line = file.split(|byte| *byte == b'\n').next().unwrap();
    let exchange = Connection::open(into.path().join("exchange.db")).unwrap();
    tasuki_store::sqlite::checksum::register(&exchange).unwrap();
    exchange
        .execute_batch("DELETE FROM project; DELETE FROM person; DELETE FROM mail_code;")
        .unwrap();
    let text = "INSERT INTO import VALUES (1, $1, 0, row_checksum($1, 0))";
    exchange.execute(text, [digest_of_bytes(first_line)]).unwrap();
    import(&directory(&into), &file).unwrap();
    assert_eq!(rows(from.path(), &[project]), rows(into.path(), &[project]));
}

#[test]
fn a_store_that_is_not_empty_is_refused() {
    let (from, _) = filled();
    let file = export(&directory(&from)).unwrap();
    let refused = import(&directory(&from), &file).unwrap_err();
    assert_eq!(code(&refused), "TK-STORE-TAKEN");
    assert_eq!(refused.to_string(), "the store is not empty");

    // A project that is only on disk is found as well.
    let (store, folder) = fresh();
    let log = Log::new(samples::project("lost"));
    now(store.create(log.head, "lost".to_owned())).unwrap();
    drop(store);
    std::fs::remove_file(folder.path().join("exchange.db")).unwrap();
    assert_eq!(code(&import(&directory(&folder), &file).unwrap_err()), "TK-STORE-TAKEN");
}

/// Returns the error of a check of a file and of its import, which must be the same.
fn refused(file: &[u8]) -> String {
    let into = Folder::in_memory();
    let imported = import(&directory(&into), file).unwrap_err();
    let checked = check_file(&mut Cursor::new(file), &mut |_| ()).unwrap_err();
    assert_eq!(imported.to_string(), checked.to_string());
    let opened = SqliteStore::open(into.path(), Options::default());
    let is_unusable = opened.is_err() || projects(&opened.unwrap()).is_empty();
    assert!(is_unusable, "{imported}");
    format!("{} {imported}", code(&imported))
}

#[test]
fn a_changed_line_is_named_by_its_number() {
    let (from, _) = filled();
    let file = export(&directory(&from)).unwrap();
    let lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        let start: usize = lines[..index].iter().map(|line| line.len()).sum();
        for at in [2, line.len() / 2, line.len() - 4] {
            let mut changed = file.clone();
            changed[start + at] ^= 1;
            let said = refused(&changed);
            let is_named = said.contains(&format!("line {}", index + 1));
            assert!(is_named || (index == 0 && said.contains("is not an export")), "{said}");
        }
        // Without the line, the next one does not fit; the last one is missed at the end.
        let without: Vec<u8> = [&lines[..index], &lines[index + 1..]].concat().concat();
        let said = refused(&without);
        let is_named = said.contains(&format!("line {}", index + 1));
        let is_cut = index + 1 == lines.len() && said.contains("truncated");
        assert!(index == 0 || is_named || is_cut, "{said}");
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let (from, _) = filled();
    let file = export(&directory(&from)).unwrap();
    for end in [1, 40, file.len() / 2, file.len() - 1] {
        let said = refused(&file[..end]);
        assert!(said.contains("truncated") || said.contains("not an export"), "{said}");
    }
    let said = refused(b"");
    assert_eq!(said, "TK-IMPORT-INVALID the file is empty");
    let said = refused(&[&file[..], b"\n"].concat());
    assert!(said.contains("goes on after its last line"), "{said}");
}

#[test]
fn a_file_of_another_kind_or_a_newer_program_is_refused() {
    for other in [&b"hello\n"[..], b"{\"a\":1}\n", &vec![0; 100_000]] {
        assert_eq!(refused(other), "TK-IMPORT-INVALID the file is not an export");
    }
    let newer = b"{\"tasuki_export\":2,\"anything\":[1,2]}\n";
    let said = refused(newer);
    assert_eq!(said, "TK-STORE-NEWER the file has format version 2; this program reads up to 1");
}

#[test]
fn a_damaged_row_is_not_exported() {
    let (folder, project) = filled();
    let connection = Connection::open(database_in(folder.path(), project)).unwrap();
    connection.execute_batch("UPDATE directory SET body = body || ' ' WHERE seq = 2").unwrap();
    let fault = export(&directory(&folder)).unwrap_err();
    assert_eq!(fault.code(), "TK-STORE-CORRUPT");
    assert!(fault.message.contains("table `directory`, row `2`"), "{fault}");
}

/// Returns a file whose lines have the right checks again.
fn with_checks(lines: impl Iterator<Item = String>) -> Vec<u8> {
    use sha2::{Digest as _, Sha256};
    let hex = |digest: &[u8]| {
        digest
            .iter()
            .flat_map(|byte| format!("{byte:02x}").into_bytes())
            .map(char::from)
            .collect::<String>()
    };
    let mut file = Vec::new();
    for line in lines {
        let (content, _) = line.rsplit_once(",\"check\":").unwrap();
        let content = match content.split_once("\"sha256\":\"") {
            Some((before, _)) => {
                format!("{before}\"sha256\":\"{}\"}}", hex(&Sha256::digest(&file)))
            }
            None => content.to_owned(),
        };
        file.extend_from_slice(content.as_bytes());
        let check = hex(&Sha256::digest(&file)[..8]);
        file.extend_from_slice(format!(",\"check\":\"{check}\"}}\n").as_bytes());
    }
    file
}

#[test]
fn a_forged_log_is_found_before_the_store_can_be_used() {
    let (from, _) = filled();
    let file = String::from_utf8(export(&directory(&from)).unwrap()).unwrap();
    let same = with_checks(file.lines().map(str::to_owned));
    assert_eq!(same, file.as_bytes(), "this test writes what an export writes");
    let forged = with_checks(file.lines().map(|line| {
        if line.starts_with("{\"table\":\"document\"") {
            line.replace("Ship", "Sink")
        } else {
            line.to_owned()
        }
    }));
    let into = Folder::in_memory();
    let refused = import(&directory(&into), &forged).unwrap_err();
    assert_eq!(code(&refused), "TK-IMPORT-INVALID");
    assert!(refused.to_string().contains("the log of project `default` is damaged"), "{refused}");
    SqliteStore::open(into.path(), Options::default()).unwrap_err();

    let invalid = with_checks(file.lines().map(|line| line.replace("[\"default\",", "[null,")));
    let refused = import(&directory(&Folder::in_memory()), &invalid).unwrap_err();
    assert_eq!(code(&refused), "TK-IMPORT-INVALID", "{refused}");
    assert!(refused.to_string().contains("cannot be stored"), "{refused}");
}

#[test]
fn a_file_has_the_digest_of_its_lines() {
    let (from, _) = filled();
    let file = export(&directory(&from)).unwrap();
    let last = BufRead::lines(&file[..]).last().unwrap().unwrap();
    let before = &file[..file.len() - last.len() - 1];
    let last: serde_json::Value = serde_json::from_str(&last).unwrap();
    let digest = format!("sha256:{}", last["end"]["sha256"].as_str().unwrap());
    assert_eq!(digest, digest_of_bytes(before));
    assert_eq!(last["end"]["rows"]["project"], 1);
}
