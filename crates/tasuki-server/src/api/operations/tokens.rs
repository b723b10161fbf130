//! Tokens.

use tasuki_engine::principal::Scope::Admin;
use tasuki_engine::scope::Needs::All;
use tasuki_engine::scope::Question;

use super::{Carries, Gives, Operation, Verb};

/// Tokens.
pub static LIST_TOKENS: Operation = Operation::get(
    "list_tokens",
    "/v1/tokens",
    "List the tokens of the project, without their texts.",
)
.asks(Question::Tokens)
.gives(Gives::Page("Token"));

/// Create a token.
pub static CREATE_TOKEN: Operation = Operation::post(
    "create_token",
    "/v1/tokens",
    "Create a token for a party. Its text is in this answer and nowhere else.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("TokenRequest"))
.created();

/// Revoke a token.
pub static REVOKE_TOKEN: Operation =
    Operation::new(Verb::Delete, "revoke_token", "/v1/tokens/{id}", "Let a token work no longer.")
        .needs(All(&[Admin]));
