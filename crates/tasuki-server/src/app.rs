//! All routes on one screen, and the way that every request takes to one of them.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, on};
use axum::{Extension, Router};
use tasuki_engine::enrol::NewChannel;
use tasuki_packet::problem::DoorCode;
use tokio::sync::SemaphorePermit;
use tower::Service as _;

use crate::api::operations as op;
use crate::api::v1;
use crate::auth::{Caller, authenticate, authorize};
use crate::background::supervisor;
use crate::delivery::channel::must_be_open;
use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, SystemResolver};
use crate::extract::idempotency::{self, replay};
use crate::extract::if_match;
use crate::extract::parameters;
use crate::extract::request_context::Entered;
use crate::middleware::client_address::Peer;
use crate::middleware::request_log::Note;
use crate::middleware::{header_size, host, request_log};
use crate::operation::{Access, Operation};
use crate::ops::{health, metrics};
use crate::pages::{self, sign_in_link};
use crate::respond::html;
use crate::respond::problem::{Problem, nothing_here};
use crate::settings::Settings;
use crate::state::{App, Shared};

/// Every operation with its handler; a batch has a route of its own.
fn operations() -> Router<Shared> {
    routed([
        route(&op::SUBMIT, v1::handoffs::submit),
        route(&op::LIST_HANDOFFS, v1::handoffs::list),
        route(&op::SHOW_HANDOFF, v1::handoffs::show),
        route(&op::SHOW_PACKET, v1::handoffs::packet::show),
        route(&op::SHOW_TRAIL, v1::handoffs::packet::trail),
        route(&op::REVISE, v1::handoffs::revisions::revise),
        route(&op::DECIDE, v1::handoffs::decisions::decide),
        route(&op::ASK, v1::handoffs::questions::ask),
        route(&op::ANSWER, v1::handoffs::questions::answer),
        route(&op::CLAIM, v1::handoffs::claims::claim),
        route(&op::CHECKPOINT, v1::handoffs::checkpoints::checkpoint),
        route(&op::RETURN, v1::handoffs::returns::give_back),
        route(&op::LIST_RETURNS, v1::handoffs::returns::list),
        route(&op::VERIFY, v1::handoffs::verdicts::verify),
        route(&op::DECLINE, v1::handoffs::declines::decline),
        route(&op::CLAIM_NEXT, v1::handoffs::claims::claim_next),
        route(&op::RENEW, v1::handoffs::claims::renew),
        route(&op::RELEASE, v1::handoffs::claims::release),
        route(&op::PARK, v1::handoffs::claims::park),
        route(&op::HOLD, v1::handoffs::claims::hold),
        route(&op::BEGIN, v1::tasks::begin),
        route(&op::TIMELINE, v1::tasks::timeline),
        route(&op::RESUME, v1::tasks::resume),
        route(&op::INBOX, v1::events::inbox::inbox),
        route(&op::EVENTS, v1::events::events),
        route(&op::SEARCH, v1::events::search::search),
        route(&op::STATS, v1::events::stats::stats),
        route(&op::LIST_DECISIONS, v1::handoffs::decisions::list),
        route(&op::LIST_CONTRACTS, v1::policy::contracts::list),
        route(&op::PUBLISH_CONTRACT, v1::policy::contracts::publish),
        route(&op::SHOW_CONTRACT, v1::policy::contracts::show),
        route(&op::LIST_GATES, v1::policy::gates::list),
        route(&op::PUBLISH_GATE, v1::policy::gates::publish),
        route(&op::SHOW_GATE, v1::policy::gates::show),
        route(&op::SHOW_RULES, v1::policy::rules::show),
        route(&op::SET_RULES, v1::policy::rules::set),
        route(&op::LIST_PARTIES, v1::identity::parties::list),
        route(&op::SHOW_PARTY, v1::identity::parties::show),
        route(&op::ADD_PARTY, v1::identity::parties::add),
        route(&op::LIST_DEAD, v1::admin::dead_letters::list),
        route(&op::REDRIVE, v1::admin::dead_letters::redrive),
        route(&op::DISCARD, v1::admin::dead_letters::discard),
        route(&op::HALT, v1::admin::halt::halt),
        route(&op::LIFT, v1::admin::halt::lift),
        route(&op::LIST_LEAVES, v1::admin::log::leaves),
        route(&op::CHECK_LOG, v1::admin::log::check),
        route(&op::SHOW_PROJECT, v1::policy::project::show),
        route(&op::SET_PROJECT, v1::policy::project::set),
        route(&op::WHOAMI, v1::identity::whoami::whoami),
        route(&op::LIST_TOKENS, v1::identity::tokens::list),
        route(&op::CREATE_TOKEN, v1::identity::tokens::create),
        route(&op::REVOKE_TOKEN, v1::identity::tokens::revoke),
        route(&op::LIST_SUBSCRIPTIONS, v1::subscriptions::list),
        route(&op::ADD_SUBSCRIPTION, v1::subscriptions::add),
        route(&op::SHOW_SUBSCRIPTION, v1::subscriptions::show),
        route(&op::REMOVE_SUBSCRIPTION, v1::subscriptions::remove),
        route(&op::DISABLE_SUBSCRIPTION, v1::subscriptions::disable),
        route(&op::ENABLE_SUBSCRIPTION, v1::subscriptions::enable),
        route(&op::ROTATE_SECRET, v1::subscriptions::rotate),
        route(&op::LIST_DELIVERIES, v1::subscriptions::deliveries),
        route(&op::TEST_SUBSCRIPTION, v1::subscriptions::test),
        route(&op::REPLAY, v1::subscriptions::replay),
        route(&op::SIGN_IN, v1::identity::sessions::sign_in),
        route(&op::SIGN_OUT, v1::identity::sessions::sign_out),
        route(&op::VALIDATE, v1::packets::validate::validate),
        route(&op::SCHEMA, v1::packets::schema::schema),
        route(&op::OPENAPI, v1::packets::openapi::openapi),
    ])
}

