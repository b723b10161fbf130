//! `/v1/tokens`: the credentials of programs.

use std::collections::HashMap;

use tasuki_api::{Page, Token, TokenRequest};
use tasuki_engine::command::Command;
use tasuki_engine::model::{Directory, TokenRecord};
use tasuki_engine::query::resolve;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::{CreateToken, RevokeToken};
use tasuki_engine::view;
use tasuki_packet::id::TokenId;

use crate::api::v1::paging;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn create(
    context: RequestContext,
    StructuredBody(body): StructuredBody<TokenRequest>,
) -> Result<CommandResponse, Problem> {
    let TokenRequest { party, scopes, life, from, to, name } = body;
    let request = CreateToken { party, scopes, expires_in: life, to, from, name };
    Ok(context.run(Command::CreateToken(request)).await?.created())
}

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<Token>>, Problem> {
    let directory = context.directory().await?;
    let uses = context.app.people.token_uses().await.unwrap_or_else(|fault| {
        tracing::warn!(%fault, "reading the last use of tokens failed");
        HashMap::new()
    });
    let shown =
        |token: &TokenRecord| view::used_token(&directory, token, uses.get(&token.id).copied());
    Ok(Json(paging::complete(directory.tokens().into_iter().map(shown).collect())))
}

pub(crate) async fn revoke(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let token = find(&*context.directory().await?, &id)?;
    context.run(Command::RevokeToken(RevokeToken { token })).await
}

/// Finds a token by its id, or by a unique ending of it.
fn find(directory: &Directory, written: &str) -> Result<TokenId, Refusal> {
    let ending = resolve::ending_in(written, "tok_");
    let is_meant = |id: &TokenId| {
        ending.as_ref().is_some_and(|ending| id.to_string().ends_with(ending.as_str()))
    };
    let mut meant = directory.tokens().into_iter().map(|token| token.id).filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => {
            let message = format!("unknown token `{written}`");
            Err(Refusal::new(RefusalCode::TokenUnknown, message)
                .hint("`tasuki token list` lists the tokens of this project"))
        }
        (Some(_), Some(_)) => {
            let message = format!("`{written}` matches several tokens");
            Err(Refusal::new(RefusalCode::TokenUnknown, message).hint("use more digits"))
        }
    }
}
