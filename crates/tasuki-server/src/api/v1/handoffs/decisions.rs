//! `/v1/handoffs/{id}/decisions`: decisions on a handoff; `/v1/decisions`: all decisions of people.

use axum::http::HeaderMap;
use serde::Deserialize;
use tasuki_api::{DecisionKind, DecisionRecord, DecisionRequest, HttpErrorCode, Page, Secret};
use tasuki_engine::command::Command;
use tasuki_engine::limits::ROWS_PER_READ;
use tasuki_engine::query::continuation::chain_brief;
use tasuki_engine::query::decisions::decisions;
use tasuki_engine::steps::{
    Accept, Attention, Cancel, Intercept, Reject, Reroute, SeenVersion, SignOff,
};
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::Authentication;

use crate::api::v1::paging;
use crate::auth::password;
use crate::extract::body::StructuredBody;
use crate::extract::if_match::if_match;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::json::Json;
use crate::respond::problem::Problem;

pub(crate) async fn decide(
    context: RequestContext,
    headers: HeaderMap,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<DecisionRequest>,
) -> Result<CommandResponse, Problem> {
    let found = context.find(&id).await?;
    let word = body.decision;
    let mut principal = context.principal().clone();
    if matches!(word, DecisionKind::SignOff) {
        principal.authentication =
            signature_authentication(&context, body.password.clone()).await?;
    }
    check_members(&body)?;
    let seen = if_match(&context, &headers, &found).await?;
    let command = command(found.id, seen, body)?;
    let mut answered = context.run_as(principal, command).await?.created();
    if matches!(word, DecisionKind::Intercept) {
        // The person who takes the work over reads the whole chain.
        let taken = context.find(&found.id.to_string()).await?;
        answered.answer.brief = Some(chain_brief(&context.reader().await?.chain(&taken).await?));
    }
    Ok(answered)
}

/// Refuses members that belong to another kind of decision.
fn check_members(body: &DecisionRequest) -> Result<(), Problem> {
    let is_signature = matches!(body.decision, DecisionKind::SignOff);
    let is_reroute = matches!(body.decision, DecisionKind::Reroute);
    let members = [
        ("to", body.to.is_some() && !is_reroute, "reroute"),
        ("gate", body.gate.is_some() && !is_signature, "sign_off"),
        ("meaning", body.meaning.is_some() && !is_signature, "sign_off"),
        ("deny", body.deny && !is_signature, "sign_off"),
        ("password", body.password.is_some() && !is_signature, "sign_off"),
    ];
    match members.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((name, _, word)) => {
            Err(Problem::argument(format!("`{name}` is only valid for the decision `{word}`"))
                .hint("leave it out, or change `decision`"))
        }
        None => Ok(()),
    }
}

/// Returns the authentication of a signature: by password if one was typed for it, otherwise one that no
/// gate accepts.
async fn signature_authentication(
    context: &RequestContext,
    typed: Option<Secret>,
) -> Result<Authentication, Problem> {
    let (Some(person), Some(Secret(typed))) = (&context.caller.person, typed) else {
        return Ok(match context.principal().authentication {
            Authentication::Password => Authentication::Local,
            other => other,
        });
    };
    let limits = &context.app.limits;
    limits.take_signature(person)?;
    if password::verify(&context.app, person, typed).await? {
        limits.refund_signature(person);
        return Ok(Authentication::Password);
    }
    Err(Problem::with_code(HttpErrorCode::SignInWrong, "wrong password"))
}

fn command(
    handoff: HandoffId,
    seen: SeenVersion,
    body: DecisionRequest,
) -> Result<Command, Problem> {
    let reason = body.reason;
    let seen = SeenVersion {
        revision: body.revision.or(seen.revision),
        digest: body.digest.or(seen.digest),
        receiver: body.receiver.or(seen.receiver),
        attention: Attention { seconds: body.seconds, opened: body.opened },
    };
    Ok(match body.decision {
        DecisionKind::Accept => Command::Accept(Accept { handoff, seen, reason }),
        DecisionKind::Reject => Command::Reject(Reject { handoff, seen, reason }),
        DecisionKind::Intercept => Command::Intercept(Intercept { handoff, seen, reason }),
        DecisionKind::Cancel => Command::Cancel(Cancel { handoff, seen, reason }),
        DecisionKind::Reroute => {
            let to = body.to.ok_or_else(|| {
                Problem::argument("missing `to`").hint("`to` is the new receiver of a reroute")
            })?;
            Command::Reroute(Reroute { handoff, to, seen, reason })
        }
        DecisionKind::SignOff => {
            let (gate, meaning, is_denial) = (body.gate, body.meaning, body.deny);
            Command::SignOff(SignOff { handoff, gate, meaning, is_denial, seen, reason })
        }
    })
}

/// The query of the list of decisions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionsQuery {
    cursor: Option<String>,
    limit: Option<u32>,
}

pub(crate) async fn list(
    context: RequestContext,
    Parameters(query): Parameters<DecisionsQuery>,
) -> Result<Json<Page<DecisionRecord>>, Problem> {
    let mut from: u64 = paging::cursor(query.cursor.as_deref())?.unwrap_or(0);
    let limit = paging::limit(query.limit)?;
    let last = from.saturating_add(u64::from(ROWS_PER_READ));
    // Pages of leaves without a decision are skipped, up to the rows of one request.
    loop {
        let (all, next) = decisions(context.store(), context.project(), from, limit).await?;
        let mut items = Vec::new();
        for decided in all {
            // A decision is hidden while a gate hides its packet.
            let handoff = context.find(&decided.handoff).await?;
            let revision = u32::try_from(decided.revision).unwrap_or(u32::MAX);
            if context.reader().await?.may_read(&handoff, revision) {
                items.push(decided);
            }
        }
        match next {
            Some(next) if items.is_empty() && next < last => from = next,
            next => return Ok(Json(Page::new(items, next.map(|next| next.to_string())))),
        }
    }
}
