//! A token, as `Authorization: Bearer`. One that was mistyped is refused without reading anything; what
//! one proves is looked up with every request, so that a revoked one is refused from the next on.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::token::{Place, TokenKey, principal};
use tasuki_packet::credential::Credential;

use super::Caller;
use crate::app::App;
use crate::problem::Problem;

/// The token that a request shows.
pub(crate) fn shown(headers: &HeaderMap) -> Option<Result<Credential, Problem>> {
    let sent = headers.get(AUTHORIZATION)?;
    let text = sent.to_str().ok().and_then(|text| text.split_once(' '));
    let token = text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, token)) = token else { return Some(Err(not_a_token())) };
    Some(token.trim().parse().map_err(|error| {
        Refusal::new(RefusalCode::TokenInvalid, format!("{error}"))
            .hint("an operator makes one: `tasuki token create --as NAME`")
            .into()
    }))
}

/// Who shows it.
pub(crate) async fn caller(app: &App, shown: &Credential, place: Place) -> Result<Caller, Problem> {
    let store = app.engine.store().as_ref();
    let project = app.projects.of(store, shown).await?.ok_or_else(unknown)?;
    let head = app.engine.head(project).await?;
    let directory = app.engine.directory(project).await?;
    let now = app.engine.now().max(head.last_at);
    let principal = principal(&directory, &TokenKey::of(&head), shown, place, now)?;
    if let Some(token) = principal.credential {
        app.uses.note(token, now);
    }
    let credential = principal.credential.map(|id| id.to_string()).unwrap_or_default();
    Ok(Caller { project, principal, credential, person: None })
}

fn not_a_token() -> Problem {
    Refusal::new(RefusalCode::TokenInvalid, "`Authorization` shows no token")
        .hint("send it as `Authorization: Bearer` and the token")
        .into()
}

/// The same words as for a token that its project does not know.
fn unknown() -> Problem {
    Refusal::new(RefusalCode::TokenInvalid, "this is no token of the project")
        .hint("an operator makes one: `tasuki token create --as NAME`")
        .into()
}
