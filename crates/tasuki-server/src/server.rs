//! The listening side: connections, their limits, and the end.
//!
//! When it is told to stop it takes no new connection, finishes what was accepted, and then ends.

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

use crate::app::Entrance;
use crate::background::store_maintenance::Upkeep;
use crate::background::{external_writes, indexing, scheduler, supervisor};
use crate::middleware::client_address::Peer;
use crate::middleware::header_size;
use crate::state::{App, Shared};

/// After a failed accept, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    app: Shared,
    entrance: Arc<Entrance>,
    listener: TcpListener,
}

impl Server {
    /// Listens where the settings say.
    ///
    /// # Errors
    ///
    /// If the address is in use or not ours.
    pub async fn bind(mut app: App) -> io::Result<Self> {
        let listener = TcpListener::bind(app.settings.listen).await?;
        // Where any port will do, links name the one that it became.
        app.settings.listen = listener.local_addr()?;
        let app = Arc::new(app);
        let entrance = Arc::new(Entrance::of(&app));
        Ok(Self { app, entrance, listener })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// A code that signs a person in, once.
    pub fn welcome(&self, person: &str) -> String {
        self.app.welcome(person)
    }

    /// Answers until `stop` is done, and then what was accepted before.
    pub async fn run(self, upkeep: Arc<dyn Upkeep>, stop: impl Future<Output = ()>) {
        self.app.watch.is_told();
        let looked = external_writes::first_look(&self.app, upkeep.as_ref()).await;
        let look = external_writes::look(Arc::clone(&self.app), Arc::clone(&upkeep), looked);
        let looking = tokio::spawn(look);
        let indexing = tokio::spawn(indexing::run(Arc::clone(&self.app), Arc::clone(&upkeep)));
        let telling = supervisor::run_alone(Arc::clone(&self.app), Arc::clone(&upkeep));
        let telling = tokio::spawn(telling);
        let beside = tokio::spawn(scheduler::run(Arc::clone(&self.app), upkeep));
        let places = Arc::new(Semaphore::new(self.app.settings.limits.connections));
        let graceful = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = accept(&self.listener, &places) => accepted,
                () = &mut stop => break,
            };
            if let Some((stream, peer, place)) = accepted {
                self.answer(stream, peer, place, &graceful);
            }
        }
        // Whoever waits for news is answered now.
        self.app.stopping.send_replace(true);
        drop(self.listener);
        let farewell = self.app.settings.limits.farewell;
        let all_answered = tokio::time::timeout(farewell, graceful.shutdown()).await.is_ok();
        tracing::info!(all_answered, "stopped");
        looking.abort();
        indexing.abort();
        beside.abort();
        self.app.presence.end(&self.app.engine, self.app.people.as_ref()).await;
        telling.abort();
    }

    /// Answers the requests of one connection.
    fn answer(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        place: OwnedSemaphorePermit,
        graceful: &GracefulShutdown,
    ) {
        let entrance = Arc::clone(&self.entrance);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer::at(peer));
            let entrance = Arc::clone(&entrance);
            async move { Ok::<_, Infallible>(entrance.answer(request.map(Body::new)).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.app.settings.limits.arrival)
            .max_buf_size(header_size::BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A caller who hangs up is no event.
            if let Err(error) = watched.await {
                tracing::debug!(%peer, %error, "connection");
            }
            drop(place);
        });
    }
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Answers are small and somebody waits for each.
            let is_prompt = stream.set_nodelay(true).is_ok();
            tracing::trace!(%peer, is_prompt, "connected");
            Some((stream, peer, place))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}
