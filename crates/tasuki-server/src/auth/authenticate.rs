//! Authenticates callers by a token or, without one, as the person whom a trusted proxy names or
//! whose session it is. A request that has a token is never treated as a person's.

use axum::http::HeaderMap;
use tasuki_api::problem::HttpErrorCode;
use tasuki_packet::leaf::Authentication;

use super::authorize::authorize;
use super::{Caller, session, single_sign_on, token};
use crate::middleware::client_address::ClientAddress;
use crate::operation::Operation;
use crate::respond::problem::Problem;
use crate::state::App;

/// The purpose of checking a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A request, which counts as a use of the credential.
    Request,
    /// A caller that is waiting for its response. This is not a use, because a stream would
    /// otherwise keep an abandoned session alive.
    Wait,
}

/// Returns the caller of a request.
pub(crate) async fn authenticate(
    app: &App,
    client: ClientAddress,
    headers: &HeaderMap,
) -> Result<Caller, Problem> {
    identify(app, client, headers, Purpose::Request).await
}

/// Checks that a waiting caller is still authorized. Its credential may have expired or been
/// revoked.
pub(crate) async fn reauthorize(
    app: &App,
    client: ClientAddress,
    operation: &Operation,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let caller = identify(app, client, headers, Purpose::Wait).await?;
    authorize(operation, &caller.principal)
}

async fn identify(
    app: &App,
    client: ClientAddress,
    headers: &HeaderMap,
    purpose: Purpose,
) -> Result<Caller, Problem> {
    if let Some(sent) = token::from_headers(headers) {
        return token::caller(app, &sent?, client).await;
    }
    if let Some(person) = single_sign_on::person(&app.settings, client, headers) {
        return Box::pin(session::caller_of(app, headers, person?, Authentication::Proxy)).await;
    }
    match session::cookie(headers) {
        // Boxed, so that the future of a request with a token stays small.
        Some(id) => Box::pin(session::caller(app, headers, &id, purpose)).await,
        None => Err(credential_missing()),
    }
}

/// Reports a request without a credential.
pub(crate) fn credential_missing() -> Problem {
    Problem::with_code(HttpErrorCode::CredentialMissing, "no credential given")
        .hint("send `Authorization: Bearer TOKEN`; create a token with `tasuki token create`")
}
