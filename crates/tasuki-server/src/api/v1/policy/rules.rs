//! `/v1/rules`: what the project demands of every packet, whatever its sender says.

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::directory::RulesRecord;

use crate::api::v1::Policy;
use crate::extract::body::Said;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn show(visitor: Visitor) -> Result<Json<Value>, Problem> {
    let directory = visitor.directory().await?;
    Ok(Json(match &directory.rules {
        Some(rules) => {
            json!({ "document": rules.stated.to_value(), "digest": rules.stated.digest() })
        }
        // Having none is no mistake.
        None => json!({ "document": null, "digest": null }),
    }))
}

pub(crate) async fn set(visitor: Visitor, Said(said): Said<Policy>) -> Result<Answered, Problem> {
    visitor.run(Command::SetRules(RulesRecord { document: said.document })).await
}
