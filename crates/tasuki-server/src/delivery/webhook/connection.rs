//! A connection to a receiver, kept open for a while for the next message.
//!
//! The destination is checked for every message: a kept connection is used only if it leads to an
//! address that was allowed just now.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::send::TIME_MAX;
use super::target::Origin;
use crate::delivery::tls;

/// LIMIT: bytes of the response headers.
const HEADER_BYTES_MAX: usize = 16 * 1024;

/// The age up to which a connection is reused.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// LIMIT: pooled connections.
const POOL_MAX: usize = 256;

#[derive(Debug)]
pub(super) struct Connection {
    sender: http1::SendRequest<Body>,
    address: SocketAddr,
    opened: Instant,
}

impl Connection {
    /// Connects to the first of these addresses that responds, and to no other.
    pub(super) async fn open(origin: &Origin, addresses: &[SocketAddr]) -> Result<Self, String> {
        let (stream, address) =
            connect(addresses).await.map_err(|error| format!("connection failed: {error}"))?;
        let sender = if origin.is_tls {
            let stream = tls::encrypt(&origin.host.to_string(), stream).await;
            handshake(stream.map_err(|error| format!("TLS handshake failed: {error}"))?).await
        } else {
            handshake(stream).await
        };
        let sender = sender.map_err(|error| format!("connection lost: {error}"))?;
        Ok(Self { sender, address, opened: Instant::now() })
    }

    pub(super) async fn send(
        &mut self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        self.sender.ready().await?;
        self.sender.send_request(request).await
    }

    fn is_fresh(&self) -> bool {
        self.opened.elapsed() < IDLE_MAX && !self.sender.is_closed()
    }
}

async fn connect(addresses: &[SocketAddr]) -> io::Result<(TcpStream, SocketAddr)> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // A message is small, and the sender waits for its response.
                stream.set_nodelay(true)?;
                return Ok((stream, *address));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn handshake<S>(stream: S) -> Result<http1::SendRequest<Body>, hyper::Error>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut http = http1::Builder::new();
    http.max_buf_size(HEADER_BYTES_MAX);
    let (sender, connection) = http.handshake(TokioIo::new(stream)).await?;
    // No request uses the connection for longer, even while it is in the pool.
    let connection = tokio::time::timeout(IDLE_MAX + TIME_MAX, connection);
    tokio::spawn(async move {
        if let Ok(Err(error)) = connection.await {
            tracing::debug!(%error, "webhook connection failed");
        }
    });
    Ok(sender)
}

/// Idle connections, one per origin.
#[derive(Debug, Default)]
pub(super) struct ConnectionPool(Mutex<HashMap<Origin, Connection>>);

impl ConnectionPool {
    /// Takes the connection to an origin, if it leads to one of these addresses.
    pub(super) fn take(&self, origin: &Origin, addresses: &[SocketAddr]) -> Option<Connection> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.remove(origin)?;
        (found.is_fresh() && addresses.contains(&found.address)).then_some(found)
    }

    pub(super) fn put(&self, origin: Origin, connection: Connection) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= POOL_MAX {
            kept.retain(|_, connection| connection.is_fresh());
        }
        if kept.len() < POOL_MAX {
            kept.insert(origin, connection);
        }
    }
}
