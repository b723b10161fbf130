//! `/v1/handoffs/{id}/questions` and `/answers`: what a receiver wants to know, and what its sender says.

use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use tasuki_engine::ask::{Answer, Ask};
use tasuki_engine::command::Command;
use tasuki_packet::id::QuestionId;

use crate::extract::body::{Said, or_default};
use crate::extract::if_match::if_match;
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asking {
    question: String,
    field: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    blocking: bool,
}

pub(crate) async fn ask(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Asking>,
) -> Result<Answered, Problem> {
    let request = Ask {
        handoff: visitor.find(&id).await?.id,
        field: said.field,
        text: said.question,
        is_blocking: said.blocking,
    };
    Ok(visitor.run(Command::Ask(request)).await?.made())
}

/// An answer: a text, a revised packet, or both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answering {
    question: Option<QuestionId>,
    answer: Option<String>,
    packet: Option<Value>,
}

pub(crate) async fn answer(
    visitor: Visitor,
    headers: HeaderMap,
    Named(id): Named,
    Said(said): Said<Answering>,
) -> Result<Answered, Problem> {
    let found = visitor.find(&id).await?;
    let looked = if_match(&visitor, &headers, &found).await?;
    let request = Answer {
        handoff: found.id,
        question: said.question,
        text: said.answer,
        source: said.packet.map(|packet| packet.to_string().into_bytes()),
        looked,
    };
    Ok(visitor.run(Command::Answer(request)).await?.made())
}
