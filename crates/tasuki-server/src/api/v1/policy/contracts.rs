//! `/v1/contracts`: what senders and receivers agreed on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::model::{ContractRecord, Published};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::PublishContract;
use tasuki_packet::policy::contract::PartyName;

use crate::api::v1::paging::Page;
use crate::extract::body::{StructuredBody, or_default};
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<Value>>, Problem> {
    let directory = context.directory().await?;
    Ok(Json(Page::complete(directory.contracts().map(|one| summary(one)).collect())))
}

fn summary(published: &Published) -> Value {
    let contract = published.compiled.contract();
    let list = |parties: &[PartyName]| -> Vec<String> {
        parties.iter().map(|party| party.as_str().to_owned()).collect()
    };
    json!({
        "contract": contract.name,
        "version": contract.version.to_string(),
        "from": list(&contract.from),
        "to": list(&contract.to),
        "digest": published.digest,
    })
}

/// The body of a contract, with the schemas that it refers to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractBody {
    document: Value,
    #[serde(default, deserialize_with = "or_default")]
    schemas: BTreeMap<String, Value>,
}

pub(crate) async fn publish(
    context: RequestContext,
    StructuredBody(body): StructuredBody<ContractBody>,
) -> Result<CommandResponse, Problem> {
    let record = ContractRecord { document: body.document, schemas: body.schemas };
    Ok(context.run(Command::PublishContract(PublishContract(record))).await?.created())
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(name): PathParameter,
) -> Result<Json<Value>, Problem> {
    let directory = context.directory().await?;
    let found = match name.parse() {
        Ok(identity) => directory.contract(&identity),
        Err(_) => directory.versions(&name).last(),
    };
    let published = found.ok_or_else(|| unknown(&name))?;
    let (record, digest) = (&published.record, &published.digest);
    Ok(Json(json!({ "document": record.document, "schemas": record.schemas, "digest": digest })))
}

/// Refuses a contract that is not published.
pub(crate) fn unknown(name: &str) -> Refusal {
    let message = format!("the project has no contract `{name}`");
    Refusal::new(RefusalCode::ContractUnknown, message)
        .hint("`tasuki contract ls` lists the contracts of the project")
}
