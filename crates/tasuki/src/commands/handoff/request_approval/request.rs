//! Asks for an approval, finds the request that already waits for it, and withdraws it.

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_client::HandoffQuery;
use tasuki_engine::command::Command;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Begin, Cancel, RequestApproval, SeenVersion, Withdraw};
use tasuki_packet::canonical;

use crate::backend::{Backend, parse_id};
use crate::exit::{Exit, Failure};
use crate::input::action;
use crate::output::command_result;
use crate::output::handoff::reference;
use crate::output::printer::Printer;

/// LIMIT: characters of the goal of a task that is begun for a request.
const GOAL_CHARS_MAX: usize = 200;

/// The approval that the caller wants.
pub(super) struct Wanted {
    pub(super) action: Value,
    pub(super) task: Option<String>,
    pub(super) to: Option<String>,
    pub(super) fence: Option<u64>,
}

/// A request that waits for a person.
pub(super) struct Asked {
    pub(super) claim: ClaimProof,
    /// The handoff that is held for it.
    pub(super) handoff: api::Handoff,
    /// The id of the action's document.
    pub(super) request: String,
    /// The number of the event that began it.
    pub(super) n: u64,
    /// `true` if it was made by an earlier command.
    pub(super) is_found: bool,
}

/// Asks for an approval, unless the same request is already pending.
pub(super) fn ask(
    exchange: &dyn Backend,
    wanted: &Wanted,
    printer: &Printer,
) -> Result<Asked, Failure> {
    if let Some(pending) = pending(exchange, wanted)? {
        return Ok(pending);
    }
    if let Some(claim) = own_claim(exchange, wanted)? {
        return request(exchange, wanted, claim, false, printer);
    }
    let claim = begin(exchange, &wanted.action, printer)?;
    request(exchange, wanted, claim, true, printer).inspect_err(|_| {
        // The task was only begun for the request.
        let _stays = abandon(exchange, claim).is_err();
    })
}

/// Withdraws a request.
pub(super) fn withdraw(exchange: &dyn Backend, asked: &Asked, why: &str) -> Result<(), Failure> {
    let reason = Some(why.to_owned());
    let command = Command::Withdraw(Withdraw { claim: asked.claim, reason });
    exchange.run(command, None).map(drop)
}

/// Returns the claim to ask with, or none if there is no task.
fn own_claim(exchange: &dyn Backend, wanted: &Wanted) -> Result<Option<ClaimProof>, Failure> {
    let is_named = wanted.task.is_some() || wanted.fence.is_some();
    match exchange.current_claim(wanted.task.as_deref(), wanted.fence) {
        Ok(claim) if is_named => Ok(Some(claim)),
        // A claim that ended elsewhere may still be stored.
        Ok(claim) => Ok(exchange
            .stored_claim(claim)
            .is_none_or(|stored| exchange.is_claim_live(&stored))
            .then_some(claim)),
        Err(failure) if failure.exit == Exit::Conflict && !is_named => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Begins a task for the request.
fn begin(exchange: &dyn Backend, action: &Value, printer: &Printer) -> Result<ClaimProof, Failure> {
    let own = exchange.own_name()?;
    let packet = json!({
        "handoff_version": "1.0",
        "from_agent": own,
        "to_agent": own,
        "status": "in_progress",
        "goal": goal(action),
    });
    let source = packet.to_string().into_bytes();
    let answer = exchange.run(Command::Begin(Begin { source, ..Begin::default() }), None)?;
    command_result::registered(&answer, printer);
    let malformed = || Failure::usage("malformed response: no claim");
    let claim = answer.claim.as_ref().ok_or_else(malformed)?;
    let handoff = parse_id(answer.handoff.as_ref().ok_or_else(malformed)?)?;
    Ok(ClaimProof { handoff, fence: claim.fence })
}

/// Returns the goal of a task that is begun for an action: its first line, without control characters.
fn goal(action: &Value) -> String {
    let text = action::text(action);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let shown: String = line.chars().filter(|c| !c.is_control()).take(GOAL_CHARS_MAX).collect();
    format!("Get approval: {}", shown.trim())
}

/// Cancels a task that was begun for a request that was refused.
fn abandon(exchange: &dyn Backend, claim: ClaimProof) -> Result<(), Failure> {
    let reason = Some("the request for approval was refused".to_owned());
    let (handoff, seen) = (claim.handoff, SeenVersion::default());
    exchange.run(Command::Cancel(Cancel { handoff, seen, reason }), None).map(drop)
}

fn request(
    exchange: &dyn Backend,
    wanted: &Wanted,
    claim: ClaimProof,
    ends_task: bool,
    printer: &Printer,
) -> Result<Asked, Failure> {
    let (action, to) = (wanted.action.clone(), wanted.to.clone());
    let request = RequestApproval { claim, action, to, ends_task };
    let answer = exchange.run(Command::RequestApproval(request), None)?;
    command_result::registered(&answer, printer);
    command_result::notes(&answer, printer);
    let malformed = || Failure::usage("malformed response: no request");
    Ok(Asked {
        claim,
        handoff: *answer.handoff.ok_or_else(malformed)?,
        request: answer.document.ok_or_else(malformed)?,
        n: answer.n.ok_or_else(malformed)?,
        is_found: false,
    })
}

/// Returns the pending request of the caller for the same action.
fn pending(exchange: &dyn Backend, wanted: &Wanted) -> Result<Option<Asked>, Failure> {
    if !exchange.can_read()? {
        return Ok(None);
    }
    let (own, digest) = (exchange.own_name()?, canonical::digest(&wanted.action));
    let held = if let Some(task) = &wanted.task {
        vec![exchange.resolve(task)?]
    } else {
        let states = vec!["held".to_owned()];
        exchange.handoffs(&HandoffQuery { states, ..HandoffQuery::default() }, PAGE_MAX)?
    };
    let is_same = |one: &&api::Handoff| {
        one.holder.as_ref() == Some(&own)
            && one.action.as_ref().is_some_and(|action| action.digest == digest)
    };
    let Some(handoff) = held.iter().find(is_same) else { return Ok(None) };
    must_ask(wanted.to.as_deref(), handoff)?;
    found(exchange, handoff).map(Some)
}

/// Fails if the pending request asks other people than the caller wants.
fn must_ask(to: Option<&str>, handoff: &api::Handoff) -> Result<(), Failure> {
    let Some(to) = to.filter(|to| !handoff.deciders.iter().any(|one| one == to)) else {
        return Ok(());
    };
    let message = format!("this action already waits for a person, but not for `{to}`");
    Err(Failure { exit: Exit::Conflict, ..Failure::usage(message) }
        .hint(format!("wait for it without `--to`, or run `tasuki show {}`", reference(handoff))))
}

fn found(exchange: &dyn Backend, handoff: &api::Handoff) -> Result<Asked, Failure> {
    let id = parse_id(handoff)?;
    let events = exchange.history(id)?;
    let fence = |event: &api::Event| event.attributes.get("fence").and_then(Value::as_u64);
    let malformed = || Failure::usage("malformed response: a held handoff without a request");
    let held = events.iter().rfind(|event| event.kind == "handoff.held").ok_or_else(malformed)?;
    let fence = events.iter().rev().find_map(fence).ok_or_else(malformed)?;
    let action = handoff.action.as_ref().ok_or_else(malformed)?;
    Ok(Asked {
        claim: ClaimProof { handoff: id, fence },
        request: action.id.clone(),
        n: held.n,
        handoff: handoff.clone(),
        is_found: true,
    })
}
