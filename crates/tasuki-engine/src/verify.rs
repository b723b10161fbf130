//! Somebody judges a return: it is done, or it goes back for rework, and at last to the next rung.
//!
//! The sender judges, or a reviewer, or whom a missed deadline put in its place, or the contract's
//! own check. Nobody judges what they returned themselves.

use serde_json::json;
use tasuki_packet::id::{HandoffId, VerdictId};
use tasuki_packet::leaf::{Actor, EventType};

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::document::{DocumentKind, Sealed};
use crate::fallback::{self, Cause, Mover};
use crate::handoff::{Handoff, Offer, Returned, State};
use crate::offer::offer;
use crate::principal::{SYSTEM, Scope};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::return_packet::Returning;
use crate::terms::Judge;
use crate::view;

/// The role whose members may judge any return.
const REVIEWERS: &str = "role:reviewer";

/// A return to be judged.
#[derive(Debug, Clone)]
pub struct Request {
    /// The handoff.
    pub handoff: HandoffId,
    /// Whether the return is good.
    pub is_good: bool,
    /// Why; required if it is not.
    pub reason: Option<String>,
}

/// Decides a verdict.
pub fn decide(
    context: &Context<'_>,
    request: &Request,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authority::scope(context, Scope::Verify)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Returned(returned) = &handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "verify", "returned"));
    };
    may_judge(context, handoff, returned)?;
    if !request.is_good {
        reason.required("fail a return")?;
    }
    let result = if request.is_good { "pass" } else { "fail" };
    let document = json!({ "result": result, "return": returned.return_packet });
    let sealed = reason.sealed(context, document);
    let mut after = handoff.clone();
    let mut change = Change::default();
    let id: VerdictId = context.draw.id("verdict", context.now);
    let judgement = Judgement { id, sealed, actor: context.actor(), reason: reason.text.clone() };
    if request.is_good {
        pass(&mut after, judgement, "verdict", &mut change);
    } else {
        fail(context, &mut after, judgement, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    Ok(change)
}

/// One verdict with its document.
struct Judgement {
    id: VerdictId,
    sealed: Sealed,
    actor: Actor,
    reason: Option<String>,
}

fn may_judge(context: &Context<'_>, handoff: &Handoff, returned: &Returned) -> Result<(), Refusal> {
    let directory = &context.state.directory;
    let own = context.principal.party;
    if returned.holder == own {
        let message = format!("you returned handoff {}, so somebody else judges it", handoff.id);
        return Err(Refusal::new(RefusalCode::OwnHandoff, message)
            .hint("its sender, a reviewer or a person verifies it"));
    }
    if handoff.facts.terms.verify == Judge::Person && !context.principal.is_human() {
        let message = format!("the contract of handoff {} wants a person's verdict", handoff.id);
        return Err(Refusal::new(RefusalCode::PersonNeeded, message));
    }
    let is_reviewer = directory.find(REVIEWERS).is_ok_and(|role| role.members.contains(&own));
    let is_put_in = handoff.progress.judge.is_some_and(|judge| directory.is_or_is_in(own, judge));
    if authority::is_sender(context, handoff)
        || is_reviewer
        || is_put_in
        || context.principal.is_human()
    {
        return Ok(());
    }
    let sender = directory.name(handoff.facts.sender);
    let message =
        format!("handoff {} is verified by `{sender}`, a reviewer or a person", handoff.id);
    Err(Refusal::new(RefusalCode::NotAllowed, message)
        .hint(format!("members of `{REVIEWERS}` may verify any return")))
}

/// The contract's own check: what the return says of each criterion decides.
pub fn automatic(
    context: &Context<'_>,
    handoff: &mut Handoff,
    returning: &Returning,
    change: &mut Change,
) {
    let id: VerdictId = context.draw.id("verdict", context.now);
    let result = if returning.is_good { "pass" } else { "fail" };
    let document = json!({ "result": result, "by": "contract", "verdict": returning.verdict });
    let sealed = Sealed::document(&document, context.draw.salt("verdict"));
    let judgement = Judgement { id, sealed, actor: SYSTEM, reason: None };
    if returning.is_good {
        pass(handoff, judgement, "contract", change);
    } else {
        fail(context, handoff, judgement, change);
    }
}

fn pass(handoff: &mut Handoff, judgement: Judgement, by: &'static str, change: &mut Change) {
    change
        .happened(EventType::Verified, handoff.id, judgement.actor)
        .with("verdict", judgement.id)
        .bringing(judgement.sealed.commitment)
        .because(judgement.reason.as_deref());
    change.happened(EventType::Done, handoff.id, judgement.actor).with("by", by);
    keep(handoff, judgement, change);
    handoff.progress.state = State::Done;
}

fn fail(context: &Context<'_>, handoff: &mut Handoff, judgement: Judgement, change: &mut Change) {
    handoff.progress.reworks += 1;
    handoff.progress.judge = None;
    handoff.progress.progress_at = context.now;
    let actor = judgement.actor;
    change
        .happened(EventType::FailedVerification, handoff.id, actor)
        .with("verdict", judgement.id)
        .with("rework", handoff.progress.reworks)
        .bringing(judgement.sealed.commitment)
        .because(judgement.reason.as_deref());
    keep(handoff, judgement, change);
    // The work moves from here on, not the judging.
    handoff.progress.state = State::Offered(Offer { since: context.now, not_before: None });
    if handoff.progress.reworks > handoff.facts.terms.reworks {
        let mover = Mover { state: context.state, now: context.now, actor };
        fallback::next_rung(mover, handoff, Cause::Rejected, change);
    } else {
        offer(&context.state.directory, handoff, None, context.now, actor, change);
    }
}

fn keep(handoff: &Handoff, judgement: Judgement, change: &mut Change) {
    let id = judgement.id.to_string();
    change.keep(handoff.id, DocumentKind::Verdict, id, judgement.sealed);
}
