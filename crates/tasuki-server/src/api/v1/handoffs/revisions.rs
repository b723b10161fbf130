//! `/v1/handoffs/{id}/revisions`: its sender revises, a person edits.

use axum::http::HeaderMap;
use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::revise::{Edit, Revise};

use crate::extract::body::Sent;
use crate::extract::if_match::if_match;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

/// What is said beside a revision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Revising {
    #[serde(default)]
    edit: bool,
    reason: Option<String>,
}

pub(crate) async fn revise(
    visitor: Visitor,
    headers: HeaderMap,
    Named(id): Named,
    Parameters(said): Parameters<Revising>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let found = visitor.find(&id).await?;
    let looked = if_match(&visitor, &headers, &found).await?;
    let handoff = found.id;
    let command = if said.edit {
        Command::Edit(Edit { handoff, source, looked, reason: said.reason })
    } else {
        Command::Revise(Revise { handoff, source, looked })
    };
    Ok(visitor.run(command).await?.made())
}
