//! `/v1/gates`: what must be signed off, and by whom.

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::directory::GateRecord;
use tasuki_engine::refusal::{Refusal, RefusalCode};

use crate::api::v1::Policy;
use crate::api::v1::paging::Page;
use crate::extract::body::Said;
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(visitor: Visitor) -> Result<Json<Page<Value>>, Problem> {
    let directory = visitor.directory().await?;
    let lines = directory.gates().map(|(digest, gate)| {
        json!({ "gate": gate.name, "version": gate.version.to_string(), "digest": digest })
    });
    Ok(Json(Page::whole(lines.collect())))
}

pub(crate) async fn publish(
    visitor: Visitor,
    Said(said): Said<Policy>,
) -> Result<Answered, Problem> {
    let record = GateRecord { document: said.document };
    Ok(visitor.run(Command::PublishGate(record)).await?.made())
}

pub(crate) async fn show(visitor: Visitor, Named(name): Named) -> Result<Json<Value>, Problem> {
    let directory = visitor.directory().await?;
    let Some((digest, gate)) = directory.newest_gate(&name) else {
        let message = format!("the project has no gate `{name}`");
        return Err(Refusal::new(RefusalCode::GateUnknown, message)
            .hint("`tasuki gate ls` lists the gates of the project")
            .into());
    };
    Ok(Json(json!({ "document": gate.to_value(), "digest": digest })))
}
