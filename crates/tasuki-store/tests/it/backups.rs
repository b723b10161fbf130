//! Backup during writes, and restore.

use std::sync::atomic::{AtomicBool, Ordering};

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Store as _;
use tasuki_packet::leaf::check_chain;
use tasuki_store::{Depth, Options, Overwrite, Restore, SqliteStore};
use tasuki_testkit::samples::{self, Log};

use crate::fixture::{Folder, code, commit, database_in, now, open, restore, with_project};

fn submit(store: &SqliteStore, log: &mut Log, number: u32) {
    let written = log.submitted(samples::handoff_numbered(number, StateWord::Offered));
    commit(store, log, written).unwrap();
}

/// Checks that a project is intact. Returns the number of its leaves.
fn intact(store: &SqliteStore, log: &Log) -> u64 {
    let project = log.head.project;
    let head = now(store.head(project)).unwrap().unwrap();
    let leaves = now(store.leaves(project, 0, 10_000)).unwrap();
    let chained = check_chain(leaves.iter().map(|leaf| leaf.leaf.as_bytes()));
    assert_eq!(chained, Ok(head.last_hash));
    assert_eq!(leaves.len() as u64, head.leaves);
    assert_eq!(now(store.counts(project)).unwrap().submitted, head.leaves);
    assert_eq!(store.inspect(project, Depth::Full, &|_| None), Ok(Vec::new()));
    head.leaves
}

#[test]
fn a_backup_during_writes_is_the_state_of_one_moment() {
    let (store, mut log, _folder) = with_project();
    let copies = Folder::new();
    for number in 1..=20 {
        submit(&store, &mut log, number);
    }
    let (project, is_over) = (log.head.project, AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 21.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                submit(&store, &mut log, number);
            }
        });
        for number in 0..5 {
            store.backup(None, &copies.path().join(format!("all-{number}"))).unwrap();
            store.backup(Some(project), &copies.path().join(format!("one-{number}"))).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });

    let mut counts = Vec::new();
    for number in 0..5 {
        let from = copies.path().join(format!("all-{number}"));
        let into = Folder::new();
        restore(&from, into.path(), Overwrite::Refuse).unwrap();
        counts.push(intact(&open(into.path()), &log));
        let from = copies.path().join(format!("one-{number}"));
        let into = Folder::new();
        restore(&from, into.path(), Overwrite::Refuse).unwrap();
        let store = open(into.path());
        assert_eq!(now(store.projects()).unwrap(), [("default".to_owned(), project)]);
        counts.push(intact(&store, &log));
    }
    assert!(counts[0] >= 20 && counts.is_sorted(), "{counts:?}");
}

#[test]
fn nothing_is_overwritten_without_force() {
    let (store, mut log, folder) = with_project();
    let copies = Folder::new();
    let (all, one) = (copies.path().join("all"), copies.path().join("one"));
    submit(&store, &mut log, 1);
    store.backup(None, &all).unwrap();
    store.backup(Some(log.head.project), &one).unwrap();
    for (project, to) in [(None, &all), (Some(log.head.project), &one)] {
        assert_eq!(code(&store.backup(project, to).unwrap_err()), "TK-STORE-TAKEN");
    }
    submit(&store, &mut log, 2);

    for from in [&all, &one] {
        let taken = restore(from, folder.path(), Overwrite::Refuse).unwrap_err();
        assert_eq!(code(&taken), "TK-STORE-TAKEN", "{taken}");
        let fault = restore(from, folder.path(), Overwrite::Replace).unwrap_err();
        assert_eq!(code(&fault), "TK-STORE-BUSY", "{fault}");
        assert_eq!(intact(&store, &log), 2);
    }
    drop(store);
    for from in [&all, &one] {
        restore(from, folder.path(), Overwrite::Replace).unwrap();
        let store = open(folder.path());
        assert_eq!(intact(&store, &log), 1);
        let mut log = Log::new(log.head.project);
        log.head = now(store.head(log.head.project)).unwrap().unwrap();
        submit(&store, &mut log, 3);
    }
}

#[test]
fn bare_names_are_in_the_current_folder() {
    let (store, mut log, _folder) = with_project();
    submit(&store, &mut log, 1);
    let here = Folder::new();
    // All other tests use absolute paths.
    std::env::set_current_dir(here.path()).unwrap();
    store.backup(None, "all".as_ref()).unwrap();
    store.backup(Some(log.head.project), "one.db".as_ref()).unwrap();
    store.backup(Some(log.head.project), "new/one.db".as_ref()).unwrap();
    for (from, into) in [("all", "a"), ("one.db", "b"), ("new/one.db", "c")] {
        restore(from.as_ref(), into.as_ref(), Overwrite::Refuse).unwrap();
        assert_eq!(intact(&open(into.as_ref()), &log), 1);
        assert!(here.path().join(into).join("exchange.db").exists());
    }
}

