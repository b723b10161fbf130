//! Answers the requests of tools with the routes of this server.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use serde_json::Value;
use tasuki_engine::model::Principal;
use tasuki_mcp::{ApiRequest, Exchange, Refusal, Sent, Stopped};
use tasuki_packet::id::ProjectId;
use tower::ServiceExt as _;

use crate::auth::Caller;
use crate::extract::request_context::Admitted;
use crate::middleware::client_address::ClientAddress;
use crate::middleware::request_log;
use crate::state::Shared;

/// LIMIT: the bytes of one response to a tool.
const RESPONSE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The routes, and a caller of them.
pub(crate) struct RoutedExchange {
    pub(crate) app: Shared,
    pub(crate) routes: Router,
    pub(crate) caller: RoutedCaller,
}

/// The caller of the routes.
#[derive(Clone)]
pub(crate) enum RoutedCaller {
    /// A client with a token. Each request is authenticated, so that a revoked token ends at once.
    Token { authorization: HeaderValue, client: ClientAddress },
    /// A process with write access to the store.
    Local(Caller),
}

impl Exchange for RoutedExchange {
    fn send(&self, request: ApiRequest) -> Sent<'_> {
        Box::pin(async move {
            let request = built(request).map_err(|error| {
                Refusal::new(format!("invalid request: {error}"), "check the arguments")
            })?;
            let request = self.admitted(request)?;
            body(self.answered(request).await).await
        })
    }

    fn public_url(&self) -> Option<String> {
        self.app.settings.public_url.clone()
    }

    fn stopped(&self) -> Stopped<'_> {
        let mut stopping = self.app.stopping.subscribe();
        Box::pin(async move {
            drop(stopping.wait_for(|is_stopping| *is_stopping).await);
        })
    }
}

impl RoutedExchange {
    /// Adds the credential of the caller.
    fn admitted(&self, mut request: Request) -> Result<Request, Refusal> {
        match self.caller.clone() {
            RoutedCaller::Token { authorization, client } => {
                request.headers_mut().insert(AUTHORIZATION, authorization);
                request.extensions_mut().insert(client);
            }
            RoutedCaller::Local(caller) => {
                let permit =
                    self.app.limits.acquire_in_project(caller.project, &caller.rate_key(), false);
                let permit = permit.map_err(|problem| problem.document().clone())?;
                request.extensions_mut().insert(Admitted { caller, permit: Arc::new(permit) });
            }
        }
        Ok(request)
    }

    /// Runs one request, which is logged like any other.
    async fn answered(&self, mut request: Request) -> Response {
        let log = request_log::start(&mut request);
        let routes = self.routes.clone();
        let response = routes.oneshot(request).await.unwrap_or_else(|never| match never {});
        self.app.metrics.count_request(&log.finish(&response));
        response
    }
}

fn built(request: ApiRequest) -> Result<Request, axum::http::Error> {
    let method = match request.method {
        tasuki_mcp::Method::Get => Method::GET,
        tasuki_mcp::Method::Post => Method::POST,
    };
    let builder = Request::builder().method(method).uri(request.target);
    match request.body {
        Some(body) => {
            builder.header(CONTENT_TYPE, request.media).body(Body::from(body.to_string()))
        }
        None => builder.body(Body::empty()),
    }
}

async fn body(response: Response) -> Result<Value, Refusal> {
    let is_success = response.status().is_success();
    let unreadable = |error: &dyn fmt::Display| {
        Refusal::new(format!("unreadable response: {error}"), "ask for less at once")
    };
    let bytes = to_bytes(response.into_body(), RESPONSE_BYTES_MAX).await;
    let bytes = bytes.map_err(|error| unreadable(&error))?;
    if is_success {
        return serde_json::from_slice(&bytes).map_err(|error| unreadable(&error));
    }
    match serde_json::from_slice::<tasuki_api::Problem>(&bytes) {
        Ok(problem) => Err(problem.into()),
        Err(error) => Err(unreadable(&error)),
    }
}

/// The exchange of a local store, for the tools of one party.
pub struct LocalExchange(RoutedExchange);

impl LocalExchange {
    /// Creates the exchange of a party that the store itself trusts.
    pub(crate) fn new(
        app: Shared,
        routes: Router,
        project: ProjectId,
        principal: Principal,
    ) -> Self {
        let caller = RoutedCaller::Local(Caller { project, principal, person: None });
        Self(RoutedExchange { app, routes, caller })
    }
}

impl Exchange for LocalExchange {
    fn send(&self, request: ApiRequest) -> Sent<'_> {
        self.0.send(request)
    }
}

impl fmt::Debug for LocalExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalExchange").finish_non_exhaustive()
    }
}
