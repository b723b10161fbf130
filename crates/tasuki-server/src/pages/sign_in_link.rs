//! `/ui/welcome?t=`: the link that `tasuki serve` prints. It signs the person in who started the server,
//! once, and only from this machine.

use axum::extract::{Request, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use crate::api::v1::identity::sessions::{cookie, used_up};
use crate::extract::parameters::Parameters;
use crate::middleware::client_address::Peer;
use crate::respond::json;
use crate::respond::problem::{Problem, nothing_here};
use crate::state::Shared;

/// Where the link leads.
pub(crate) const PATH: &str = "/ui/welcome";

/// The code.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    t: String,
}

/// Whether a request is for the link. Whoever asks for its head only looks whether it is there, as
/// programs do that show a preview, and must not use it up.
pub(crate) fn is_link(request: &Request) -> bool {
    request.uri().path() == PATH
}

pub(crate) async fn welcome(
    State(app): State<Shared>,
    peer: Peer,
    headers: HeaderMap,
    Parameters(link): Parameters<Link>,
) -> Result<Response, Problem> {
    if !peer.is_here() {
        return Err(nothing_here());
    }
    app.limits.take_sign_in_from(peer.origin())?;
    let (id, session) = app.open_by_link(&link.t).await?.ok_or_else(used_up)?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    let set = cookie(&headers, &id, session.expires_at, &app);
    json::insert(response.headers_mut(), SET_COOKIE, set);
    json::insert(response.headers_mut(), LOCATION, "/docs");
    Ok(response)
}
