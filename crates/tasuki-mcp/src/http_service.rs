//! Serves MCP over Streamable HTTP, in both eras of the protocol, without state between requests.
//!
//! The server in front checks host, origin, size and credential, and passes in the exchange of the caller.
//! Requests of clients before 2026-07-28 get no session either: every request has its credential, a
//! restart of the server loses nothing, and no idle session needs memory.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::exchange::Exchange;
use crate::handler::Handler;
use crate::session::Session;

/// The MCP endpoint of a server.
#[derive(Clone)]
pub struct HttpService(StreamableHttpService<Handler, LocalSessionManager>);

impl HttpService {
    /// Creates an endpoint. The server in front checks hosts and origins.
    #[expect(clippy::new_without_default, reason = "it starts a service")]
    pub fn new() -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts();
        let handler = || Ok(Handler::of_requests());
        Self(StreamableHttpService::new(handler, Arc::new(LocalSessionManager::default()), config))
    }

    /// Answers a request for the caller that this exchange serves.
    pub async fn respond<B>(
        &self,
        mut request: http::Request<B>,
        exchange: Arc<dyn Exchange>,
    ) -> http::Response<impl http_body::Body<Data = Bytes, Error = Infallible> + Send + use<B>>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        request.extensions_mut().insert(Session::of_request(exchange));
        self.0.handle(request).await
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}
