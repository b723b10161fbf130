//! `/v1/project`: what an operator may set for the whole project.

use serde_json::{Map, Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::steps::SetSettings;

use crate::extract::body::StructuredBody;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(context: RequestContext) -> Result<Json<Value>, Problem> {
    let (id, head) = (context.project(), context.engine().head(context.project()).await?);
    let projects = context.store().projects().await?;
    let name = projects.into_iter().find(|(_, known)| *known == id).map(|(name, _)| name);
    let settings = context.directory().await?.settings.members();
    let halted = head.is_halted;
    Ok(Json(json!({ "project": name, "id": id, "halted": halted, "settings": settings })))
}

pub(crate) async fn set(
    context: RequestContext,
    StructuredBody(body): StructuredBody<Map<String, Value>>,
) -> Result<CommandResponse, Problem> {
    if body.is_empty() {
        return Err(
            Problem::argument("no setting is named").hint("`GET /v1/project` lists the settings")
        );
    }
    // Told at once what can be told at once; the worker decides on top of what others have set by then.
    context.directory().await?.settings.with(&body)?;
    context.run(Command::SetSettings(SetSettings(body))).await
}
