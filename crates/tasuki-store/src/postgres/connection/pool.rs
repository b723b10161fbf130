//! Connections that are used again. Each serves one caller at a time.

use std::future::poll_fn;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tasuki_engine::error::{Fault, FaultKind};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::postgres::connection::tls;
use crate::postgres::connection::url::{CONNECT_TIMEOUT, StoreUrl};
use crate::postgres::connection::watch::Watch;
use crate::postgres::connection::{Connection, session};
use crate::postgres::fault::{commit_fault, fault};

/// A connection that was idle for longer is tested before it is used: the database may be gone
/// without a word.
const TESTED_AFTER: Duration = Duration::from_secs(2);

/// Opens connections to one database.
#[derive(Clone)]
pub(crate) struct Connector {
    url: Arc<StoreUrl>,
    tls: Option<MakeRustlsConnect>,
    /// The host that accepted the last connection, which is tried first.
    accepting: Arc<AtomicUsize>,
    /// The runtime that drives the connections.
    runtime: Handle,
}

impl Connector {
    pub(crate) fn new(url: StoreUrl, runtime: Handle) -> Result<Self, Fault> {
        let tls = match url.ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls::connector(url.root_certificate.as_deref())?),
        };
        Ok(Self { url: Arc::new(url), tls, accepting: Arc::default(), runtime })
    }

    pub(crate) fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// Opens a connection and sets up its session.
    pub(crate) async fn connect(&self) -> Result<Connection, Fault> {
        let own = self.clone();
        let opened = self.runtime.spawn(async move {
            let (client, watch) = own.client(&session(&own.url.schema), None).await?;
            Ok(Connection::new(client, watch))
        });
        opened.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Opens a connection that listens to a channel.
    pub(crate) async fn listen(&self, channel: &str) -> Result<Listener, Fault> {
        let (sender, messages) = unbounded_channel();
        let (client, _) = self.client(&format!("LISTEN {channel}"), Some(sender)).await?;
        Ok(Listener { messages, _client: client })
    }

    /// Opens a connection to the first host that accepts writes, and runs a script there. A host that
    /// accepts the connection and then stays silent is left after a while.
    async fn client(
        &self,
        script: &str,
        messages: Option<UnboundedSender<AsyncMessage>>,
    ) -> Result<(Client, Watch), Fault> {
        let mut failed = stopped();
        let (hosts, first) = (&self.url.hosts, self.accepting.load(Ordering::Relaxed));
        for index in (first..hosts.len()).chain(0..first) {
            let opening = self.client_of(&hosts[index], script, messages.clone());
            match tokio::time::timeout(CONNECT_TIMEOUT, opening).await {
                Ok(Ok(opened)) => {
                    self.accepting.store(index, Ordering::Relaxed);
                    return Ok(opened);
                }
                Ok(Err(error)) => {
                    failed = fault(&error, &format!("connecting to {}", self.url.display()));
                }
                Err(_) => failed = silent(&self.url),
            }
        }
        Err(failed)
    }

    /// Opens a connection to a host, drives it in a task, and runs a script. Messages that answer no
    /// statement are passed on.
    async fn client_of(
        &self,
        host: &Config,
        script: &str,
        messages: Option<UnboundedSender<AsyncMessage>>,
    ) -> Result<(Client, Watch), tokio_postgres::Error> {
        let watch = Watch::default();
        let client = match self.tls.clone() {
            None => {
                let (client, connection) = host.connect(NoTls).await?;
                tokio::spawn(drive(connection, watch.clone(), messages));
                client
            }
            Some(tls) => {
                let (client, connection) = host.connect(tls).await?;
                tokio::spawn(drive(connection, watch.clone(), messages));
                client
            }
        };
        client.batch_execute(script).await?;
        Ok((client, watch))
    }
}

