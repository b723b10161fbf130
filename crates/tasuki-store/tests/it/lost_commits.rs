//! A database that has lost commits is refused by name, until a restore records the loss.

use std::path::Path;

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Store as _;
use tasuki_store::{Overwrite, Restore, SqliteStore};
use tasuki_testkit::samples::{self, Log};

use crate::fixture::{Folder, commit, now, open, with_project};

fn submit(store: &SqliteStore, log: &mut Log, number: u32) {
    let written = log.submitted(samples::handoff_numbered(number, StateWord::Offered));
    commit(store, log, written).unwrap();
}

/// Copies the files of a store, except those whose name ends with one of these.
fn copy_without(from: &Path, to: &Path, endings: &[&str]) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            std::fs::create_dir_all(to.join(name)).unwrap();
            copy_without(&path, &to.join(name), endings);
        } else if !endings.iter().any(|ending| name.ends_with(ending)) {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn a_store_without_its_wal_is_refused_and_with_it_is_not() {
    let (store, mut log, folder) = with_project();
    submit(&store, &mut log, 1);
    store.empty_wals().unwrap();
    submit(&store, &mut log, 2);

    let whole = Folder::new();
    copy_without(folder.path(), whole.path(), &[]);
    let head = now(open(whole.path()).head(log.head.project)).unwrap().unwrap();
    assert_eq!(head.leaves, 2);

    let lost = Folder::new();
    copy_without(folder.path(), lost.path(), &["-wal", "-shm"]);
    let fault = now(open(lost.path()).head(log.head.project)).unwrap_err();
    assert_eq!(fault.code(), "TK-STORE-CORRUPT");
    let expected = "project.db` has 1 leaves, but `project.db-head` records 2: its WAL was removed";
    assert!(fault.message.contains(expected), "{fault}");

    // Without the side file nothing shows the loss.
    let bare = Folder::new();
    copy_without(folder.path(), bare.path(), &["-wal", "-shm", "-head"]);
    let head = now(open(bare.path()).head(log.head.project)).unwrap().unwrap();
    assert_eq!(head.leaves, 1);
}

#[test]
fn an_older_copy_is_refused_until_a_restore_records_the_loss() {
    let (store, mut log, folder) = with_project();
    let copies = Folder::new();
    submit(&store, &mut log, 1);
    let backup = copies.path().join("one.db");
    store.backup(Some(log.head.project), &backup).unwrap();
    submit(&store, &mut log, 2);
    drop(store);
    std::fs::copy(&backup, folder.database()).unwrap();
    let fault = now(open(folder.path()).head(log.head.project)).unwrap_err();
    assert!(fault.message.contains("an older copy was put back"), "{fault}");

    let restore = Restore::prepare(&backup, folder.path(), Overwrite::Replace).unwrap();
    let truncated = restore.truncated_logs().unwrap();
    assert_eq!(truncated.len(), 1, "the loss is to be recorded");
    restore.commit().unwrap();
    let store = open(folder.path());
    assert_eq!(now(store.head(log.head.project)).unwrap().unwrap().leaves, 1);
    assert!(!copies.path().join("one.db-head").exists(), "a backup has no side file");
}