fn routed(
    routes: impl IntoIterator<Item = (&'static str, MethodRouter<Shared>)>,
) -> Router<Shared> {
    routes.into_iter().fold(Router::new(), |router, (path, route)| router.route(path, route))
}

/// The route of an operation: its path and method from the table, its handler behind a [`Door`].
fn route<H, T>(operation: &'static Operation, handler: H) -> (&'static str, MethodRouter<Shared>)
where
    H: Handler<T, Shared>,
    T: 'static,
{
    (operation.path, on(operation.verb.filter(), Door { operation, handler }))
}

/// A handler behind the question who asks. It is a handler itself and no layer, because every layer moves
/// the request to another place in memory.
#[derive(Clone)]
struct Door<H> {
    operation: &'static Operation,
    handler: H,
}

impl<H, T> Handler<T, Shared> for Door<H>
where
    H: Handler<T, Shared>,
    T: 'static,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, mut request: Request, app: Shared) -> Self::Future {
        Box::pin(async move {
            let _place = match enter(&app, self.operation, &mut request).await {
                Ok(place) => place,
                Err(problem) => return problem.into_response(),
            };
            let keyed = match replay::note(&app, self.operation, &mut request).await {
                Ok(keyed) => keyed,
                Err(problem) => return problem.into_response(),
            };
            let response = self.handler.call(request, Arc::clone(&app)).await;
            match keyed.filter(|_| response.status().is_client_error()) {
                Some(keyed) => keyed.again(&app, self.operation, response).await,
                None => response,
            }
        })
    }
}

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

fn routes(app: &Shared) -> Router {
    let single = operations().with_state(Arc::clone(app));
    let alone = single.clone().fallback(nothing).method_not_allowed_fallback(not_so);
    let batch = routed([route(&op::BATCH, v1::packets::batch::batch)]);
    let batch = batch.layer(Extension(v1::packets::batch::Inner(alone)));
    single
        .merge(batch.merge(outside(app)).with_state(Arc::clone(app)))
        .fallback(nothing)
        .method_not_allowed_fallback(not_so)
}

/// What is no operation of the interface.
fn outside(app: &Shared) -> Router<Shared> {
    let pages = Router::new()
        .route("/", get(pages::home))
        .route("/docs", get(pages::index))
        .route("/docs/errors", get(pages::errors))
        .route("/docs/errors/{code}", get(pages::error))
        .route("/docs/style.css", get(html::style))
        .route(sign_in_link::PATH, get(sign_in_link::welcome).head(not_so))
        .layer(from_fn_with_state(app.clone(), for_strangers));
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::metrics))
        .merge(pages)
}

/// Who asks, may they, is it too much. Gives the place that the request takes while it is worked on.
async fn enter<'a>(
    app: &'a App,
    operation: &'static Operation,
    request: &mut Request,
) -> Result<Option<SemaphorePermit<'a>>, Problem> {
    let note = request.extensions().get::<Note>().cloned().unwrap_or_default();
    note.operation(operation);
    let peer = request.extensions().get::<Peer>().copied().unwrap_or_default();
    // What comes in a batch has shown its credential already, and has its place.
    let entered = request.extensions_mut().remove::<Entered>();
    let is_in_batch = entered.is_some();
    if operation.access == Access::Everybody {
        match entered {
            Some(Entered { caller, .. }) => app.limits.take(&caller.rate_key(), caller.project)?,
            None => app.limits.take_stranger(peer.origin())?,
        }
    } else {
        let (caller, share) = match entered {
            Some(Entered { caller, share }) => (caller, Some(share)),
            None => (recognized(app, peer, request.headers()).await?, None),
        };
        note.caller(caller.project, caller.principal.party);
        app.active.note(caller.project);
        app.limits.take(&caller.rate_key(), caller.project)?;
        authorize::authorize(operation, &caller.principal)?;
        if_match::must_count(operation, request.headers())?;
        idempotency::must_count(operation, request.headers())?;
        // Whoever answers keeps it, a stream for as long as it goes on.
        let share = match share {
            Some(share) => share,
            None => Arc::new(app.limits.share(caller.project, operation.waits)?),
        };
        request.extensions_mut().insert(Entered { caller, share });
    }
    parameters::check(operation, request.uri())?;
    // Only now, so that a project that comes too often takes no place from another.
    if operation.waits || is_in_batch { Ok(None) } else { app.limits.enter().map(Some) }
}

/// Who asks. Whoever does not prove it counts for their address, after and not before it is known: a
/// stranger must not use up what others at the same address need.
async fn recognized(app: &App, peer: Peer, headers: &HeaderMap) -> Result<Caller, Problem> {
    let caller = authenticate::caller(app, peer, headers).await;
    if caller.as_ref().is_err_and(|problem| problem.status() < 500) {
        app.limits.take_stranger(peer.origin())?;
    }
    caller
}

/// The same for pages, which anybody may see.
async fn for_strangers(
    State(app): State<Shared>,
    peer: Peer,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    app.limits.take_stranger(peer.origin())?;
    Ok(next.run(request).await)
}

async fn nothing() -> Problem {
    nothing_here()
}

async fn not_so(request: Request) -> Problem {
    let detail = format!("`{}` cannot be done here", request.method());
    Problem::door(DoorCode::MethodUnknown, detail).hint("`/docs` lists everything that can")
}

/// What every answer says to browsers: keep nothing, guess nothing, show nothing of others.
const HARDENING: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

fn hardened(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HARDENING {
        headers.entry(name).or_insert(value);
    }
    response
}
