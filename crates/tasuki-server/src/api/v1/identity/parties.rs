//! `/v1/parties`: the senders and receivers of a project.

use tasuki_api::{AbsenceRequest, Page, Party, PartyRequest};
use tasuki_engine::command::Command;
use tasuki_engine::steps::{AddParty, BeginAbsence, EndAbsence};
use tasuki_engine::view;

use crate::api::v1::paging;
use crate::delivery::channel::check_links;
use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn list(context: RequestContext) -> Result<Json<Page<Party>>, Problem> {
    let directory = context.directory().await?;
    let parties = directory.parties().into_iter().map(|party| view::party(&directory, party));
    Ok(Json(paging::complete(parties.collect())))
}

pub(crate) async fn show(
    context: RequestContext,
    PathParameter(name): PathParameter,
) -> Result<Json<Party>, Problem> {
    let directory = context.directory().await?;
    let party = directory.find(&name)?;
    Ok(Json(view::party_card(&directory, party)))
}

pub(crate) async fn add(
    context: RequestContext,
    StructuredBody(body): StructuredBody<PartyRequest>,
) -> Result<CommandResponse, Problem> {
    let settings = &context.app.settings;
    if settings.mail.is_some() && body.email.as_ref().is_some_and(|email| !email.is_empty()) {
        check_links(settings.public_url.as_deref())?;
    }
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

pub(crate) async fn begin_absence(
    context: RequestContext,
    PathParameter(person): PathParameter,
    StructuredBody(body): StructuredBody<AbsenceRequest>,
) -> Result<CommandResponse, Problem> {
    let AbsenceRequest { deputy, from, until } = body;
    context.run(Command::BeginAbsence(BeginAbsence { person, deputy, from, until })).await
}

pub(crate) async fn end_absence(
    context: RequestContext,
    PathParameter(person): PathParameter,
) -> Result<CommandResponse, Problem> {
    context.run(Command::EndAbsence(EndAbsence { person })).await
}
