//! `/v1/parties`: the senders and receivers of a project.

use serde::Deserialize;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::model::PartyKind;
use tasuki_engine::steps::AddParty;
use tasuki_engine::view;

use crate::api::v1::paging::Page;
use crate::extract::body::{StructuredBody, or_default};
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<api::Party>>, Problem> {
    let directory = context.directory().await?;
    let parties = directory.parties().into_iter().map(|party| view::party(&directory, party));
    Ok(Json(Page::complete(parties.collect())))
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(name): PathParameter,
) -> Result<Json<api::Party>, Problem> {
    let directory = context.directory().await?;
    let party = directory.find(&name)?;
    Ok(Json(view::party_card(&directory, party)))
}

/// The body of a new party, or of an addition to one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartyBody {
    name: String,
    kind: Option<PartyKind>,
    #[serde(default, deserialize_with = "or_default")]
    aliases: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    members: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    without_members: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    skills: Vec<String>,
    reads: Option<Vec<String>>,
    authority: Option<Vec<String>>,
    #[serde(default, deserialize_with = "or_default")]
    sends_for: Vec<String>,
    email: Option<String>,
}

pub(crate) async fn add(
    context: RequestContext,
    StructuredBody(body): StructuredBody<PartyBody>,
) -> Result<CommandResponse, Problem> {
    let request = AddParty {
        name: body.name,
        kind: body.kind,
        aliases: body.aliases,
        members: body.members,
        without_members: body.without_members,
        skills: body.skills,
        reads: body.reads,
        authority: body.authority,
        sends_for: body.sends_for,
        email: body.email,
    };
    Ok(context.run(Command::AddParty(request)).await?.created())
}
