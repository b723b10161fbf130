//! `/v1/claims` and `/v1/handoffs/{id}/claims`: claim work, renew the lease, give it back.
//!
//! The id of a claim identifies exactly one fence.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tasuki_api::{ApprovalRequest, ClaimRequest, ParkRequest, ReasonRequest, RenewRequest};
use tasuki_engine::command::Command;
use tasuki_engine::query::resolve;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Adopt, Claim, Park, Release, Renew, Withdraw, request_approval};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId};

use crate::extract::body::StructuredBody;
use crate::extract::parameters::PathParameter;
use crate::extract::request_context::RequestContext;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;

pub(crate) async fn claim(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ClaimRequest>,
) -> Result<CommandResponse, Problem> {
    Ok(context.run_on(&id, |handoff| claim_command(Some(handoff), body)).await?.created())
}

pub(crate) async fn claim_next(
    context: RequestContext,
    StructuredBody(body): StructuredBody<ClaimRequest>,
) -> Result<CommandResponse, Problem> {
    Ok(context.run(claim_command(None, body)).await?.created())
}

fn claim_command(handoff: Option<HandoffId>, body: ClaimRequest) -> Command {
    let ClaimRequest { lease, renewed, key, reads, read_back, drift } = body;
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

/// Runs a command of the holder on its handoff, so that the log line of a refusal names the handoff.
async fn run(
    context: &RequestContext,
    shown: ClaimProof,
    command: Command,
) -> Result<CommandResponse, Problem> {
    context.run_on(&shown.handoff.to_string(), |_| command).await
}

pub(crate) async fn renew(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<RenewRequest>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Renew(Renew { claim: shown, lease: body.lease })).await
}

pub(crate) async fn adopt(
    context: RequestContext,
    PathParameter(id): PathParameter,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Adopt(Adopt { claim: shown })).await
}

pub(crate) async fn release(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ReasonRequest>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Release(Release { claim: shown, reason: body.reason })).await
}

pub(crate) async fn park(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ParkRequest>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    let not_before = match (body.not_before, body.length) {
        (Some(instant), None) => instant,
        (None, Some(length)) => after(context.engine().now(), length)?,
        _ => {
            return Err(Problem::argument("expected either `not_before` or `for`")
                .hint("`not_before` is a time, `for` a duration"));
        }
    };
    run(&context, shown, Command::Park(Park { claim: shown, not_before, reason: body.reason }))
        .await
}

fn after(now: Timestamp, length: Duration) -> Result<Timestamp, Problem> {
    let milliseconds = i64::try_from(length.milliseconds()).unwrap_or(i64::MAX);
    now.checked_add(SignedDuration::from_millis(milliseconds))
        .map_err(|error| Problem::argument(format!("invalid duration: {error}")))
}

pub(crate) async fn request_approval(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ApprovalRequest>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(
        &context,
        shown,
        Command::RequestApproval(request_approval::RequestApproval {
            claim: shown,
            action: body.action,
            to: body.to,
            ends_task: body.ends_task,
        }),
    )
    .await
}

pub(crate) async fn withdraw(
    context: RequestContext,
    PathParameter(id): PathParameter,
    StructuredBody(body): StructuredBody<ReasonRequest>,
) -> Result<CommandResponse, Problem> {
    let shown = own_claim(&context, &id).await?;
    run(&context, shown, Command::Withdraw(Withdraw { claim: shown, reason: body.reason })).await
}
