//! `/v1/rules`: what the project demands of every packet, whatever its sender says.

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::model::RulesRecord;
use tasuki_engine::steps::SetRules;

use crate::api::v1::PolicyBody;
use crate::extract::body::StructuredBody;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(context: RequestContext) -> Result<Json<Value>, Problem> {
    let directory = context.directory().await?;
    Ok(Json(match &directory.rules {
        Some(rules) => {
            json!({ "document": rules.stated.to_value(), "digest": rules.stated.digest() })
        }
        // Having none is no mistake.
        None => json!({ "document": null, "digest": null }),
    }))
}

pub(crate) async fn set(
    context: RequestContext,
    StructuredBody(body): StructuredBody<PolicyBody>,
) -> Result<CommandResponse, Problem> {
    context.run(Command::SetRules(SetRules(RulesRecord { document: body.document }))).await
}
