//! `/v1/rules`: the rules that every packet of the project must meet.

use tasuki_api::{PolicyDetails, PolicyRequest};
use tasuki_engine::command::Command;
use tasuki_engine::model::RulesRecord;
use tasuki_engine::steps::SetRules;

use crate::extract::body::StructuredBody;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(context: RequestContext) -> Result<Json<PolicyDetails>, Problem> {
    let directory = context.directory().await?;
    let rules = directory.rules.as_ref();
    let details =
        rules.map(|rules| PolicyDetails::new(rules.stated.to_value(), rules.stated.digest()));
    // A project without rules is valid.
    Ok(Json(details.unwrap_or_default()))
}

pub(crate) async fn set(
    context: RequestContext,
    StructuredBody(body): StructuredBody<PolicyRequest>,
) -> Result<CommandResponse, Problem> {
    context.run(Command::SetRules(SetRules(RulesRecord { document: body.document }))).await
}
