//! Assembles a server: the routes, behind the middleware that every request and response passes.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse as _, Response};
use tasuki_engine::engine::Engine;
use tasuki_engine::model::Principal;
use tasuki_engine::ports::AccountStore;
use tasuki_engine::steps::NewChannel;
use tasuki_packet::id::ProjectId;
use tower::Service as _;

use crate::background::supervisor;
use crate::delivery::channel;
use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, SystemResolver};
use crate::mcp::LocalExchange;
use crate::middleware::client_address::ClientAddress;
use crate::middleware::security_headers::with_security_headers;
use crate::middleware::{header_size, host, request_log, single_headers};
use crate::pages;
use crate::respond::problem::Problem;
use crate::router::{routes, single_requests};
use crate::settings::{Limits, Settings};
use crate::state::forwarded_connection::ForwardedConnection;
use crate::state::{App, Shared};

/// Returns the router of a server, for callers with their own listener.
pub fn router(app: App) -> Router {
    HttpService::new(&Arc::new(app)).into_router()
}

/// Returns the router and the delivery workers, which run as long as the future is polled.
pub fn router_and_workers(app: App) -> (Router, impl Future<Output = ()> + Send + 'static) {
    let app = Arc::new(app);
    (HttpService::new(&app).into_router(), supervisor::run(app, None))
}

/// Returns the exchange of a local store for the tools of one party. Nothing listens, and no limit on
/// requests applies.
pub fn local_exchange(
    engine: Engine,
    people: Arc<dyn AccountStore>,
    project: ProjectId,
    principal: Principal,
) -> LocalExchange {
    let limits = Limits {
        requests_per_token: 0,
        requests_per_project: 0,
        rows_per_token: 0,
        rows_per_project: 0,
        ..Limits::default()
    };
    let settings = Settings { limits, ..Settings::default() };
    let app = Arc::new(App::new(engine, people, settings));
    let routes = single_requests(&app);
    LocalExchange::new(app, routes, project, principal)
}

/// Checks that a server with these settings can deliver over a new channel. Used when a
/// subscription is added without a server.
pub async fn check_channel(settings: &Settings, new: &NewChannel) -> Result<(), Problem> {
    let webhooks = Sender::new(Arc::new(SystemResolver), settings.webhook_origins.clone());
    let mailer = settings.mail.clone().map(Mailer::new);
    channel::check(&webhooks, mailer.as_ref(), settings.public_url.as_deref(), new).await
}

/// The HTTP service of a server: middleware and routes.
#[derive(Debug)]
pub(crate) struct HttpService {
    app: Shared,
    routes: Router,
}

impl HttpService {
    pub(crate) fn new(app: &Shared) -> Self {
        Self { app: Arc::clone(app), routes: routes(app) }
    }

    /// Passes a request to its route and returns the response.
    pub(crate) async fn respond(&self, mut request: Request) -> Response {
        let log = request_log::start(&mut request);
        let client = ClientAddress::resolve(&self.app.settings, &mut request);
        let is_for_people = pages::is_for_people(&request);
        if is_for_people && request.method() == Method::HEAD {
            // The page is rendered from the whole response; hyper drops the body.
            *request.method_mut() = Method::GET;
        }
        let response = match self.check(client, &request) {
            Ok(connection) => {
                let Ok(response) = self.routes.clone().call(request).await;
                connection.hold(response)
            }
            Err(problem) => problem.into_response(),
        };
        let response =
            if is_for_people { Box::pin(pages::for_people(response)).await } else { response };
        let response = with_security_headers(response);
        self.app.metrics.count_request(&log.finish(&response));
        response
    }

    /// Checks what needs no credential.
    fn check(
        &self,
        client: ClientAddress,
        request: &Request,
    ) -> Result<ForwardedConnection, Problem> {
        let Self { app, .. } = self;
        header_size::check(request)?;
        single_headers::check(request)?;
        host::check(&app.settings, request)?;
        ForwardedConnection::acquire(&app.limits, client)
    }

    fn into_router(self) -> Router {
        let service = Arc::new(self);
        Router::new().fallback(move |request: Request| {
            let service = Arc::clone(&service);
            async move { service.respond(request).await }
        })
    }
}
