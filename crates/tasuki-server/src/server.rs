//! Accepts connections, limits them, and shuts down gracefully.
//!
//! On shutdown the server accepts no new connections, completes accepted requests and ends.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::app::HttpService;
use crate::background::store_maintenance::StoreMaintenance;
use crate::background::{external_writes, indexing, scheduler, supervisor};
use crate::middleware::client_address::{ClientAddress, ClientKey};
use crate::middleware::header_size;
use crate::respond::problem::Problem;
use crate::state::limits::busy;
use crate::state::{App, Shared};

/// The pause after a failed accept, for example when file descriptors run out.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// A listening server.
#[derive(Debug)]
pub struct Server {
    app: Shared,
    service: Arc<HttpService>,
    listener: TcpListener,
}

impl Server {
    /// Binds the configured address.
    ///
    /// # Errors
    ///
    /// Fails if the address is in use or does not belong to this machine.
    pub async fn bind(mut app: App) -> io::Result<Self> {
        let listener = TcpListener::bind(app.settings.listen).await?;
        // With port 0, links need the actual port.
        app.settings.listen = listener.local_addr()?;
        let app = Arc::new(app);
        let service = Arc::new(HttpService::new(&app));
        Ok(Self { app, service, listener })
    }

    /// Returns the address it listens on.
    ///
    /// # Errors
    ///
    /// Fails if the operating system does not return the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Creates the code of a link that signs a person in once.
    pub fn sign_in_link(&self, person: &str) -> String {
        self.app.sign_in_link(person)
    }

    /// Serves until `stop` completes, then completes the accepted requests.
    pub async fn run(self, maintenance: Arc<dyn StoreMaintenance>, stop: impl Future<Output = ()>) {
        self.app.change_watch.expect_wakes();
        let snapshots = external_writes::snapshot(&self.app, maintenance.as_ref()).await;
        let watch =
            external_writes::watch(Arc::clone(&self.app), Arc::clone(&maintenance), snapshots);
        let watching = tokio::spawn(watch);
        let indexing = tokio::spawn(indexing::run(Arc::clone(&self.app), Arc::clone(&maintenance)));
        let delivering =
            supervisor::run_while_owned(Arc::clone(&self.app), Arc::clone(&maintenance));
        let delivering = tokio::spawn(delivering);
        let scheduling = tokio::spawn(scheduler::run(Arc::clone(&self.app), maintenance));
        let permits = Arc::new(Semaphore::new(self.app.settings.limits.connections));
        let graceful = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = accept(&self.listener, &permits) => accepted,
                () = &mut stop => break,
            };
            if let Some((stream, peer, permit)) = accepted {
                match self.permit_of(peer) {
                    Ok(of_address) => self.serve(stream, peer, (permit, of_address), &graceful),
                    Err(problem) => refuse(&stream, &problem),
                }
            }
        }
        // Waiting requests are answered now.
        self.app.stopping.send_replace(true);
        drop(self.listener);
        let shutdown_grace = self.app.settings.limits.shutdown_grace;
        let all_answered = tokio::time::timeout(shutdown_grace, graceful.shutdown()).await.is_ok();
        tracing::info!(all_answered, "server stopped");
        watching.abort();
        indexing.abort();
        scheduling.abort();
        self.app.heartbeat.stop(&self.app.engine, self.app.people.as_ref()).await;
        delivering.abort();
    }

    /// Acquires the permit of an address for one more connection. A proxy needs none: each request
    /// counts for the client that it forwards.
    fn permit_of(&self, peer: SocketAddr) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        let peer = peer.ip().to_canonical();
        if self.app.settings.is_proxy(peer) {
            return Ok(None);
        }
        let permit = self.app.limits.acquire_connection(ClientKey::from(peer));
        permit.map(Some).ok_or_else(|| busy("too many connections from this address"))
    }

    fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        permits: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>),
        graceful: &GracefulShutdown,
    ) {
        let service = Arc::clone(&self.service);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ClientAddress::of(peer));
            let service = Arc::clone(&service);
            async move { Ok::<_, Infallible>(service.respond(request.map(Body::new)).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.app.settings.limits.body_timeout)
            .max_buf_size(header_size::BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A caller that hangs up is not an error.
            if let Err(error) = watched.await {
                tracing::debug!(%peer, %error, "connection failed");
            }
            drop(permits);
        });
    }
}

/// Answers a connection that is not served, as far as its buffer takes the answer.
fn refuse(stream: &TcpStream, problem: &Problem) {
    let body = serde_json::to_string(problem.document()).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
         retry-after: 1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let is_answered = stream.try_write(answer.as_bytes()).is_ok();
    tracing::debug!(is_answered, "connection refused");
}

/// Accepts the next connection once a permit is free.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Responses are small, and the caller waits for each.
            let is_prompt = stream.set_nodelay(true).is_ok();
            tracing::trace!(%peer, is_prompt, "connection accepted");
            Some((stream, peer, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "accepting a connection failed");
            tokio::time::sleep(ACCEPT_BACKOFF).await;
            None
        }
    }
}
