//! Several processes on one store. Two stores opened on one directory are two processes to SQLite's
//! locks.

use std::time::Duration;

use tasuki_engine::model::{LoadSet, State, StateWord};
use tasuki_engine::ports::{Query, Store as _};
use tasuki_packet::leaf::{EventType, check_chain};
use tasuki_store::SqliteStore;
use tasuki_testkit::samples::{self, Log};

use crate::fixture::{commit, now, open, with_project};

const EACH: u32 = 40;

/// Submits handoffs one after the other, each on top of the writes of other processes.
fn write(store: &SqliteStore, mut log: Log, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let mut transaction = now(store.open(log.head.project)).unwrap();
        log.head = transaction.head().clone();
        let handoff = samples::handoff_numbered(number, StateWord::Offered);
        transaction.write(log.submitted(handoff));
        now(transaction.commit(log.head.clone())).unwrap();
    }
}

#[test]
fn writers_of_several_processes_take_turns() {
    let (store, log, folder) = with_project();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (log, path) = (log.clone(), folder.path());
            scope.spawn(move || {
                write(&open(path), log, writer * EACH + 1..(writer + 1) * EACH + 1);
            });
        }
        for _ in 0..50 {
            let head = now(store.head(log.head.project)).unwrap().unwrap();
            let leaves = now(store.leaves(log.head.project, 0, 1_000)).unwrap();
            assert!(leaves.len() as u64 >= head.leaves, "the log has all leaves of the head");
            std::thread::sleep(Duration::from_millis(1));
        }
    });

    let all = EACH * 3;
    let leaves = now(store.leaves(log.head.project, 0, 1_000)).unwrap();
    let head = now(store.head(log.head.project)).unwrap().unwrap();
    let chained = check_chain(leaves.iter().map(|leaf| leaf.leaf.as_bytes()));
    assert_eq!(chained, Ok(head.last_hash));
    assert_eq!(head.leaves, u64::from(all));
    let query = Query { limit: 1_000, ..Query::default() };
    assert_eq!(now(store.handoffs(log.head.project, query)).unwrap().len(), all as usize);
    assert_eq!(now(store.counts(log.head.project)).unwrap().submitted, u64::from(all));
}

#[test]
fn the_change_stamp_changes_when_another_process_writes_and_not_when_one_reads() {
    let (store, log, folder) = with_project();
    let project = log.head.project;
    // Closing the last connection checkpoints the WAL.
    drop(store);
    let store = open(folder.path());
    let rests = store.change_stamp(project);
    let other = open(folder.path());
    now(other.head(project)).unwrap();
    assert_eq!(store.change_stamp(project), rests);
    drop(other);
    assert_eq!(store.change_stamp(project), rests);
    let mut change_stamps = vec![rests];
    for number in 1..4 {
        write(&open(folder.path()), log.clone(), number..number + 1);
        assert!(!change_stamps.contains(&store.change_stamp(project)));
        change_stamps.push(store.change_stamp(project));
        // File system timestamps have a limited resolution.
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn writes_of_another_process_are_seen_at_once() {
    let (store, mut log, folder) = with_project();
    let other = open(folder.path());
    let mut handoff = samples::handoff(StateWord::Offered);
    let written = log.submitted(handoff.clone());
    commit(&store, &log, written).unwrap();
    let touched = LoadSet { handoffs: [handoff.id].into(), ..LoadSet::default() };
    let seen = |store: &SqliteStore| {
        let mut transaction = now(store.open(log.head.project)).unwrap();
        let loaded = now(transaction.load(&touched)).unwrap();
        (transaction.head().leaves, loaded.handoffs[0].progress.state.word())
    };
    assert_eq!(seen(&store), (1, StateWord::Offered));

    handoff.progress.state = State::Done;
    let mut log_after = log.clone();
    let written = log_after.changed(handoff, EventType::Done);
    commit(&other, &log_after, written).unwrap();
    assert_eq!(seen(&store), (2, StateWord::Done));
}

#[test]
fn the_data_version_moves_with_every_commit_and_only_then() {
    let (store, mut log, folder) = with_project();
    let other = open(folder.path());
    let project = log.head.project;
    let mut last = store.data_version(project).unwrap();
    assert_eq!(store.data_version(project).unwrap(), last);
    for (number, writer) in (1..).zip([&store, &other, &store, &other]) {
        let written = log.submitted(samples::handoff_numbered(number, StateWord::Offered));
        commit(writer, &log, written).unwrap();
        let version = store.data_version(project).unwrap();
        assert_ne!(version, last);
        assert_eq!(store.data_version(project).unwrap(), version);
        last = version;
    }
}

#[test]
fn a_writer_waits_for_the_transaction_of_another_process() {
    let (store, mut log, folder) = with_project();
    let mut first = now(store.open(log.head.project)).unwrap();
    let (path, project) = (folder.path().to_owned(), log.head.project);
    let second = std::thread::spawn(move || now(open(&path).open(project)).unwrap().head().leaves);
    std::thread::sleep(Duration::from_millis(50));

    first.write(log.submitted(samples::handoff(StateWord::Offered)));
    now(first.commit(log.head.clone())).unwrap();
    assert_eq!(second.join().unwrap(), 1);
}
