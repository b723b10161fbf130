//! `/v1/sessions`: sign-in and sign-out of people.

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use jiff::Timestamp;
use tasuki_api::{HttpErrorCode, Secret, Session, SignInRequest};
use tasuki_packet::policy::contract::PartyName;

use crate::auth::{password, session};
use crate::extract::body::StructuredBody;
use crate::middleware::client_address::ClientAddress;
use crate::respond::headers;
use crate::respond::json::Json;
use crate::respond::problem::Problem;
use crate::state::{App, Shared};

pub(crate) async fn sign_in(
    State(app): State<Shared>,
    client: ClientAddress,
    headers: HeaderMap,
    StructuredBody(body): StructuredBody<SignInRequest>,
) -> Result<Response, Problem> {
    app.limits.take_sign_in_from(client.key())?;
    let (id, session) = match (body.name, body.password, body.code) {
        (Some(name), Some(Secret(password)), None) => {
            if !is_person(&app, &name, password).await? {
                return Err(sign_in_refused("wrong name or password"));
            }
            app.limits.refund_sign_in(client.key(), &name);
            app.open_session(&name, body.remember).await?
        }
        (None, None, Some(Secret(code))) if !body.remember => {
            // The link is for the operator who started the server on this machine.
            let opened = if client.is_local() { app.open_link_session(&code).await? } else { None };
            opened.ok_or_else(link_invalid)?
        }
        _ => {
            return Err(Problem::argument("expected `name` and `password`, or `code` alone")
                .hint("`tasuki serve` prints a link with a `code`"));
        }
    };
    let until = session.is_remembered.then_some(session.expires_at);
    let set = cookie(&headers, &id, until, &app);
    let body = Session { person: session.person, expires_at: session.expires_at };
    let mut response = (StatusCode::CREATED, Json(body)).into_response();
    headers::insert(response.headers_mut(), SET_COOKIE, set);
    Ok(response)
}

/// Returns `true` if this is the password of the person. An impossible name is not counted by name.
async fn is_person(app: &App, name: &str, typed: String) -> Result<bool, Problem> {
    if name.parse::<PartyName>().is_err() {
        return Ok(false);
    }
    app.limits.take_sign_in_as(name)?;
    password::verify(app, name, typed).await
}

pub(crate) async fn sign_out(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(id) = session::cookie(&headers) {
        app.end_session(&id).await?;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let gone = cookie(&headers, "", Some(Timestamp::UNIX_EPOCH), &app);
    headers::insert(response.headers_mut(), SET_COOKIE, gone);
    Ok(response)
}

/// Returns the `Set-Cookie` header of a session. Scripts cannot read it, other sites cannot send it, and
/// other machines get it over TLS only. Without a time, it ends with the browser.
fn cookie(headers: &HeaderMap, id: &str, until: Option<Timestamp>, app: &Shared) -> String {
    let name = session::cookie_name(headers);
    let seconds = until.map(|until| until.duration_since(app.engine.now()).as_secs().max(0));
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let secure = if name.starts_with("__Host-") { "; Secure" } else { "" };
    format!("{name}={id}; Path=/{age}; HttpOnly; SameSite=Strict{secure}")
}

/// Refuses a code that was used or has expired.
fn link_invalid() -> Problem {
    sign_in_refused("this link was already used or has expired")
}

fn sign_in_refused(detail: &str) -> Problem {
    Problem::with_code(HttpErrorCode::SignInWrong, detail)
        .hint("an operator sets a password with `tasuki party add NAME --human`")
}
