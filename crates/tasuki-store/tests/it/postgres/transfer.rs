//! Moves from SQLite to PostgreSQL and back.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};

use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{PartyKind, Principal};
use tasuki_engine::ports::{Snapshots as _, Store as _};
use tasuki_engine::steps::AddParty;
use tasuki_store::{Location, Options, PostgresStore, StoreUrl};
use tasuki_testkit::samples::{self, Log};
use tasuki_testkit::sim::Plan;

use super::fixture::{Schema, sql};
use crate::fixture::block_on;
use crate::fixture::{Folder, code, open};
use crate::flip_matrix::problems;
use crate::transfer::{busy, differences, directory, export, filled, import, projects, rows};

/// Seeds of the simulation whose stores are moved.
const SEEDS: u64 = 4;

fn location(schema: &Schema) -> Location {
    Location::Postgres(Box::new(StoreUrl::parse(&schema.url()).unwrap()))
}

#[test]
fn every_table_and_column_is_moved_or_left_out_on_purpose() {
    let schema = Schema::new();
    drop(schema.open());
    let mut columns = sql(&schema, async |client| {
        let text = "SELECT table_name::text, column_name::text FROM information_schema.columns
                     WHERE table_schema = current_schema()";
        let rows = client.query(text, &[]).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect::<BTreeSet<(String, String)>>()
    });
    // The column that leads every table of projects.
    columns.retain(|(table, column)| column != "project" || table == "mail_code");
    assert_eq!(differences(&columns), []);
}

#[test]
fn every_row_goes_there_and_comes_back() {
    let (from, project) = filled();
    let schema = Schema::new();
    let there = import(&location(&schema), &export(&directory(&from)).unwrap()).unwrap();
    let into = Folder::in_memory();
    let back = import(&directory(&into), &export(&location(&schema)).unwrap()).unwrap();
    assert_eq!(there.projects, back.projects);
    assert_eq!(there.rows, back.rows);
    assert_eq!(rows(from.path(), &[project]), rows(into.path(), &[project]));
    assert_eq!(problems(into.path(), project), Vec::<String>::new());

    let (store, from, into) = (schema.open(), open(from.path()), open(into.path()));
    let snapshots = from.snapshots(project, "build/42").unwrap();
    assert_eq!(store.snapshots(project, "build/42").unwrap(), snapshots);
    assert_eq!(into.snapshots(project, "build/42").unwrap(), snapshots);
    let bundle = from.bundle(project, "build/42", 2).unwrap();
    assert_eq!(store.bundle(project, "build/42", 2).unwrap(), bundle);
    assert_eq!(into.bundle(project, "build/42", 2).unwrap(), bundle);
    let found = block_on(store.search(project, "ship".to_owned(), None, 10)).unwrap();
    assert_eq!(found.len(), 3);
}

#[test]
fn stores_of_the_simulation_go_there_and_come_back() {
    for seed in 0..SEEDS {
        let (from, schema, into) = (Folder::in_memory(), Schema::new(), Folder::in_memory());
        Plan::of(seed).run_on(&from).unwrap();
        import(&location(&schema), &export(&directory(&from)).unwrap()).unwrap();
        import(&directory(&into), &export(&location(&schema)).unwrap()).unwrap();
        let projects = projects(&open(from.path()));
        assert_eq!(rows(from.path(), &projects), rows(into.path(), &projects), "seed {seed}");
    }
}

#[test]
fn work_goes_on_after_a_move() {
    let (from, project) = filled();
    let schema = Schema::new();
    let moved = import(&location(&schema), &export(&directory(&from)).unwrap()).unwrap();
    let store = std::sync::Arc::new(schema.open());
    let clock = store.database_clock();
    let engine =
        Engine::start(store.clone(), clock, std::sync::Arc::new(tasuki_engine::ports::System));
    let party =
        AddParty { name: "new".to_owned(), kind: Some(PartyKind::Agent), ..AddParty::default() };
    let call = Call {
        project,
        principal: Principal::system(),
        command: Command::AddParty(party),
        key: None,
    };
    block_on(engine.run(call)).unwrap();
    let head = block_on(store.head(project)).unwrap().unwrap();
    assert_eq!(head.leaves, moved.projects[0].leaves + 1);
    engine.close();
}

/// A reader that fails after a number of bytes.
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
    let from = busy(&["a"], 2_500);
    let file = export(&directory(&from)).unwrap();
    let schema = Schema::new();
    // A server that was started before the import.
    let early = schema.open();
    for end in (1..5).map(|fifth| file.len() * fifth / 5) {
        let mut reader = BufReader::new(Failing(&file[..end]));
        let failed = tasuki_store::transfer::import(&location(&schema), &mut reader, &mut |_| ());
        assert_eq!(code(&failed.unwrap_err()), "TK-STORE-IO");
        let url = StoreUrl::parse(&schema.url()).unwrap();
        let fault = PostgresStore::open(url, Options::default()).unwrap_err();
        assert!(fault.message.contains("is not finished"), "{fault}");
        let new = Log::new(samples::project("new"));
        let fault = block_on(early.create(new.head, "new".to_owned())).unwrap_err();
        assert!(fault.message.contains("is not finished"), "{fault}");
    }
    let report = import(&location(&schema), &file).unwrap();
    assert!(report.resumed_after.is_some_and(|line| line > 4_000), "{report:?}");
    assert_eq!(block_on(early.projects()).unwrap().len(), 1);

    let into = Folder::in_memory();
    import(&directory(&into), &export(&location(&schema)).unwrap()).unwrap();
    let projects = projects(&open(from.path()));
    assert_eq!(rows(from.path(), &projects), rows(into.path(), &projects));
    assert_eq!(code(&import(&location(&schema), &file).unwrap_err()), "TK-STORE-TAKEN");
}
