//! `/v1/whoami`: the party and the scopes of the caller.

use tasuki_api::{Membership, Whoami};
use tasuki_packet::id::ProjectId;

use crate::auth::session;
use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn whoami(context: RequestContext) -> Result<Json<Whoami>, Problem> {
    let principal = context.principal();
    let projects = context.store().projects().await?;
    let memberships = memberships(&context, &projects).await?;
    let project = projects.into_iter().find(|(_, id)| *id == context.project());
    Ok(Json(Whoami {
        party: context.directory().await?.name(principal.party),
        kind: principal.kind.word().to_owned(),
        project: project.map(|(name, _)| name),
        projects: memberships,
        scopes: principal.scopes.words().into_iter().map(str::to_owned).collect(),
    }))
}

/// Returns the projects that a signed-in person is a member of.
async fn memberships(
    context: &RequestContext,
    projects: &[(String, ProjectId)],
) -> Result<Vec<Membership>, Problem> {
    let Some(person) = &context.caller.person else { return Ok(Vec::new()) };
    let mut memberships = Vec::new();
    for (project, id) in projects {
        let directory = context.engine().directory(*id).await?;
        if session::member(&directory, person).is_some() {
            let halted = directory.pauses.is_halted();
            memberships.push(Membership { project: project.clone(), id: id.to_string(), halted });
        }
    }
    Ok(memberships)
}