fn silent(url: &StoreUrl) -> Fault {
    let message = format!("PostgreSQL: connecting to {} failed: it does not answer", url.display());
    Fault::new(FaultKind::StoreUnavailable, message)
        .hint("check that the database runs and accepts connections, then try again")
}

/// A connection that listens.
pub(crate) struct Listener {
    messages: UnboundedReceiver<AsyncMessage>,
    /// The connection ends with its client.
    _client: Client,
}

impl Listener {
    /// Returns the next message; `None` when the connection was lost.
    pub(crate) async fn next(&mut self) -> Option<AsyncMessage> {
        self.messages.recv().await
    }
}

/// Drives a connection until it ends, or until a statement is not answered in time. Its statements
/// report the error.
async fn drive<S, T>(
    mut connection: tokio_postgres::Connection<S, T>,
    watch: Watch,
    messages: Option<UnboundedSender<AsyncMessage>>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let message = tokio::select! {
            message = poll_fn(|context| connection.poll_message(context)) => message,
            () = watch.overdue() => return,
        };
        let Some(Ok(message)) = message else { return };
        if messages.as_ref().is_some_and(|messages| messages.send(message).is_err()) {
            return;
        }
    }
}

fn stopped() -> Fault {
    Fault::new(FaultKind::StoreUnavailable, "the store is closed")
}

/// A bounded number of connections.
pub(crate) struct Pool {
    connector: Connector,
    idle: Arc<Mutex<Vec<Idle>>>,
    permits: Arc<Semaphore>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(connector: Connector, connections_max: usize) -> Self {
        let permits = Arc::new(Semaphore::new(connections_max));
        Self { connector, idle: Arc::default(), permits }
    }

    /// Returns a connection, as soon as one is free.
    pub(crate) async fn get(&self) -> Result<Pooled, Fault> {
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
            if since.elapsed() < TESTED_AFTER || connection.answers().await {
                return Some(connection);
            }
        }
    }

    /// Closes the connections that no one uses.
    pub(crate) fn close_idle(&self, unused_for: Duration) {
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
    pub(crate) fn discard(mut self) {
        self.connection = None;
    }

    /// Ends the open transaction without a commit, then returns the connection to the pool.
    pub(crate) fn roll_back(mut self) {
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
        let under_way = self.watched();
        let committed = self.client().batch_execute("COMMIT").await;
        drop(under_way);
        self.close(committed.map_err(|error| commit_fault(&error)))
    }

    /// Returns the connection to the pool after a commit, or closes it after a failed one.
    pub(crate) fn close<T>(mut self, committed: Result<T, Fault>) -> Result<T, Fault> {
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Accepts a connection as PostgreSQL does, and answers nothing afterwards.
    async fn freeze_after_login(mut server: tokio::io::DuplexStream) {
        let mut read = [0; 1_024];
        assert!(server.read(&mut read).await.unwrap() > 0);
        let (authenticated, ready) = (b"R\0\0\0\x08\0\0\0\0", b"Z\0\0\0\x05I");
        server.write_all(&[&authenticated[..], ready].concat()).await.unwrap();
        while server.read(&mut read).await.is_ok_and(|length| length > 0) {}
    }

    #[test]
    fn a_statement_that_is_never_answered_fails_with_its_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, server) = tokio::io::duplex(1_024);
            tokio::spawn(freeze_after_login(server));
            let config: Config = "postgres://ana@localhost/tasuki".parse().unwrap();
            let (client, connection) = config.connect_raw(client, NoTls).await.unwrap();
            let watch = Watch::default();
            tokio::spawn(drive(connection, watch.clone(), None));
            let under_way = watch.start(Some(Duration::from_millis(50)));
            let error = client.batch_execute("SELECT 1").await.unwrap_err();
            drop(under_way);
            assert!(client.is_closed());
            assert_eq!(commit_fault(&error).kind, FaultKind::OutcomeUnknown);
            assert_eq!(fault(&error, "test").kind, FaultKind::StoreUnavailable);
        });
    }
}
