//! `/v1/contracts`: the contracts of a project.

use tasuki_api::{ContractDetails, ContractRequest, ContractSummary, Page};
use tasuki_engine::command::Command;
use tasuki_engine::model::ContractRecord;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::PublishContract;
use tasuki_engine::view;

use crate::api::v1::paging;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<ContractSummary>>, Problem> {
    let directory = context.directory().await?;
    Ok(Json(paging::complete(
        directory.contracts().map(|one| view::contract_summary(one)).collect(),
    )))
}

pub(crate) async fn publish(
    context: RequestContext,
    StructuredBody(body): StructuredBody<ContractRequest>,
) -> Result<CommandResponse, Problem> {
    let record = ContractRecord { document: body.document, schemas: body.schemas };
    Ok(context.run(Command::PublishContract(PublishContract(record))).await?.created())
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(name): PathParameter,
) -> Result<Json<ContractDetails>, Problem> {
    let directory = context.directory().await?;
    let found = match name.parse() {
        Ok(identity) => directory.contract(&identity),
        Err(_) => directory.versions(&name).last(),
    };
    let published = found.ok_or_else(|| unknown(&name))?;
    Ok(Json(view::contract_details(published)))
}

/// Returns the refusal of a contract that is not published.
pub(crate) fn unknown(name: &str) -> Refusal {
    let message = format!("the project has no contract `{name}`");
    Refusal::new(RefusalCode::ContractUnknown, message)
        .hint("`tasuki contract ls` lists the contracts of the project")
}
