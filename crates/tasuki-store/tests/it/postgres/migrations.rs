//! The schema, and databases that this program must not open.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use tasuki_engine::error::FaultKind;
use tasuki_engine::ports::Store as _;
use tasuki_store::Options;
use tasuki_store::postgres::{PostgresStore, StoreUrl};

use super::fixture::{Schema, sql};
use crate::fixture::block_on;

fn open(schema: &Schema) -> Result<PostgresStore, tasuki_engine::error::Fault> {
    PostgresStore::open(StoreUrl::parse(&schema.url()).unwrap(), Options::default())
}

#[test]
fn many_processes_migrate_a_new_schema_once() {
    let schema = Schema::new();
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..6).map(|_| scope.spawn(|| open(&schema).map(drop))).collect();
        for one in opened {
            assert_eq!(one.join().unwrap(), Ok(()));
        }
    });
    sql(&schema, async |client| {
        let rows = client.query("SELECT number FROM migration", &[]).await.unwrap();
        assert_eq!(rows.len(), 1);
    });
}

#[test]
fn a_schema_of_a_newer_or_another_program_is_not_opened() {
    for (change, expected) in [
        ("INSERT INTO migration VALUES (99, 'sha256:x')", "has schema version 99"),
        ("UPDATE migration SET digest = 'sha256:x'", "migration 1 differs"),
    ] {
        let schema = Schema::new();
        drop(open(&schema).unwrap());
        sql(&schema, async |client| client.batch_execute(change).await.unwrap());
        let fault = open(&schema).unwrap_err();
        assert_eq!(fault.kind, FaultKind::NewerStore);
        assert!(fault.message.contains(expected), "{fault}");
    }
}

#[test]
fn a_role_that_may_create_nothing_opens_a_migrated_schema() {
    let schema = Schema::new();
    drop(open(&schema).unwrap());
    let (name, role) = (schema.name(), format!("{}_reader", schema.name()));
    sql(&schema, async |client| {
        let text = format!(
            "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {name} TO {role};
             GRANT ALL ON ALL TABLES IN SCHEMA {name} TO {role}"
        );
        client.batch_execute(&text).await.unwrap();
    });
    let url = schema.url_of(&role);
    let opened = PostgresStore::open(StoreUrl::parse(&url).unwrap(), Options::default());
    assert!(opened.is_ok(), "{}", opened.unwrap_err());
}

#[test]
fn a_role_that_owns_the_schema_creates_its_tables() {
    let schema = Schema::new();
    let (name, role) = (schema.name(), format!("{}_owner", schema.name()));
    sql(&schema, async |client| {
        let text = format!("CREATE ROLE {role} LOGIN; CREATE SCHEMA {name} AUTHORIZATION {role}");
        client.batch_execute(&text).await.unwrap();
    });
    let url = schema.url_of(&role);
    let opened = PostgresStore::open(StoreUrl::parse(&url).unwrap(), Options::default());
    assert!(opened.is_ok(), "{}", opened.unwrap_err());
}

/// A machine that is frozen accepts connections, and answers nothing.
#[test]
fn a_host_that_stays_silent_is_passed_over_once() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let schema = Schema::new();
    let url = schema.url();
    let (user, host) = url.split_once('@').unwrap();
    let address = silent.local_addr().unwrap();
    let start = Instant::now();
    let url = StoreUrl::parse(&format!("{user}@{address},{host}")).unwrap();
    let store = PostgresStore::open(url, Options::default()).unwrap();
    let passed = start.elapsed();
    assert!(passed > Duration::from_secs(4) && passed < Duration::from_secs(9), "{passed:?}");
    let start = Instant::now();
    assert_eq!(block_on(store.projects()), Ok(Vec::new()));
    assert!(start.elapsed() < Duration::from_secs(4), "the other host is tried first");
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let url = "postgres://ana:secret@127.0.0.1:1/tasuki";
    let fault = PostgresStore::open(StoreUrl::parse(url).unwrap(), Options::default()).unwrap_err();
    assert_eq!(fault.code(), "TK-STORE-UNAVAILABLE");
    assert!(fault.message.contains("postgres://127.0.0.1:1/tasuki"), "{fault}");
    assert!(!fault.message.contains("secret"), "{fault}");
}
