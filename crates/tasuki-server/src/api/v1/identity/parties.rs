//! `/v1/parties`: who can send and receive.

use serde::Deserialize;
use tasuki_engine::command::Command;
use tasuki_engine::enrol::AddParty;
use tasuki_engine::party::PartyKind;
use tasuki_engine::view;
use tasuki_packet::api;

use crate::api::v1::paging::Page;
use crate::extract::body::{Said, or_default};
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(visitor: Visitor) -> Result<Json<Page<api::Party>>, Problem> {
    let directory = visitor.directory().await?;
    let parties = directory.parties().into_iter().map(|party| view::party(&directory, party));
    Ok(Json(Page::whole(parties.collect())))
}

pub(crate) async fn show(
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<api::Party>, Problem> {
    let directory = visitor.directory().await?;
    let party = directory.find(&name)?;
    Ok(Json(view::party_card(&directory, party)))
}

/// A party, or what is to be added to one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adding {
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

pub(crate) async fn add(visitor: Visitor, Said(said): Said<Adding>) -> Result<Answered, Problem> {
    let request = AddParty {
        name: said.name,
        kind: said.kind,
        aliases: said.aliases,
        members: said.members,
        without_members: said.without_members,
        skills: said.skills,
        reads: said.reads,
        authority: said.authority,
        sends_for: said.sends_for,
        email: said.email,
    };
    Ok(visitor.run(Command::AddParty(request)).await?.made())
}
