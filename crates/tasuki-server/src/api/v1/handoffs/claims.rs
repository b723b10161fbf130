//! `/v1/claims` and `/v1/handoffs/{id}/claims`: take work under a lease, keep it, give it back.
//!
//! A claim is named by its id, which stands for exactly one fence.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use tasuki_engine::command::Command;
use tasuki_engine::query::resolve;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Claim, Park, Release, Renew, request_approval};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId};

use crate::api::v1::ReasonBody;
use crate::extract::body::{StructuredBody, or_default};
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

/// The body of a claim.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimBody {
    lease: Option<Duration>,
    #[serde(default, deserialize_with = "or_default")]
    renewed: bool,
    key: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    reads: Vec<String>,
    read_back: Option<Map<String, Value>>,
    drift: Option<Map<String, Value>>,
}

pub(crate) async fn claim(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ClaimBody>,
) -> Result<CommandResponse, Problem> {
    Ok(context.run_on(&id, |handoff| claim_command(Some(handoff), body)).await?.created())
}

pub(crate) async fn claim_next(
    context: RequestContext,
    StructuredBody(body): StructuredBody<ClaimBody>,
) -> Result<CommandResponse, Problem> {
    Ok(context.run(claim_command(None, body)).await?.created())
}

fn claim_command(handoff: Option<HandoffId>, body: ClaimBody) -> Command {
    let ClaimBody { lease, renewed, key, reads, read_back, drift } = body;
    let (read_back, drift) = (read_back.map(Value::Object), drift.map(Value::Object));
    Command::Claim(Claim { handoff, lease, is_renewed: renewed, key, reads, read_back, drift })
}

/// Finds a claim of the caller by its id.
async fn own_claim(context: &RequestContext, written: &str) -> Result<ClaimProof, Problem> {
    let id: ClaimId =
        written.parse().map_err(|error| Problem::argument(format!("`{written}`: {error}")))?;
    let own = context.principal().party;
    Ok(resolve::claim(context.store(), context.project(), own, id).await?)
}

/// Runs a command of its holder; what is refused is about the handoff as well, and its log line says so.
async fn run(
    context: &RequestContext,
    shown: ClaimProof,
    command: Command,
) -> Result<CommandResponse, Problem> {
    context.run_on(&shown.handoff.to_string(), |_| command).await
}

/// The body of a renewal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenewBody {
    lease: Option<Duration>,
}

pub(crate) async fn renew(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<RenewBody>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Renew(Renew { claim: shown, lease: body.lease })).await
}

pub(crate) async fn release(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ReasonBody>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Release(Release { claim: shown, reason: body.reason })).await
}

/// The body of a request to park.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParkBody {
    not_before: Option<Timestamp>,
    #[serde(rename = "for")]
    length: Option<Duration>,
    reason: Option<String>,
}

pub(crate) async fn park(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ParkBody>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    let not_before = match (body.not_before, body.length) {
        (Some(instant), None) => instant,
        (None, Some(length)) => after(context.engine().now(), length)?,
        _ => {
            return Err(Problem::argument("work is parked until an instant")
                .hint("say `not_before` with a time, or `for` with a duration"));
        }
    };
    run(&context, shown, Command::Park(Park { claim: shown, not_before, reason: body.reason }))
        .await
}

fn after(now: Timestamp, length: Duration) -> Result<Timestamp, Problem> {
    let milliseconds = i64::try_from(length.milliseconds()).unwrap_or(i64::MAX);
    now.checked_add(SignedDuration::from_millis(milliseconds))
        .map_err(|error| Problem::argument(format!("cannot tell that instant: {error}")))
}

/// The body of a request for approval of an action.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldBody {
    action: Value,
    #[serde(default)]
    to: Option<String>,
}

pub(crate) async fn request_approval(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<HoldBody>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(
        &context,
        shown,
        Command::RequestApproval(request_approval::RequestApproval {
            claim: shown,
            action: body.action,
            to: body.to,
        }),
    )
    .await
}
