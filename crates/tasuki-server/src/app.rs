//! The assembly of a server: its routes behind what every request passes on its way in and out.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse as _, Response};
use tasuki_engine::enrol::NewChannel;
use tower::Service as _;

use crate::background::supervisor;
use crate::delivery::channel::must_be_open;
use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, SystemResolver};
use crate::middleware::client_address::Peer;
use crate::middleware::security_headers::hardened;
use crate::middleware::{header_size, host, request_log};
use crate::pages::{self, sign_in_link};
use crate::respond::problem::Problem;
use crate::router::routes;
use crate::settings::Settings;
use crate::state::{App, Shared};

/// The whole of what a server answers.
pub fn router(app: App) -> Router {
    Entrance::of(&Arc::new(app)).into_router()
}

/// The same, and beside it what tells others of events, which runs as long as it is polled.
pub fn router_and_rounds(app: App) -> (Router, impl Future<Output = ()> + Send + 'static) {
    let app = Arc::new(app);
    (Entrance::of(&app).into_router(), supervisor::run(app, None))
}

/// Refuses a channel over which a server with these settings could tell nobody, for whoever adds a
/// subscription beside the server.
pub async fn must_lead_somewhere(settings: &Settings, channel: &NewChannel) -> Result<(), Problem> {
    let webhooks = Sender::new(Arc::new(SystemResolver), settings.webhook_origins.clone());
    let mailer = settings.mail.clone().map(Mailer::new);
    must_be_open(&webhooks, mailer.as_ref(), channel).await
}

/// Where every request comes in and every answer goes out.
#[derive(Debug)]
pub(crate) struct Entrance {
    app: Shared,
    routes: Router,
}

impl Entrance {
    pub(crate) fn of(app: &Shared) -> Self {
        Self { app: Arc::clone(app), routes: routes(app) }
    }

    /// The way of a request to its route and back.
    pub(crate) async fn answer(&self, mut request: Request) -> Response {
        let followed = request_log::follow(&mut request);
        Peer::meet(&self.app.settings, &mut request);
        let is_for_people = pages::is_for_people(&request);
        if is_for_people && request.method() == Method::HEAD && !sign_in_link::is_link(&request) {
            // A page is made of the whole answer; whoever sends it leaves the body out.
            *request.method_mut() = Method::GET;
        }
        let may_pass = header_size::must_fit(&request)
            .and_then(|()| host::check(&self.app.settings, &request));
        let response = match may_pass {
            Ok(()) => {
                let Ok(response) = self.routes.clone().call(request).await;
                response
            }
            Err(problem) => problem.into_response(),
        };
        let response =
            if is_for_people { Box::pin(pages::for_people(response)).await } else { response };
        let response = hardened(response);
        self.app.metrics.answered(&followed.end(&response));
        response
    }

    /// The same for whoever brings a listening side of their own.
    fn into_router(self) -> Router {
        let entrance = Arc::new(self);
        Router::new().fallback(move |request: Request| {
            let entrance = Arc::clone(&entrance);
            async move { entrance.answer(request).await }
        })
    }
}
