//! The schema, and databases that this program must not open.

use tasuki_engine::error::FaultKind;
use tasuki_store::Options;
use tasuki_store::postgres::{PostgresStore, StoreUrl};

use super::fixture::{Schema, sql};

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
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let url = "postgres://ana:secret@127.0.0.1:1/tasuki";
    let fault = PostgresStore::open(StoreUrl::parse(url).unwrap(), Options::default()).unwrap_err();
    assert_eq!(fault.code(), "TK-STORE-UNAVAILABLE");
    assert!(fault.message.contains("postgres://127.0.0.1:1/tasuki"), "{fault}");
    assert!(!fault.message.contains("secret"), "{fault}");
}
