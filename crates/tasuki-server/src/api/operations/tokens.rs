//! Tokens.

use tasuki_api::{Token, TokenRequest};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody, ResponseBody, Verb};

/// Lists tokens.
pub static LIST_TOKENS: Operation = Operation::get(
    "list_tokens",
    "/v1/tokens",
    "List the tokens of the project, without their texts.",
)
.reads(ReadOperation::Tokens)
.response(ResponseBody::page::<Token>());

/// Creates a token.
pub static CREATE_TOKEN: Operation = Operation::post(
    "create_token",
    "/v1/tokens",
    "Create a token for a party. Only this response has its text.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<TokenRequest>())
.created();

/// Revokes a token.
pub static REVOKE_TOKEN: Operation =
    Operation::new(Verb::Delete, "revoke_token", "/v1/tokens/{id}", "Revoke a token.")
        .requires(All(&[Admin]));
