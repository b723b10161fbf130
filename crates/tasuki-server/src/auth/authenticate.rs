//! Authenticates callers: by a token, else by a session. A request with a token is never taken for a person's.

use axum::http::HeaderMap;
use tasuki_api::problem::HttpErrorCode;

use super::authorize::authorize;
use super::{Caller, session, token};
use crate::middleware::client_address::ClientAddress;
use crate::operation::Operation;
use crate::respond::problem::Problem;
use crate::state::App;

/// What a credential is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A request, which is a use of the credential.
    Request,
    /// A caller that still waits for its response. That is no use, or a stream would keep an abandoned
    /// session alive.
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

/// Checks that a caller that waits for its response may still ask for the operation: a credential can
/// expire or be revoked meanwhile.
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
    match session::cookie(headers) {
        // Boxed, so that requests with a token do not carry the room for it.
        Some(id) => Box::pin(session::caller(app, headers, &id, purpose)).await,
        None => Err(credential_missing()),
    }
}

/// The request has no credential.
pub(crate) fn credential_missing() -> Problem {
    Problem::with_code(HttpErrorCode::CredentialMissing, "nobody said who is asking")
        .hint("send `Authorization: Bearer` and a token; `tasuki token create` makes one")
}
