//! `/v1/gates`: the gates of a project.

use tasuki_api::{GateSummary, Page, PolicyDetails, PolicyRequest};
use tasuki_engine::command::Command;
use tasuki_engine::model::GateRecord;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::PublishGate;

use crate::api::v1::paging;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<GateSummary>>, Problem> {
    let directory = context.directory().await?;
    let gates = directory.gates().map(|(digest, gate)| GateSummary {
        gate: gate.name.clone(),
        version: gate.version.to_string(),
        digest: digest.to_owned(),
    });
    Ok(Json(paging::complete(gates.collect())))
}

pub(crate) async fn publish(
    context: RequestContext,
    StructuredBody(body): StructuredBody<PolicyRequest>,
) -> Result<CommandResponse, Problem> {
    let record = GateRecord { document: body.document };
    Ok(context.run(Command::PublishGate(PublishGate(record))).await?.created())
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(name): PathParameter,
) -> Result<Json<PolicyDetails>, Problem> {
    let directory = context.directory().await?;
    let Some((digest, gate)) = directory.newest_gate(&name) else {
        let message = format!("the project has no gate `{name}`");
        return Err(Refusal::new(RefusalCode::GateUnknown, message)
            .hint("`tasuki gate ls` lists the gates of the project")
            .into());
    };
    Ok(Json(PolicyDetails::new(gate.to_value(), digest)))
}
