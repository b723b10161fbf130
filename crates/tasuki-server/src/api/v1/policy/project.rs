//! `/v1/project`: what an operator may set for the whole project.

use serde_json::{Map, Value, json};
use tasuki_engine::command::Command;

use crate::extract::body::Said;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(visitor: Visitor) -> Result<Json<Value>, Problem> {
    let (id, head) = (visitor.project(), visitor.engine().head(visitor.project()).await?);
    let projects = visitor.store().projects().await?;
    let name = projects.into_iter().find(|(_, known)| *known == id).map(|(name, _)| name);
    let settings = visitor.directory().await?.settings.members();
    let halted = head.is_halted;
    Ok(Json(json!({ "project": name, "id": id, "halted": halted, "settings": settings })))
}

pub(crate) async fn set(
    visitor: Visitor,
    Said(said): Said<Map<String, Value>>,
) -> Result<Answered, Problem> {
    if said.is_empty() {
        return Err(
            Problem::argument("no setting is named").hint("`GET /v1/project` lists the settings")
        );
    }
    // Told at once what can be told at once; the line decides on top of what others have set by then.
    visitor.directory().await?.settings.with(&said)?;
    visitor.run(Command::SetSettings(said)).await
}
