//! `/v1/handoffs`: hand work over, list and show what was handed over.

pub(crate) mod checkpoints;
pub(crate) mod claims;
pub(crate) mod decisions;
pub(crate) mod declines;
pub(crate) mod packet;
pub(crate) mod questions;
pub(crate) mod returns;
pub(crate) mod revisions;
pub(crate) mod verdicts;

use axum::http::header::ETAG;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::directory::Directory;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::scope::{self, Question};
use tasuki_engine::store::Query;
use tasuki_engine::submit::Request;
use tasuki_engine::view;
use tasuki_packet::api;
use tasuki_packet::id::PartyId;

use crate::api::v1::paging::{self, Page};
use crate::extract::body::Sent;
use crate::extract::parameters::{Named, Parameters, list as comma_list};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::etag;
use crate::respond::json::{self, Json};
use crate::respond::problem::Problem;

/// What is said beside a packet that is submitted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submitting {
    to: Option<String>,
    #[serde(default)]
    hold: bool,
    supersedes: Option<String>,
    parent: Option<String>,
    token: Option<u64>,
}

pub(crate) async fn submit(
    visitor: Visitor,
    Parameters(said): Parameters<Submitting>,
    Sent(source): Sent,
) -> Result<Answered, Problem> {
    let supersedes = match &said.supersedes {
        Some(written) => Some(visitor.find(written).await?.id),
        None => None,
    };
    let parent = match &said.parent {
        Some(written) => Some(visitor.shown(written, said.token).await?),
        None if said.token.is_some() => {
            return Err(Problem::argument("`token` is of a claim, and no claim is passed on")
                .hint("say with `parent` which handoff is"));
        }
        None => None,
    };
    let request = Request { source, to: said.to, hold: said.hold, supersedes, parent };
    Ok(visitor.run(Command::Submit(request)).await?.made())
}

/// Which handoffs somebody wants to see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    #[serde(default, deserialize_with = "comma_list")]
    state: Vec<String>,
    task: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    all: bool,
    limit: Option<u32>,
    cursor: Option<String>,
}

pub(crate) async fn list(
    visitor: Visitor,
    Parameters(said): Parameters<Listing>,
) -> Result<Json<Page<api::Handoff>>, Problem> {
    visitor.settle().await?;
    let directory = visitor.directory().await?;
    let query = Query {
        states: states(&said)?,
        task: said.task,
        senders: party(&directory, said.from.as_deref())?,
        receivers: party(&directory, said.to.as_deref())?,
        ..Query::default()
    };
    handoffs(&visitor, query, said.limit, said.cursor.as_deref()).await
}

/// A page of handoffs.
pub(crate) async fn handoffs(
    visitor: &Visitor,
    mut query: Query,
    limit: Option<u32>,
    cursor: Option<&str>,
) -> Result<Json<Page<api::Handoff>>, Problem> {
    let limit = paging::limit(limit)?;
    query.limit = limit + 1;
    query.after = paging::behind(cursor)?;
    let found = visitor.store().handoffs(visitor.project(), query).await?;
    let items = visitor.reader().cards(&found).await?;
    Ok(Json(Page::cut(items, limit, |one: &api::Handoff| one.id.clone())))
}

/// Those named, all, or the ones that are not over.
fn states(said: &Listing) -> Result<Vec<StateWord>, Problem> {
    let unfinished = || StateWord::ALL.into_iter().filter(|s| s.is_open() || *s == StateWord::Dead);
    match said.state.as_slice() {
        [] if said.all => Ok(Vec::new()),
        [] => Ok(unfinished().collect()),
        named => named.iter().map(|word| state(word)).collect(),
    }
}

fn state(word: &str) -> Result<StateWord, Problem> {
    StateWord::named(word).ok_or_else(|| {
        let words: Vec<&str> = StateWord::ALL.iter().map(|state| state.as_str()).collect();
        Problem::argument(format!("there is no state `{word}`"))
            .hint(format!("the states are {}", words.join(", ")))
    })
}

fn party(directory: &Directory, name: Option<&str>) -> Result<Vec<PartyId>, Problem> {
    let Some(name) = name else { return Ok(Vec::new()) };
    Ok(vec![directory.find(name)?.id])
}

/// What of a handoff somebody wants to see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Showing {
    packet: Option<bool>,
}

pub(crate) async fn show(
    visitor: Visitor,
    Named(id): Named,
    Parameters(said): Parameters<Showing>,
) -> Result<Response, Problem> {
    if said.packet == Some(false) {
        return card(&visitor, &id).await;
    }
    scope::must_meet(visitor.principal(), Question::Handoff.needs())?;
    visitor.settle().await?;
    let handoff = visitor.find(&id).await?;
    let reader = visitor.reader();
    let revision = reader.revision(&handoff, handoff.facts.revision).await?;
    let action = reader.action(&handoff).await?;
    let questions = reader.open_questions(&handoff).await?;
    let claim = reader.said_on_claim(&handoff).await?;
    let returned = reader.last_return(&handoff).await?;
    let directory = visitor.directory().await?;
    let view = view::handoff(&directory, &handoff);
    let mut shown = json!({ "handoff": view, "packet": revision.packet.to_value() });
    if let Some(action) = action {
        shown["action"] = action;
    }
    if !questions.is_empty() {
        shown["questions"] = json!(questions);
    }
    if let Some(claim) = claim {
        shown["claim_said"] = json!(claim);
    }
    if let Some(returned) = returned {
        shown["return"] = json!(returned);
    }
    visitor.delivered(&handoff);
    Ok(tagged(shown, &view))
}

/// A handoff as lists have it. Whoever only names it has not read it, so nothing is delivered.
async fn card(visitor: &Visitor, id: &str) -> Result<Response, Problem> {
    visitor.settle().await?;
    let handoff = visitor.find(id).await?;
    let card = visitor.reader().cards(&[handoff]).await?.swap_remove(0);
    Ok(tagged(json!({ "handoff": card }), &card))
}

fn tagged(shown: Value, view: &api::Handoff) -> Response {
    let mut response = Json(shown).into_response();
    json::insert(response.headers_mut(), ETAG, etag::of(view));
    response
}
