//! A connection to the database: the settings of its session, and running statements.

pub(crate) mod pool;
mod tls;
pub(crate) mod url;
mod watch;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tasuki_engine::error::Fault;
use tasuki_engine::ports::cost;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::postgres::connection::watch::{UnderWay, Watch};
use crate::postgres::fault::fault;
use crate::postgres::statements::Statement;
use crate::row::Columns;

/// A parameter of a statement.
pub(crate) type Param<'a> = &'a (dyn ToSql + Sync);

/// The settings of every session. A process that stops in the middle of a transaction loses its lock
/// before another process gives up waiting for it.
const SESSION: &str = "
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SET statement_timeout = '30s';
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET standard_conforming_strings = on;
SELECT set_config('synchronous_commit', 'on', false)
 WHERE current_setting('synchronous_commit') = 'off';
";

/// LIMIT: the time without an answer after which a connection is lost. The limits of the session end
/// a statement before, unless the database is frozen or unreachable.
const ANSWER_LIMIT: Duration = Duration::from_secs(35);

/// LIMIT: the same for the test of an idle connection.
const TEST_LIMIT: Duration = Duration::from_secs(5);

/// Returns the statements that set up a session on a schema.
fn session(schema: &str) -> String {
    format!("{SESSION}SET search_path = {schema};")
}

/// A connection to the database.
#[derive(Debug)]
pub(crate) struct Connection {
    client: Client,
    watch: Watch,
    prepared: Mutex<HashMap<&'static str, tokio_postgres::Statement>>,
}

impl Connection {
    fn new(client: Client, watch: Watch) -> Self {
        Self { client, watch, prepared: Mutex::default() }
    }

    /// Loses the connection if what is sent is not answered in time, until the guard is dropped.
    pub(super) fn watched(&self) -> UnderWay {
        self.watch.start(Some(ANSWER_LIMIT))
    }

    /// Lets everything that is sent take any time, until the guard is dropped.
    pub(super) fn unlimited(&self) -> UnderWay {
        self.watch.start(None)
    }

    /// Returns `true` if the database answers.
    pub(super) async fn answers(&self) -> bool {
        let _under_way = self.watch.start(Some(TEST_LIMIT));
        self.client.batch_execute("").await.is_ok()
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Returns a statement, prepared once per connection.
    pub(super) async fn prepare(
        &self,
        statement: &Statement,
    ) -> Result<tokio_postgres::Statement, Fault> {
        if let Some(known) = self.known(statement) {
            return Ok(known);
        }
        let _under_way = self.watched();
        let prepared = self.client.prepare(statement.text).await;
        let prepared = prepared.map_err(|error| fault(&error, statement.name))?;
        let mut known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(statement.name, prepared.clone());
        Ok(prepared)
    }

    fn known(&self, statement: &Statement) -> Option<tokio_postgres::Statement> {
        let known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(statement.name).cloned()
    }

    /// Runs a statement. Returns the number of changed rows.
    pub(crate) async fn run(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<u64, Fault> {
        let prepared = self.prepare(statement).await?;
        let _under_way = self.watched();
        let done = self.client.execute(&prepared, params).await;
        done.map_err(|error| fault(&error, statement.name))
    }

    pub(super) async fn rows(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, Fault> {
        let prepared = self.prepare(statement).await?;
        let _under_way = self.watched();
        let rows = self.client.query(&prepared, params).await;
        counted(rows.map_err(|error| fault(&error, statement.name)))
    }

    /// Runs a statement that is composed at run time, in one round trip.
    pub(crate) async fn composed(
        &self,
        name: &str,
        text: &str,
        params: &[(Param<'_>, Type)],
    ) -> Result<Vec<Row>, Fault> {
        let _under_way = self.watched();
        let rows = self.client.query_typed(text, params).await;
        counted(rows.map_err(|error| fault(&error, name)))
    }

    pub(super) async fn all<T>(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        read: impl Fn(&dyn Columns) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let rows = self.rows(statement, params).await?;
        rows.iter().map(|row| read(row)).collect()
    }

    pub(crate) async fn first<T>(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        read: impl Fn(&dyn Columns) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let rows = self.rows(statement, params).await?;
        rows.first().map(|row| read(row)).transpose()
    }

    /// Runs statements outside of `sql/`, such as migrations.
    pub(crate) async fn script(&self, name: &str, text: &str) -> Result<(), Fault> {
        let _under_way = self.watched();
        self.client.batch_execute(text).await.map_err(|error| fault(&error, name))
    }

    /// Sends several queries at once, and returns the rows of each.
    pub(super) async fn pipelined(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let prepared = self.prepare_all(queries.iter().map(|query| query.statement)).await?;
        let _under_way = self.watched();
        let sent = queries
            .iter()
            .zip(&prepared)
            .map(|(query, prepared)| self.client.query(prepared, &query.params));
        let rows = join_all(sent).await.into_iter().zip(queries);
        rows.map(|(rows, query)| counted(rows.map_err(|error| fault(&error, query.statement.name))))
            .collect()
    }

    pub(super) async fn prepare_all(
        &self,
        statements: impl Iterator<Item = &'static Statement>,
    ) -> Result<Vec<tokio_postgres::Statement>, Fault> {
        join_all(statements.map(|statement| self.prepare(statement))).await.into_iter().collect()
    }
}

/// A query of a pipeline.
pub(super) struct Query<'a> {
    pub(super) statement: &'static Statement,
    pub(super) params: Vec<Param<'a>>,
}

/// Adds the returned rows to the cost of the current read. The database does not say how many rows
/// it looked at.
fn counted(rows: Result<Vec<Row>, Fault>) -> Result<Vec<Row>, Fault> {
    if let Ok(rows) = &rows {
        cost::add(rows.len() as u64 + 1);
    }
    rows
}
