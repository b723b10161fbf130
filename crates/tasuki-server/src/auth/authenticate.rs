//! Who asks: by a token, else by a session. A request that shows a token is never taken for a person's.

use axum::http::HeaderMap;
use tasuki_packet::problem::DoorCode;

use super::authorize::authorize;
use super::{Caller, session, token};
use crate::middleware::client_address::Peer;
use crate::operation::Operation;
use crate::respond::problem::Problem;
use crate::state::App;

/// What a credential is shown for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Somebody asks for something, which is a use of it.
    Ask,
    /// Somebody waits for the answer. That is no use, or a stream would keep a session alive at which
    /// nobody sits.
    Wait,
}

/// Who a request is from.
pub(crate) async fn caller(app: &App, peer: Peer, headers: &HeaderMap) -> Result<Caller, Problem> {
    shown(app, peer, headers, Purpose::Ask).await
}

/// Whether somebody may still ask for an operation while they wait for its answer: a credential can end
/// meanwhile.
pub(crate) async fn still_may(
    app: &App,
    peer: Peer,
    operation: &Operation,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let caller = shown(app, peer, headers, Purpose::Wait).await?;
    authorize(operation, &caller.principal)
}

async fn shown(
    app: &App,
    peer: Peer,
    headers: &HeaderMap,
    purpose: Purpose,
) -> Result<Caller, Problem> {
    if let Some(shown) = token::shown(headers) {
        return token::caller(app, &shown?, peer).await;
    }
    match session::shown(headers) {
        // Boxed, so that requests with a token do not carry the room for it.
        Some(id) => Box::pin(session::caller(app, headers, &id, purpose)).await,
        None => Err(missing()),
    }
}

/// Nobody said who asks.
pub(crate) fn missing() -> Problem {
    Problem::door(DoorCode::CredentialMissing, "nobody said who is asking")
        .hint("send `Authorization: Bearer` and a token; `tasuki token create` makes one")
}
