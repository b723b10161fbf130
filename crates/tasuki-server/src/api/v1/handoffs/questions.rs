//! `/v1/handoffs/{id}/questions` and `/answers`: questions of receivers, and answers of senders.

use axum::http::HeaderMap;
use tasuki_api::{AnswerRequest, QuestionRequest};
use tasuki_engine::command::Command;
use tasuki_engine::steps::{Answer, Ask};

use crate::extract::body::StructuredBody;
use crate::extract::if_match::if_match;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn ask(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<QuestionRequest>,
) -> Result<CommandResponse, Problem> {
    let request = Ask {
        handoff: context.find(&id).await?.id,
        field: body.field,
        text: body.question,
        is_blocking: body.blocking,
    };
    Ok(context.run(Command::Ask(request)).await?.created())
}

pub(crate) async fn answer(
    context: RequestContext,
    headers: HeaderMap,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<AnswerRequest>,
) -> Result<CommandResponse, Problem> {
    let found = context.find(&id).await?;
    let seen = if_match(&context, &headers, &found).await?;
    let request = Answer {
        handoff: found.id,
        question: body.question,
        text: body.answer,
        source: body.packet.map(|packet| packet.to_string().into_bytes()),
        seen,
    };
    Ok(context.run(Command::Answer(request)).await?.created())
}
