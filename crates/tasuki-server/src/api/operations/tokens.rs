//! Tokens.

use tasuki_api::{Token, TokenRequest};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{Operation, RequestBody, ResponseBody, Verb};

/// Tokens.
pub static LIST_TOKENS: Operation = Operation::get(
    "list_tokens",
    "/v1/tokens",
    "List the tokens of the project, without their texts.",
)
.reads(ReadOperation::Tokens)
.response(ResponseBody::page::<Token>());

/// Create a token.
pub static CREATE_TOKEN: Operation = Operation::post(
    "create_token",
    "/v1/tokens",
    "Create a token for a party. Its text is in this answer and nowhere else.",
)
.requires(All(&[Admin]))
.request(RequestBody::document::<TokenRequest>())
.created();

/// Revoke a token.
pub static REVOKE_TOKEN: Operation =
    Operation::new(Verb::Delete, "revoke_token", "/v1/tokens/{id}", "Let a token work no longer.")
        .requires(All(&[Admin]));
