//! Who asks: by a token, else by a session. A request that shows a token is never taken for a person's.

use axum::http::HeaderMap;
use tasuki_packet::problem::DoorCode;

use super::{Caller, session, token};
use crate::app::App;
use crate::peer::Peer;
use crate::problem::Problem;

/// Who a request is from.
pub(crate) async fn caller(app: &App, peer: Peer, headers: &HeaderMap) -> Result<Caller, Problem> {
    if let Some(shown) = token::shown(headers) {
        return token::caller(app, &shown?, peer.place(headers)).await;
    }
    match session::shown(headers) {
        Some(id) => session::caller(app, headers, &id).await,
        None => Err(missing()),
    }
}

/// Nobody said who asks.
pub(crate) fn missing() -> Problem {
    Problem::door(DoorCode::CredentialMissing, "nobody said who is asking")
        .hint("send `Authorization: Bearer` and a token; `tasuki token create` makes one")
}
