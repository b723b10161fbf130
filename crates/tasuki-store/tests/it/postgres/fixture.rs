//! A database with a schema of its own for each test.

use std::sync::atomic::{AtomicU32, Ordering};

use tasuki_store::Options;
use tasuki_store::postgres::{PostgresStore, StoreUrl};
use tokio_postgres::{Client, NoTls};

use crate::fixture::block_on;

/// Returns the address of the database of the tests.
///
/// # Panics
///
/// Panics if there is none: a suite that runs on one store only would pass unnoticed.
#[expect(clippy::disallowed_methods, reason = "tests have no other configuration")]
fn database() -> String {
    std::env::var("TASUKI_TEST_POSTGRES").expect(
        "these tests need PostgreSQL: run them with `scripts/with-postgres cargo nextest run`, \
         or leave them out with `cargo nextest run -E 'not test(postgres::)'`",
    )
}

/// Returns the file with the certificate of the database of the tests.
#[expect(clippy::disallowed_methods, reason = "tests have no other configuration")]
pub(crate) fn certificate() -> String {
    std::env::var("TASUKI_TEST_POSTGRES_CA").expect("`scripts/with-postgres` sets it")
}

/// A schema that no other test uses.
#[derive(Debug)]
pub(crate) struct Schema(String);

impl Schema {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let start = jiff::Timestamp::now().as_nanosecond();
        Self(format!("test_{}_{start}_{number}", std::process::id()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// Returns the address of a store in this schema.
    pub(crate) fn url(&self) -> String {
        let database = database();
        let separator = if database.contains('?') { '&' } else { '?' };
        format!("{database}{separator}schema={}", self.0)
    }

    /// Returns the address for another role.
    pub(crate) fn url_of(&self, role: &str) -> String {
        let url = self.url();
        let (_, host) = url.split_once('@').expect("the address names a user");
        format!("postgres://{role}@{host}")
    }

    pub(crate) fn open(&self) -> PostgresStore {
        self.open_with(Options::default())
    }

    pub(crate) fn open_with(&self, options: Options) -> PostgresStore {
        let url = StoreUrl::parse(&self.url()).expect("the address of the tests is valid");
        PostgresStore::open(url, options).expect("the database of the tests opens")
    }
}

pub(crate) fn fresh() -> (PostgresStore, Schema) {
    let schema = Schema::new();
    (schema.open(), schema)
}

/// Runs statements in a schema, on a connection that is not the store's.
pub(crate) fn sql<T>(schema: &Schema, work: impl AsyncFnOnce(&Client) -> T) -> T {
    block_on(async {
        let connected = tokio_postgres::connect(&database(), NoTls).await;
        let (client, connection) = connected.expect("the database of the tests is there");
        let driving = tokio::spawn(connection);
        let path = format!("SET search_path = {}", schema.name());
        client.batch_execute(&path).await.expect("a search path is set");
        let result = work(&client).await;
        drop(client);
        drop(driving.await);
        result
    })
}

/// The rows of a schema at one time.
#[derive(Debug)]
pub(crate) struct Copy<'s> {
    schema: &'s Schema,
    name: String,
}

impl<'s> Copy<'s> {
    pub(crate) fn of(schema: &'s Schema) -> Self {
        let copy = Self { schema, name: format!("{}_copy", schema.name()) };
        copy.each_table(|table, from, to| {
            format!("CREATE TABLE {to}.{table} AS SELECT * FROM {from}.{table};")
        });
        copy
    }

    /// Replaces the rows of the schema by those of the copy.
    pub(crate) fn put_back(&self) {
        self.each_table(|table, from, to| {
            format!(
                "TRUNCATE {from}.{table}; INSERT INTO {from}.{table} SELECT * FROM {to}.{table};"
            )
        });
    }

    fn each_table(&self, text: impl Fn(&str, &str, &str) -> String + Send + Sync) {
        let text: &(dyn Fn(&str, &str, &str) -> String + Sync) = &text;
        // The simulation calls this on a thread of its runtime.
        std::thread::scope(|scope| {
            scope.spawn(|| self.run_on_each_table(text)).join().expect("rows are copied");
        });
    }

    fn run_on_each_table(&self, text: &dyn Fn(&str, &str, &str) -> String) {
        sql(self.schema, async |client| {
            let create = format!("CREATE SCHEMA IF NOT EXISTS {}", self.name);
            client.batch_execute(&create).await.expect("a schema is created");
            let list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()";
            let tables = client.query(list, &[]).await.expect("tables are listed");
            let all: String =
                tables.iter().map(|row| text(row.get(0), self.schema.name(), &self.name)).collect();
            client.batch_execute(&all).await.expect("rows are copied");
        });
    }
}
