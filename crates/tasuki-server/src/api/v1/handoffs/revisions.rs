//! `/v1/handoffs/{id}/revisions`: revisions of the sender, and edits of people.

use axum::http::HeaderMap;
use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::steps::{Attention, Edit, Revise, SeenVersion};

use crate::extract::body::PacketBody;
use crate::extract::if_match::if_match;
use crate::extract::parameters::{Parameters, PathParameter, comma_separated};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

/// The query of a revision.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviseQuery {
    #[serde(default)]
    edit: bool,
    reason: Option<String>,
    seconds: Option<u64>,
    #[serde(default, deserialize_with = "comma_separated")]
    opened: Vec<String>,
}

pub(crate) async fn revise(
    context: RequestContext,
    headers: HeaderMap,
    PathParameter(id): PathParameter,
    Parameters(query): Parameters<ReviseQuery>,
    PacketBody(source): PacketBody,
) -> Result<CommandResponse, Problem> {
    let found = context.find(&id).await?;
    let seen = if_match(&context, &headers, &found).await?;
    let handoff = found.id;
    let command = if query.edit {
        let attention = Attention { seconds: query.seconds, opened: query.opened };
        let seen = SeenVersion { attention, ..seen };
        Command::Edit(Edit { handoff, source, seen, reason: query.reason })
    } else {
        Command::Revise(Revise { handoff, source, seen })
    };
    Ok(context.run(command).await?.created())
}
