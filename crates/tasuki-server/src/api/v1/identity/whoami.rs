//! `/v1/whoami`: the party and the scopes of the caller.

use tasuki_api::Whoami;

use crate::extract::request_context::RequestContext;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn whoami(context: RequestContext) -> Result<Json<Whoami>, Problem> {
    let principal = context.principal();
    let projects = context.store().projects().await?;
    let project = projects.into_iter().find(|(_, id)| *id == context.project());
    Ok(Json(Whoami {
        party: context.directory().await?.name(principal.party),
        kind: principal.kind.word().to_owned(),
        project: project.map(|(name, _)| name),
        scopes: principal.scopes.words().into_iter().map(str::to_owned).collect(),
    }))
}