#[test]
fn a_damaged_backup_is_refused_and_a_damaged_store_replaced() {
    let (store, mut log, folder) = with_project();
    let copies = Folder::new();
    let (good, bad) = (copies.path().join("good"), copies.path().join("bad"));
    submit(&store, &mut log, 1);
    store.backup(None, &good).unwrap();
    store.backup(None, &bad).unwrap();
    drop(store);
    let damage = |path: &std::path::Path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[8_192..].fill(0xa5);
        std::fs::write(path, bytes).unwrap();
    };
    damage(&database_in(&bad, log.head.project));

    let fault = restore(&bad, folder.path(), Overwrite::Replace).unwrap_err();
    assert_eq!(code(&fault), "TK-STORE-CORRUPT", "{fault}");
    assert_eq!(intact(&open(folder.path()), &log), 1);

    std::fs::write(folder.database(), [0xa5; 10_000]).unwrap();
    restore(&good, folder.path(), Overwrite::Replace).unwrap();
    assert_eq!(intact(&open(folder.path()), &log), 1);
    let names: Vec<_> = std::fs::read_dir(folder.database().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().any(|name| name.contains(".damaged-")), "{names:?}");
    assert!(!names.iter().any(|name| name.contains(".partial-")), "{names:?}");
}

#[test]
fn a_backup_of_a_newer_program_is_refused() {
    let (store, log, _folder) = with_project();
    let copies = Folder::new();
    let copy = copies.path().join("one");
    store.backup(Some(log.head.project), &copy).unwrap();
    let raw = rusqlite::Connection::open(&copy).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);

    let into = Folder::new();
    let fault = restore(&copy, into.path(), Overwrite::Refuse).unwrap_err();
    assert_eq!(code(&fault), "TK-STORE-NEWER", "{fault}");
    assert!(SqliteStore::open(into.path(), Options::default()).is_ok());
}

/// Adds a project with one handoff.
fn add_project(store: &SqliteStore, name: &str) -> Log {
    let mut log = Log::new(samples::project(name));
    assert_eq!(now(store.create(log.head.clone(), name.to_owned())), Ok(true));
    submit(store, &mut log, 1);
    log
}

#[test]
fn a_project_in_use_prevents_the_whole_restore() {
    let (store, mut log, folder) = with_project();
    submit(&store, &mut log, 1);
    let other = add_project(&store, "zz");
    let copies = Folder::new();
    let copy = copies.path().join("all");
    store.backup(None, &copy).unwrap();
    submit(&store, &mut log, 2);
    drop(store);

    let user = rusqlite::Connection::open(database_in(folder.path(), other.head.project)).unwrap();
    user.execute_batch("BEGIN; SELECT * FROM head").unwrap();
    let fault = restore(&copy, folder.path(), Overwrite::Replace).unwrap_err();
    assert_eq!(code(&fault), "TK-STORE-BUSY", "{fault}");
    drop(user);
    assert_eq!(intact(&open(folder.path()), &log), 2);
}

#[test]
fn a_truncated_log_is_reported_and_records_written_before_commit_are_restored() {
    let (store, mut log, folder) = with_project();
    submit(&store, &mut log, 1);
    let kept = add_project(&store, "kept");
    let copies = Folder::new();
    let copy = copies.path().join("all");
    store.backup(None, &copy).unwrap();
    let mut noted = log.clone();
    submit(&store, &mut log, 2);
    drop(store);

    // A dropped restore leaves nothing behind.
    let prepared = Restore::prepare(&copy, folder.path(), Overwrite::Replace).unwrap();
    assert_eq!(prepared.truncated_logs().unwrap().len(), 1);
    drop(prepared);
    assert_eq!(intact(&open(folder.path()), &log), 2);

    let prepared = Restore::prepare(&copy, folder.path(), Overwrite::Replace).unwrap();
    let cut = prepared.truncated_logs().unwrap();
    assert_eq!((cut.len(), cut[0].project, cut[0].found.last), (1, log.head.project, 0));
    assert_eq!(cut[0].found.hash, noted.head.last_hash);
    submit(&open(prepared.store()), &mut noted, 3);
    prepared.commit().unwrap();
    let store = open(folder.path());
    assert_eq!(intact(&store, &noted), 2);
    assert_eq!(now(store.head(log.head.project)).unwrap().unwrap(), noted.head);
    assert_eq!(intact(&store, &kept), 1);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with('.')));
}

#[test]
fn logs_are_paired_by_project_and_not_by_name() {
    let (store, mut log, _folder) = with_project();
    submit(&store, &mut log, 1);
    let copies = Folder::new();
    let copy = copies.path().join("all");
    store.backup(None, &copy).unwrap();
    let into = Folder::new();
    let other = Log::new(samples::project("other"));
    let store = open(into.path());
    assert_eq!(now(store.create(other.head.clone(), "default".to_owned())), Ok(true));
    drop(store);
    let prepared = Restore::prepare(&copy, into.path(), Overwrite::Replace).unwrap();
    let cut = prepared.truncated_logs().unwrap();
    assert_eq!((cut.len(), cut[0].project), (1, log.head.project));
}

#[test]
fn a_stale_wal_is_not_applied_to_the_restored_database() {
    let (store, mut log, folder) = with_project();
    submit(&store, &mut log, 1);
    let copies = Folder::new();
    let copy = copies.path().join("one");
    store.backup(Some(log.head.project), &copy).unwrap();
    submit(&store, &mut log, 2);
    let wal = folder.database().with_extension("db-wal");
    let bytes = std::fs::read(&wal).unwrap();
    assert!(!bytes.is_empty());
    drop(store);
    std::fs::remove_file(folder.database()).unwrap();
    std::fs::write(&wal, bytes).unwrap();
    restore(&copy, folder.path(), Overwrite::Refuse).unwrap();
    assert_eq!(intact(&open(folder.path()), &log), 1);
}
