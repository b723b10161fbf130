//! All routes on one screen: the operations with their handlers, the pages, and the endpoints for
//! operators.

mod guard;

use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, get, on};
use axum::{Extension, Router};
use guard::{Guarded, limit_anonymous};
use tasuki_api::problem::HttpErrorCode;
use tasuki_mcp::HttpService;

use crate::api::{operations as op, v1};
use crate::mcp::{self, Endpoint};
use crate::operation::Operation;
use crate::ops::{health, metrics};
use crate::pages;
use crate::respond::html;
use crate::respond::problem::{Problem, unknown_route};
use crate::state::Shared;

/// Returns every route of a server.
pub(crate) fn routes(app: &Shared) -> Router {
    let single = operations().with_state(Arc::clone(app));
    let alone = single_requests(app);
    let mcp = Endpoint { service: HttpService::new(), routes: alone.clone() };
    let batch = router_of(vec![route(&op::BATCH, v1::packets::batch::batch)]);
    let batch = batch.layer(Extension(v1::packets::batch::SingleRouter(alone)));
    single
        .merge(batch.merge(pages_and_ops(app)).merge(agents(mcp)).with_state(Arc::clone(app)))
        .fallback(route_not_found)
        .method_not_allowed_fallback(method_not_allowed)
}

/// Returns the routes of single requests, for requests that are made within the server.
pub(crate) fn single_requests(app: &Shared) -> Router {
    operations()
        .with_state(Arc::clone(app))
        .fallback(route_not_found)
        .method_not_allowed_fallback(method_not_allowed)
}

/// Returns the route of MCP clients.
fn agents(endpoint: Endpoint) -> Router<Shared> {
    Router::new().route("/mcp", any(mcp::endpoint).layer(Extension(endpoint)))
}

/// Returns the routes beside the operations: pages, health and metrics.
fn pages_and_ops(app: &Shared) -> Router<Shared> {
    let pages = Router::new()
        .route("/", get(pages::home))
        .route("/docs", get(pages::index))
        .route("/docs/errors", get(pages::errors))
        .route("/docs/errors/{code}", get(pages::error))
        .route("/docs/style.css", get(html::style))
        .route("/ui", get(pages::console))
        .route("/ui/", get(pages::console))
        .route("/ui/{*path}", get(pages::console))
        .route("/r/{item}", get(pages::registry_item))
        .route(mcp::METADATA_PATH, get(mcp::metadata))
        .route(mcp::METADATA_ROOT_PATH, get(mcp::metadata))
        .layer(from_fn_with_state(app.clone(), limit_anonymous));
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::metrics))
        .merge(pages)
}

/// Returns every operation with its handler. A batch has its own route.
#[expect(clippy::too_many_lines, reason = "one line for each operation")]
fn operations() -> Router<Shared> {
    router_of(vec![
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
        route(&op::LIST_CHECKPOINTS, v1::handoffs::checkpoints::list),
        route(&op::LIST_ACTIONS, v1::handoffs::actions::list),
        route(&op::RETURN, v1::handoffs::returns::submit),
        route(&op::LIST_RETURNS, v1::handoffs::returns::list),
        route(&op::VERIFY, v1::handoffs::verdicts::verify),
        route(&op::DECLINE, v1::handoffs::declines::decline),
        route(&op::CLAIM_NEXT, v1::handoffs::claims::claim_next),
        route(&op::RENEW, v1::handoffs::claims::renew),
        route(&op::ADOPT, v1::handoffs::claims::adopt),
        route(&op::RELEASE, v1::handoffs::claims::release),
        route(&op::PARK, v1::handoffs::claims::park),
        route(&op::REQUEST_APPROVAL, v1::handoffs::claims::request_approval),
        route(&op::WITHDRAW, v1::handoffs::claims::withdraw),
        route(&op::BEGIN, v1::tasks::begin),
        route(&op::TIMELINE, v1::tasks::timeline),
        route(&op::LIST_TASK_LEAVES, v1::tasks::leaves),
        route(&op::RESUME, v1::tasks::resume),
        route(&op::ADD_SNAPSHOT, v1::snapshots::add),
        route(&op::LIST_SNAPSHOTS, v1::snapshots::list),
        route(&op::SNAPSHOT_BUNDLE, v1::snapshots::bundle),
        route(&op::INBOX, v1::events::inbox::inbox),
        route(&op::ACKNOWLEDGE, v1::events::inbox::acknowledge),
        route(&op::EVENTS, v1::events::events),
        route(&op::SEARCH, v1::events::search::search),
        route(&op::STATS, v1::events::stats::stats),
        route(&op::OVERVIEW, v1::events::stats::overview),
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
        route(&op::BEGIN_ABSENCE, v1::identity::parties::begin_absence),
        route(&op::END_ABSENCE, v1::identity::parties::end_absence),
        route(&op::LIST_DEAD, v1::admin::dead_letters::list),
        route(&op::REDRIVE, v1::admin::dead_letters::redrive),
        route(&op::DISCARD, v1::admin::dead_letters::discard),
        route(&op::HALT, v1::admin::halt::halt),
        route(&op::LIFT, v1::admin::halt::lift),
        route(&op::LIST_LEAVES, v1::admin::log::leaves),
        route(&op::CHECK_LOG, v1::admin::log::check),
        route(&op::DOCTOR, v1::admin::doctor::check),
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
    .merge(mail_codes())
}

/// Returns the operations whose proof is a mailed code.
fn mail_codes() -> Router<Shared> {
    router_of(vec![
        route(&op::VIEW_MAIL_CODE, v1::identity::mail_codes::view),
        route(&op::REDEEM_MAIL_CODE, v1::identity::mail_codes::redeem),
    ])
}

fn router_of(routes: Vec<(&'static str, MethodRouter<Shared>)>) -> Router<Shared> {
    routes.into_iter().fold(Router::new(), |router, (path, route)| router.route(path, route))
}

/// Returns the route of an operation: path and method from the table, its handler behind
/// [`Guarded`].
fn route<H, T>(operation: &'static Operation, handler: H) -> (&'static str, MethodRouter<Shared>)
where
    H: Handler<T, Shared>,
    T: 'static,
{
    (operation.path, on(operation.verb.filter(), Guarded { operation, handler }))
}

async fn route_not_found() -> Problem {
    unknown_route()
}

async fn method_not_allowed(request: Request) -> Problem {
    let detail = format!("method `{}` is not allowed here", request.method());
    Problem::with_code(HttpErrorCode::MethodUnknown, detail)
        .hint("see `/docs` for the methods of each route")
}
