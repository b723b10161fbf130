//! `/v1/project`: the project and its settings.

use tasuki_api::{Project, ProjectSettings};
use tasuki_engine::command::Command;
use tasuki_engine::steps::SetSettings;

use crate::extract::body::StructuredBody;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(context: RequestContext) -> Result<Json<Project>, Problem> {
    let (id, head) = (context.project(), context.engine().head(context.project()).await?);
    let projects = context.store().projects().await?;
    let name = projects.into_iter().find(|(_, known)| *known == id).map(|(name, _)| name);
    let settings = context.directory().await?.settings.members();
    let halted = head.is_halted;
    Ok(Json(Project { project: name, id: id.to_string(), halted, settings }))
}

pub(crate) async fn set(
    context: RequestContext,
    StructuredBody(ProjectSettings(body)): StructuredBody<ProjectSettings>,
) -> Result<CommandResponse, Problem> {
    if body.is_empty() {
        return Err(Problem::argument("the body has no setting")
            .hint("`GET /v1/project` lists the settings"));
    }
    // An early check. The worker checks again, because other settings may have changed by then.
    context.directory().await?.settings.with(&body)?;
    context.run(Command::SetSettings(SetSettings(body))).await
}
