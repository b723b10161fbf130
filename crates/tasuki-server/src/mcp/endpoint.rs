//! The route `/mcp`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::response::Response;
use tasuki_api::problem::HttpErrorCode;
use tasuki_mcp::HttpService;

use super::exchange::{RoutedCaller, RoutedExchange};
use super::metadata;
use crate::auth::{Caller, authenticate, token};
use crate::extract::arrival;
use crate::middleware::client_address::ClientAddress;
use crate::middleware::request_log::RequestLog;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// LIMIT: the bytes of one message, which has at most one packet.
const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The MCP service and the routes that its tools use.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) service: HttpService,
    pub(crate) routes: axum::Router,
}

/// Answers a request of an MCP client with a token. A session of a person is not accepted, because
/// the model behind a client would act in their name.
pub(crate) async fn endpoint(
    State(app): State<Shared>,
    client: ClientAddress,
    Extension(Endpoint { service, routes }): Extension<Endpoint>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = admit(&app, client, request.headers()).await.map_err(|problem| {
        let challenge = metadata::challenge(&app.settings, request.headers());
        if problem.status() == 401 { problem.header(WWW_AUTHENTICATE, &challenge) } else { problem }
    })?;
    if let Some(log) = request.extensions().get::<RequestLog>() {
        log.set_caller(caller.project, caller.principal.party);
    }
    let (parts, body) = request.into_parts();
    let by = caller.rate_key();
    let _reserved =
        arrival::reserve(&app, &parts.headers, BODY_BYTES_MAX, client, Some(&by)).await?;
    let body = arrival::receive(&parts.headers, body, &app, BODY_BYTES_MAX).await?;
    let authorization = parts.headers.get(AUTHORIZATION).cloned();
    let authorization = authorization.ok_or_else(authenticate::credential_missing)?;
    let caller = RoutedCaller::Token { authorization, client };
    let exchange = Arc::new(RoutedExchange { app, routes, caller });
    let request = Request::from_parts(parts, Body::from(body));
    Ok(service.respond(request, exchange).await.map(Body::new))
}

/// Authenticates the caller, and counts the request.
async fn admit(
    app: &Shared,
    client: ClientAddress,
    headers: &HeaderMap,
) -> Result<Caller, Problem> {
    let sent = token::from_headers(headers);
    let sent = sent.unwrap_or_else(|| Err(authenticate::credential_missing()));
    let caller = match sent {
        Ok(sent) => token::caller(app, &sent, client).await,
        Err(problem) => Err(problem),
    };
    let caller = caller.inspect_err(|_| {
        // A refusal counts against the address, as for every operation.
        drop(app.limits.take_anonymous(client.key()));
    })?;
    app.limits.take(&caller.rate_key(), caller.project)?;
    if caller.principal.is_human() {
        let detail = "this token belongs to a person, and MCP tools act for agents";
        return Err(Problem::with_code(HttpErrorCode::CallerHuman, detail)
            .hint("use the token of an agent: `tasuki token create --as NAME`"));
    }
    Ok(caller)
}
