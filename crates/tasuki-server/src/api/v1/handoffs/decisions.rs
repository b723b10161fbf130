//! `/v1/handoffs/{id}/decisions`: what a person does with a handoff; `/v1/decisions`: what people did.

use axum::http::HeaderMap;
use serde::Deserialize;
use tasuki_engine::cancel::Cancel;
use tasuki_engine::command::Command;
use tasuki_engine::decision::{Accept, Intercept, Looked, Reject, Reroute, SignOff};
use tasuki_engine::decisions::{Decided, decisions};
use tasuki_engine::resume::chain_brief;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::Authentication;
use tasuki_packet::problem::DoorCode;

use crate::api::v1::paging::{self, Page};
use crate::auth::password;
use crate::extract::body::{Said, or_default};
use crate::extract::if_match::if_match;
use crate::extract::parameters::{Named, Parameters};
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

/// What a person decides, and what they saw.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deciding {
    decision: Word,
    reason: Option<String>,
    /// The new receiver, for a reroute.
    to: Option<String>,
    /// The gate, for a sign-off.
    gate: Option<String>,
    meaning: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    deny: bool,
    revision: Option<u32>,
    digest: Option<String>,
    /// The receiver that was shown.
    receiver: Option<String>,
    seconds: Option<u64>,
    #[serde(default, deserialize_with = "or_default")]
    opened: Vec<String>,
    /// Typed again for a sign-off: a session alone may be an unlocked screen.
    password: Option<String>,
}

/// What can be decided.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Accept,
    SignOff,
    Reject,
    Reroute,
    Intercept,
    Cancel,
}

pub(crate) async fn decide(
    visitor: Visitor,
    headers: HeaderMap,
    Named(id): Named,
    Said(said): Said<Deciding>,
) -> Result<Answered, Problem> {
    let found = visitor.find(&id).await?;
    let word = said.decision;
    let mut principal = visitor.principal().clone();
    if matches!(word, Word::SignOff) {
        principal.authentication = proved(&visitor, said.password.clone()).await?;
    }
    must_fit(&said)?;
    let seen = if_match(&visitor, &headers, &found).await?;
    let command = command(found.id, seen, said)?;
    let mut answered = visitor.run_as(principal, command).await?.made();
    if matches!(word, Word::Intercept) {
        // Whoever takes the work over reads the whole chain.
        let taken = visitor.find(&found.id.to_string()).await?;
        answered.answer.brief = Some(chain_brief(&visitor.reader().chain(&taken).await?));
    }
    Ok(answered)
}

/// What does not belong to a decision may be the other half of another one.
fn must_fit(said: &Deciding) -> Result<(), Problem> {
    let is_signature = matches!(said.decision, Word::SignOff);
    let is_reroute = matches!(said.decision, Word::Reroute);
    let members = [
        ("to", said.to.is_some() && !is_reroute, "reroute"),
        ("gate", said.gate.is_some() && !is_signature, "sign_off"),
        ("meaning", said.meaning.is_some() && !is_signature, "sign_off"),
        ("deny", said.deny && !is_signature, "sign_off"),
        ("password", said.password.is_some() && !is_signature, "sign_off"),
    ];
    match members.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((name, _, word)) => Err(Problem::argument(format!("`{name}` belongs to `{word}`"))
            .hint("leave it out, or decide what it belongs to")),
        None => Ok(()),
    }
}

/// How somebody proved themselves for a signature: with the password that they typed just now, else
/// with less than a gate takes.
async fn proved(visitor: &Visitor, typed: Option<String>) -> Result<Authentication, Problem> {
    let (Some(person), Some(typed)) = (&visitor.caller.person, typed) else {
        return Ok(match visitor.principal().authentication {
            Authentication::Password => Authentication::Local,
            other => other,
        });
    };
    let limits = &visitor.app.limits;
    limits.take_signature(person)?;
    if password::is_of(&visitor.app, person, typed).await? {
        limits.forget_signature(person);
        return Ok(Authentication::Password);
    }
    Err(Problem::door(DoorCode::SignInWrong, "that is not the password"))
}

fn command(handoff: HandoffId, seen: Looked, said: Deciding) -> Result<Command, Problem> {
    let reason = said.reason;
    let looked = Looked {
        revision: said.revision.or(seen.revision),
        digest: said.digest.or(seen.digest),
        receiver: said.receiver.or(seen.receiver),
        seconds: said.seconds,
        opened: said.opened,
    };
    Ok(match said.decision {
        Word::Accept => Command::Accept(Accept { handoff, looked, reason }),
        Word::Reject => Command::Reject(Reject { handoff, looked, reason }),
        Word::Intercept => Command::Intercept(Intercept { handoff, looked, reason }),
        Word::Cancel => Command::Cancel(Cancel { handoff, looked, reason }),
        Word::Reroute => {
            let to = said.to.ok_or_else(|| {
                Problem::argument("a reroute names the new receiver").hint("say who with `to`")
            })?;
            Command::Reroute(Reroute { handoff, to, looked, reason })
        }
        Word::SignOff => {
            let (gate, meaning, is_denial) = (said.gate, said.meaning, said.deny);
            Command::SignOff(SignOff { handoff, gate, meaning, is_denial, looked, reason })
        }
    })
}

/// Where to go on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    cursor: Option<String>,
    limit: Option<u32>,
}

pub(crate) async fn list(
    visitor: Visitor,
    Parameters(said): Parameters<Listing>,
) -> Result<Json<Page<Decided>>, Problem> {
    let mut from = paging::behind(said.cursor.as_deref())?.unwrap_or(0);
    let limit = paging::limit(said.limit)?;
    // A page of leaves without a decision is no page.
    loop {
        let (all, next) = decisions(visitor.store(), visitor.project(), from, limit).await?;
        let mut items = Vec::new();
        for decided in all {
            // What a gate keeps back is kept back here too.
            let handoff = visitor.find(&decided.handoff).await?;
            let revision = u32::try_from(decided.revision).unwrap_or(u32::MAX);
            if visitor.reader().may_read(&handoff, revision).await? {
                items.push(decided);
            }
        }
        match next {
            Some(next) if items.is_empty() => from = next,
            next => return Ok(Json(Page { items, next: next.map(|next| next.to_string()) })),
        }
    }
}
