//! `/ui/welcome?t=`: the sign-in link that `tasuki serve` prints. It signs in the person who
//! started the server, once, and only from this machine.

use axum::extract::{Request, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use crate::api::v1::identity::sessions::{cookie, link_invalid};
use crate::extract::parameters::Parameters;
use crate::middleware::client_address::ClientAddress;
use crate::respond::headers;
use crate::respond::problem::{Problem, unknown_route};
use crate::state::Shared;

pub(crate) const PATH: &str = "/ui/welcome";

#[derive(Debug, Deserialize)]
pub(crate) struct LinkQuery {
    t: String,
}

/// Returns `true` if a request is for the link. A `HEAD` request, as sent by link previews, must
/// not redeem it.
pub(crate) fn is_link(request: &Request) -> bool {
    request.uri().path() == PATH
}

pub(crate) async fn sign_in(
    State(app): State<Shared>,
    client: ClientAddress,
    headers: HeaderMap,
    Parameters(link): Parameters<LinkQuery>,
) -> Result<Response, Problem> {
    if !client.is_local() {
        return Err(unknown_route());
    }
    app.limits.take_sign_in_from(client.key())?;
    let (id, session) = app.open_link_session(&link.t).await?.ok_or_else(link_invalid)?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    let set = cookie(&headers, &id, session.expires_at, &app);
    headers::insert(response.headers_mut(), SET_COOKIE, set);
    headers::insert(response.headers_mut(), LOCATION, "/docs");
    Ok(response)
}
