//! `/v1/whoami`: who the caller is here, and what they may.

use serde_json::{Value, json};

use crate::extract::request_context::Visitor;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn whoami(visitor: Visitor) -> Result<Json<Value>, Problem> {
    let principal = visitor.principal();
    let projects = visitor.store().projects().await?;
    let project = projects.into_iter().find(|(_, id)| *id == visitor.project());
    Ok(Json(json!({
        "party": visitor.directory().await?.name(principal.party),
        "kind": principal.kind.word(),
        "project": project.map(|(name, _)| name),
        "scopes": principal.scopes,
    })))
}
