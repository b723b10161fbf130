//! `/v1/claims` and `/v1/handoffs/{id}/claims`: take work under a lease, keep it, give it back.
//!
//! A claim is named by its id, which stands for exactly one fencing token.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use tasuki_engine::authority::Shown;
use tasuki_engine::claim::{Renew, Request};
use tasuki_engine::command::Command;
use tasuki_engine::find;
use tasuki_engine::hold;
use tasuki_engine::release::{Park, Release};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId};

use crate::api::v1::Reason;
use crate::extract::body::{Said, or_default};
use crate::extract::parameters::Named;
use crate::extract::request_context::Visitor;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;

/// What a receiver says with its claim.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claiming {
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
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Claiming>,
) -> Result<Answered, Problem> {
    Ok(visitor.run_on(&id, |handoff| taking(Some(handoff), said)).await?.made())
}

pub(crate) async fn claim_next(
    visitor: Visitor,
    Said(said): Said<Claiming>,
) -> Result<Answered, Problem> {
    Ok(visitor.run(taking(None, said)).await?.made())
}

fn taking(handoff: Option<HandoffId>, said: Claiming) -> Command {
    let Claiming { lease, renewed, key, reads, read_back, drift } = said;
    let (read_back, drift) = (read_back.map(Value::Object), drift.map(Value::Object));
    Command::Claim(Request { handoff, lease, is_renewed: renewed, key, reads, read_back, drift })
}

/// The claim that the caller means, if it is its own.
async fn shown(visitor: &Visitor, written: &str) -> Result<Shown, Problem> {
    let id: ClaimId =
        written.parse().map_err(|error| Problem::argument(format!("`{written}`: {error}")))?;
    let own = visitor.principal().party;
    Ok(find::claim(visitor.store(), visitor.project(), own, id).await?)
}

/// Runs a command of its holder; what is refused is about the handoff as well, and its log line says so.
async fn run(visitor: &Visitor, shown: Shown, command: Command) -> Result<Answered, Problem> {
    visitor.run_on(&shown.handoff.to_string(), |_| command).await
}

/// Another length.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Renewing {
    lease: Option<Duration>,
}

pub(crate) async fn renew(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Renewing>,
) -> Result<Answered, Problem> {
    let shown = shown(&visitor, &id).await?;
    run(&visitor, shown, Command::Renew(Renew { shown, lease: said.lease })).await
}

pub(crate) async fn release(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Reason>,
) -> Result<Answered, Problem> {
    let shown = shown(&visitor, &id).await?;
    run(&visitor, shown, Command::Release(Release { shown, reason: said.reason })).await
}

/// Until when.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parking {
    not_before: Option<Timestamp>,
    #[serde(rename = "for")]
    length: Option<Duration>,
    reason: Option<String>,
}

pub(crate) async fn park(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Parking>,
) -> Result<Answered, Problem> {
    let shown = shown(&visitor, &id).await?;
    let not_before = match (said.not_before, said.length) {
        (Some(instant), None) => instant,
        (None, Some(length)) => after(visitor.engine().now(), length)?,
        _ => {
            return Err(Problem::argument("work is parked until an instant")
                .hint("say `not_before` with a time, or `for` with a duration"));
        }
    };
    run(&visitor, shown, Command::Park(Park { shown, not_before, reason: said.reason })).await
}

fn after(now: Timestamp, length: Duration) -> Result<Timestamp, Problem> {
    let milliseconds = i64::try_from(length.milliseconds()).unwrap_or(i64::MAX);
    now.checked_add(SignedDuration::from_millis(milliseconds))
        .map_err(|error| Problem::argument(format!("cannot tell that instant: {error}")))
}

/// The action, exactly.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Holding {
    action: Value,
}

pub(crate) async fn hold(
    visitor: Visitor,
    Named(id): Named,
    Said(said): Said<Holding>,
) -> Result<Answered, Problem> {
    let shown = shown(&visitor, &id).await?;
    run(&visitor, shown, Command::Hold(hold::Request { shown, action: said.action })).await
}
