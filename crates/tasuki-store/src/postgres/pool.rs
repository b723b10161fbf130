//! Connections that are used again. Each serves one caller at a time.

use std::future::poll_fn;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::error::{Fault, FaultKind};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::postgres::connection::Connection;
use crate::postgres::fault::{commit_fault, fault};
use crate::postgres::tls;
use crate::postgres::url::StoreUrl;

/// A connection that was idle for longer is tested before it is used: the database may be gone
/// without a word.
const TESTED_AFTER: Duration = Duration::from_secs(2);

/// Opens connections to one database.
#[derive(Clone)]
pub(super) struct Connector {
    url: Arc<StoreUrl>,
    tls: Option<MakeRustlsConnect>,
    /// The runtime that drives the connections.
    runtime: Handle,
}

impl Connector {
    pub(super) fn new(url: StoreUrl, runtime: Handle) -> Result<Self, Fault> {
        let tls = match url.config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls::connector(url.root_certificate.as_deref())?),
        };
        Ok(Self { url: Arc::new(url), tls, runtime })
    }

    pub(super) fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// Opens a connection and sets up its session.
    pub(super) async fn connect(&self) -> Result<Connection, Fault> {
        let own = self.clone();
        let opened = self.runtime.spawn(async move {
            let client = own.client(None).await?;
            Connection::new(client, &own.url.schema).await
        });
        opened.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Opens a connection that listens to a channel.
    pub(super) async fn listen(&self, channel: &str) -> Result<Listener, Fault> {
        let (sender, messages) = unbounded_channel();
        let client = self.client(Some(sender)).await?;
        let listen = format!("LISTEN {channel}");
        client.batch_execute(&listen).await.map_err(|error| fault(&error, "listening"))?;
        Ok(Listener { messages, _client: client })
    }

    /// Opens a connection, and drives it in a task. Messages that answer no statement are passed on.
    async fn client(
        &self,
        messages: Option<UnboundedSender<AsyncMessage>>,
    ) -> Result<Client, Fault> {
        let config = &self.url.config;
        let failed = |error: tokio_postgres::Error| {
            let operation = format!("connecting to {}", self.url.display());
            fault(&error, &operation)
        };
        match self.tls.clone() {
            None => {
                let (client, connection) = config.connect(NoTls).await.map_err(failed)?;
                tokio::spawn(drive(connection, messages));
                Ok(client)
            }
            Some(tls) => {
                let (client, connection) = config.connect(tls).await.map_err(failed)?;
                tokio::spawn(drive(connection, messages));
                Ok(client)
            }
        }
    }
}

/// A connection that listens.
pub(super) struct Listener {
    messages: UnboundedReceiver<AsyncMessage>,
    /// The connection ends with its client.
    _client: Client,
}

impl Listener {
    /// Returns the next message; `None` when the connection was lost.
    pub(super) async fn next(&mut self) -> Option<AsyncMessage> {
        self.messages.recv().await
    }
}

/// Drives a connection until it ends. Its statements report the error.
async fn drive<S, T>(
    mut connection: tokio_postgres::Connection<S, T>,
    messages: Option<UnboundedSender<AsyncMessage>>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let Some(messages) = &messages
            && messages.send(message).is_err()
        {
            return;
        }
    }
}

fn stopped() -> Fault {
    Fault::new(FaultKind::StoreUnavailable, "the store is closed")
}

/// A bounded number of connections.
pub(super) struct Pool {
    connector: Connector,
    idle: Arc<Mutex<Vec<Idle>>>,
    permits: Arc<Semaphore>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    pub(super) fn new(connector: Connector, connections_max: usize) -> Self {
        let permits = Arc::new(Semaphore::new(connections_max));
        Self { connector, idle: Arc::default(), permits }
    }

    /// Returns a connection, as soon as one is free.
    pub(super) async fn get(&self) -> Result<Pooled, Fault> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.ok().ok_or_else(stopped)?;
        let connection = match self.tested_idle().await {
            Some(connection) => connection,
            None => self.connector.connect().await?,
        };
        let (idle, runtime) = (Arc::clone(&self.idle), self.connector.runtime.clone());
        Ok(Pooled { connection: Some(connection), idle, runtime, permit: Some(permit) })
    }

    async fn tested_idle(&self) -> Option<Connection> {
        loop {
            let Idle { connection, since } = lock(&self.idle).pop()?;
            if connection.is_closed() {
                continue;
            }
            if since.elapsed() < TESTED_AFTER || connection.script("test", "").await.is_ok() {
                return Some(connection);
            }
        }
    }

    /// Closes the connections that no one uses.
    pub(super) fn close_idle(&self, unused_for: Duration) {
        lock(&self.idle).retain(|idle| idle.since.elapsed() < unused_for);
    }
}

fn lock(idle: &Mutex<Vec<Idle>>) -> MutexGuard<'_, Vec<Idle>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection of a pool, which goes back to it when dropped.
pub(crate) struct Pooled {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Idle>>>,
    runtime: Handle,
    permit: Option<OwnedSemaphorePermit>,
}

impl Pooled {
    /// Closes the connection: its state is unknown.
    pub(super) fn discard(mut self) {
        self.connection = None;
    }

    /// Ends the open transaction without a commit, then returns the connection to the pool.
    pub(super) fn roll_back(mut self) {
        let (connection, permit) = (self.connection.take(), self.permit.take());
        let (Some(connection), idle) = (connection, Arc::clone(&self.idle)) else { return };
        self.runtime.spawn(async move {
            if connection.script("rollback", "ROLLBACK").await.is_ok() {
                lock(&idle).push(Idle { connection, since: Instant::now() });
            }
            drop(permit);
        });
    }
}

impl Deref for Pooled {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until it is given back")
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(|one| !one.is_closed()) {
            lock(&self.idle).push(Idle { connection, since: Instant::now() });
        }
    }
}

/// An open transaction, which is rolled back when dropped.
pub(crate) struct OpenTransaction {
    connection: Option<Pooled>,
}

impl OpenTransaction {
    /// Begins a transaction.
    pub(crate) async fn begin(connection: Pooled) -> Result<Self, Fault> {
        // From here on the transaction is rolled back, even if the caller stops waiting.
        let open = Self::new(connection);
        open.script("begin", "BEGIN").await?;
        Ok(open)
    }

    /// Takes a connection on which the caller sends `BEGIN`.
    pub(crate) fn new(connection: Pooled) -> Self {
        Self { connection: Some(connection) }
    }

    /// Commits, and returns the connection to the pool.
    pub(crate) async fn commit(self) -> Result<(), Fault> {
        let committed = self.client().batch_execute("COMMIT").await;
        self.close(committed.map_err(|error| commit_fault(&error)))
    }

    /// Returns the connection to the pool after a commit, or closes it after a failed one.
    pub(super) fn close<T>(mut self, committed: Result<T, Fault>) -> Result<T, Fault> {
        let connection = self.connection.take();
        if committed.is_err() {
            connection.into_iter().for_each(Pooled::discard);
        }
        committed
    }
}

impl Deref for OpenTransaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until it is closed")
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        self.connection.take().into_iter().for_each(Pooled::roll_back);
    }
}
