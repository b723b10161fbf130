//! Authenticates tokens sent as `Authorization: Bearer`.
//!
//! A malformed token is refused without a read. A token revoked through this server is refused from
//! the next request on; one revoked through another process, within a second.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use tasuki_engine::model::directory::token::principal;
use tasuki_engine::model::{Principal, RemoteAddress};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::credential::Credential;

use super::Caller;
use crate::middleware::client_address::ClientAddress;
use crate::respond::problem::Problem;
use crate::state::App;
use crate::state::policy_cache::TokenPolicy;

pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Result<Credential, Problem>> {
    let sent = headers.get(AUTHORIZATION)?;
    let text = sent.to_str().ok().and_then(|text| text.split_once(' '));
    let token = text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, token)) = token else { return Some(Err(not_a_token())) };
    Some(token.trim().parse().map_err(|error| {
        Refusal::new(RefusalCode::TokenInvalid, format!("{error}"))
            .hint("an operator creates one with `tasuki token create --as NAME`")
            .into()
    }))
}

/// Returns the caller that owns a token.
pub(crate) async fn caller(
    app: &App,
    token: &Credential,
    client: ClientAddress,
) -> Result<Caller, Problem> {
    let store = app.engine.store().as_ref();
    let project = match app.projects.of_token(store, token).await? {
        // An address over its limit causes no read.
        None if app.limits.has_room_for_anonymous(client.key()) => {
            Box::pin(app.projects.of_token_now(store, token)).await?
        }
        found => found,
    };
    let project = project.ok_or_else(unknown)?;
    let cached = app.policy_cache.cached(&app.engine, project).await?;
    let place = client.place();
    let principal = match verify(app, &cached, token, place) {
        Ok(principal) => principal,
        // An address over its limit causes no read.
        Err(refusal) if !app.limits.has_room_for_anonymous(client.key()) => {
            return Err(refusal.into());
        }
        // The token may be newer than the cached policy.
        Err(_) => {
            let now = Box::pin(app.policy_cache.fresh(&app.engine, project)).await?;
            verify(app, &now, token, place)?
        }
    };
    if let Some(token) = principal.credential {
        app.token_usage.record(token, app.engine.now());
    }
    Ok(Caller { project, principal, person: None })
}

fn verify(
    app: &App,
    policy: &TokenPolicy,
    token: &Credential,
    place: RemoteAddress,
) -> Result<Principal, Refusal> {
    // By the wall clock: a log whose last leaf is in the future must not expire every token.
    principal(&policy.directory, &policy.key, token, place, app.engine.now())
}

fn not_a_token() -> Problem {
    Refusal::new(RefusalCode::TokenInvalid, "`Authorization` has no bearer token")
        .hint("send `Authorization: Bearer TOKEN`")
        .into()
}

/// Reports an unknown token with the message of a token that its project does not know, so that the
/// two cannot be told apart.
fn unknown() -> Problem {
    Refusal::new(RefusalCode::TokenInvalid, "invalid token")
        .hint("an operator creates one with `tasuki token create --as NAME`")
        .into()
}
