//! `/v1/contracts`: what senders and receivers agreed on.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::directory::{ContractRecord, Published};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::contract::PartyName;

use crate::api::v1::paging::Page;
use crate::extract::body::{Said, or_default};
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(visitor: Visitor) -> Result<Json<Page<Value>>, Problem> {
    let directory = visitor.directory().await?;
    Ok(Json(Page::whole(directory.contracts().map(|one| line(one)).collect())))
}

fn line(published: &Published) -> Value {
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

/// A contract with the schemas that it refers to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Publishing {
    document: Value,
    #[serde(default, deserialize_with = "or_default")]
    schemas: BTreeMap<String, Value>,
}

pub(crate) async fn publish(
    visitor: Visitor,
    Said(said): Said<Publishing>,
) -> Result<Answered, Problem> {
    let record = ContractRecord { document: said.document, schemas: said.schemas };
    Ok(visitor.run(Command::PublishContract(record)).await?.made())
}

pub(crate) async fn show(visitor: Visitor, Named(name): Named) -> Result<Json<Value>, Problem> {
    let directory = visitor.directory().await?;
    let found = match name.parse() {
        Ok(identity) => directory.contract(&identity),
        Err(_) => directory.versions(&name).last(),
    };
    let published = found.ok_or_else(|| unknown(&name))?;
    let (record, digest) = (&published.record, &published.digest);
    Ok(Json(json!({ "document": record.document, "schemas": record.schemas, "digest": digest })))
}

/// A contract that nobody has published.
pub(crate) fn unknown(name: &str) -> Refusal {
    let message = format!("the project has no contract `{name}`");
    Refusal::new(RefusalCode::ContractUnknown, message)
        .hint("`tasuki contract ls` lists the contracts of the project")
}
