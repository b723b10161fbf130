//! `/v1/whoami`: who the caller is here, and what they may.

use serde_json::{Value, json};
use tasuki_engine::principal::Scope;

use crate::answer::Json;
use crate::problem::Problem;
use crate::visitor::Visitor;

const SCOPES: [Scope; 6] =
    [Scope::Submit, Scope::Receive, Scope::Read, Scope::Decide, Scope::Verify, Scope::Admin];

pub(crate) async fn whoami(visitor: Visitor) -> Result<Json<Value>, Problem> {
    let principal = visitor.principal();
    let had = SCOPES.into_iter().filter(|scope| principal.scopes.has(*scope));
    let scopes: Vec<&str> = had.map(Scope::as_str).collect();
    let projects = visitor.store().projects().await?;
    let project = projects.into_iter().find(|(_, id)| *id == visitor.project());
    Ok(Json(json!({
        "party": visitor.directory().await?.name(principal.party),
        "kind": principal.kind.word(),
        "project": project.map(|(name, _)| name),
        "scopes": scopes,
    })))
}
