//! Several processes on one database.

use std::time::{Duration, Instant};

use tasuki_engine::error::FaultKind;
use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Store as _;
use tasuki_store::{ExchangeStore as _, Options, PostgresStore, StoreUrl};
use tasuki_testkit::samples::{self, Log};

use super::fixture::{Schema, sql};
use crate::fixture::block_on;

/// A server, which listens to the others.
const SERVING: Options =
    Options { serve: true, synchronous: tasuki_store::Synchronous::Full, bare: false };

fn create(store: &PostgresStore) -> Log {
    let log = Log::new(samples::project("default"));
    let created = block_on(store.create(log.head.clone(), "default".to_owned()));
    assert_eq!(created, Ok(true));
    log
}

fn submit(store: &PostgresStore, log: &mut Log, number: u32) {
    let written = log.submitted(samples::handoff_numbered(number, StateWord::Offered));
    block_on(async {
        let mut transaction = store.open(log.head.project).await.unwrap();
        transaction.write(written);
        transaction.commit(log.head.clone()).await.unwrap();
    });
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(10), "timed out: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A write of another process empties the cache: the next transaction sees its handoff.
#[test]
fn a_process_sees_what_another_has_written() {
    let schema = Schema::new();
    let (one, other) = (schema.open(), schema.open());
    let mut log = create(&one);
    for number in 1..=20 {
        submit(if number % 2 == 0 { &one } else { &other }, &mut log, number);
    }
    let head = block_on(one.head(log.head.project)).unwrap().unwrap();
    assert_eq!(head, log.head);
    assert_eq!(block_on(other.counts(log.head.project)).unwrap().submitted, 20);
}

#[test]
fn a_server_hears_of_the_writes_of_other_processes() {
    let schema = Schema::new();
    let (server, other_server) = (schema.open_with(SERVING), schema.open_with(SERVING));
    let command = schema.open();
    let mut log = create(&command);
    for (number, writer) in [&command, &other_server, &server].into_iter().enumerate() {
        let before = [&server, &other_server].map(|one| one.change_stamp(log.head.project));
        submit(writer, &mut log, u32::try_from(number).unwrap() + 1);
        for (one, before) in [&server, &other_server].into_iter().zip(before) {
            wait_until("a change is heard of", || one.change_stamp(log.head.project) != before);
        }
    }
}

/// A process that stops in the middle of a transaction blocks the others only for seconds.
#[test]
fn a_transaction_that_never_ends_is_ended_by_the_database() {
    let schema = Schema::new();
    let (stuck, other) = (schema.open(), schema.open());
    let mut log = create(&stuck);
    let held = block_on(stuck.open(log.head.project)).unwrap();
    let start = Instant::now();
    submit(&other, &mut log, 1);
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    let committed = block_on(held.commit(log.head.clone()));
    let kind = committed.unwrap_err().kind;
    assert!(
        matches!(kind, FaultKind::OutcomeUnknown | FaultKind::StoreUnavailable | FaultKind::Bug),
        "{kind:?}"
    );
    assert_eq!(block_on(other.head(log.head.project)).unwrap().unwrap(), log.head);
}

#[test]
fn one_of_several_servers_delivers_until_it_stops() {
    let schema = Schema::new();
    let (one, other) = (schema.open(), schema.open());
    assert_eq!(one.owns("delivery"), Some(true));
    assert_eq!(other.owns("delivery"), Some(false));
    assert_eq!(one.owns("delivery"), Some(true), "it renews its lease");
    one.close().unwrap();
    assert_eq!(other.owns("delivery"), Some(true));
    sql(&schema, async |client| {
        client.batch_execute("UPDATE lease SET until = 0").await.unwrap();
    });
    assert_eq!(one.owns("delivery"), Some(true), "the lease of the other has ended");
}

/// Connections that the database closes are opened again.
#[test]
fn a_store_goes_on_after_its_connections_were_lost() {
    let schema = Schema::new();
    let url = format!("{}&application_name={}", schema.url(), schema.name());
    let store = PostgresStore::open(StoreUrl::parse(&url).unwrap(), Options::default()).unwrap();
    let mut log = create(&store);
    submit(&store, &mut log, 1);
    sql(&schema, async |client| {
        let text = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = $1";
        client.query(text, &[&schema.name()]).await.unwrap();
    });
    wait_until("the store answers again", || block_on(store.head(log.head.project)).is_ok());
    wait_until("the store is written again", || {
        block_on(async { store.open(log.head.project).await.is_ok() })
    });
    submit(&store, &mut log, 2);
    assert_eq!(block_on(store.head(log.head.project)).unwrap().unwrap(), log.head);
}
