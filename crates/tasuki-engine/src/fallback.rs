//! The receiver cannot go on: the next rung of the ladder, at last the dead letter.
//!
//! The ladder is the packet's, else the contract's, else the project's; whatever it says, its last
//! rung is the dead letter, so no handoff vanishes. A rung that leads to nobody is skipped, as an
//! event. The next rung is decided like a submit: a gate still holds it.

use jiff::Timestamp;
use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId, PartyId};
use tasuki_packet::leaf::{Actor, EventType};

use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::context::Context;
use crate::directory::Directory;
use crate::document::DocumentKind;
use crate::handoff::{Handoff, State};
use crate::offer::offer;
use crate::principal::CLOCK;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::Step;
use crate::state::ProjectState;
use crate::view;

/// Why work leaves its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A deadline passed.
    NoProgress,
    /// The receiver declined.
    Declined,
    /// The return failed too often.
    Rejected,
    /// The packet's own deadline passed.
    Expired,
    /// The lease lapsed too often.
    Lapsed,
    /// The holder parked it, and the contract says that another goes on.
    Parked,
}

/// What a step of the clock or of a caller decides by.
#[derive(Debug, Clone, Copy)]
pub struct Mover<'a> {
    /// What is known.
    pub state: &'a ProjectState,
    /// When.
    pub now: Timestamp,
    /// Who moves it.
    pub actor: Actor,
}

impl<'a> From<&Context<'a>> for Mover<'a> {
    fn from(context: &Context<'a>) -> Self {
        Self { state: context.state, now: context.now, actor: context.actor() }
    }
}

impl Cause {
    /// The word as leaves and rungs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoProgress => "no_progress",
            Self::Declined => "declined",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Lapsed => "lapsed",
            Self::Parked => "parked",
        }
    }
}

/// Moves a handoff to the next rung that is for this cause and leads to somebody.
pub fn next_rung(mover: Mover<'_>, handoff: &mut Handoff, cause: Cause, change: &mut Change) {
    let directory = &mover.state.directory;
    let ladder = ladder(handoff).to_vec();
    while let Some(step) = usize::try_from(handoff.progress.rung).ok().and_then(|at| ladder.get(at))
    {
        handoff.progress.rung += 1;
        if step.on.as_deref().is_some_and(|on| on != cause.as_str()) {
            continue;
        }
        if step.to == "dead_letter" {
            break;
        }
        let event = change.happened(EventType::MovedOn, handoff.id, mover.actor);
        event.with("rung", handoff.progress.rung).with("because", cause.as_str());
        let party = directory.find(&step.to).ok().map(|party| party.id);
        if let Some(party) = party.filter(|party| directory.leads_to_somebody(*party)) {
            event.with("receiver", party);
            arrive(mover, handoff, party, change);
            return;
        }
        // Without a receiver in its leaf, the event says that the rung led to nobody.
        event.because(Some(&format!("`{}` leads to nobody", step.to)));
    }
    die(mover, handoff, cause, change);
}

/// The work, or in `returned` the judging, comes to another party.
fn arrive(mover: Mover<'_>, handoff: &mut Handoff, party: PartyId, change: &mut Change) {
    handoff.progress.progress_at = mover.now;
    if let State::Returned(returned) = &mut handoff.progress.state {
        returned.since = mover.now;
        handoff.progress.judge = Some(party);
        return;
    }
    route(&mover.state.directory, handoff, party, mover.now);
    offer(&mover.state.directory, handoff, None, mover.now, mover.actor, change);
}

/// Gives a handoff another receiver, who starts afresh; approvals of the old edge do not count.
pub fn route(directory: &Directory, handoff: &mut Handoff, party: PartyId, now: Timestamp) {
    let edge_gates = crate::prepare::gates_on(directory, handoff, party);
    let facts = handoff.facts_mut();
    facts.receiver = party;
    for digest in edge_gates {
        // Another route may add gates, never take one away.
        if !facts.terms.gates.contains(&digest) {
            facts.terms.gates.push(digest);
        }
    }
    let progress = &mut handoff.progress;
    progress.lapses = 0;
    progress.declined_by.clear();
    progress.questions.clear();
    progress.delivered_at = None;
    progress.accepted = None;
    progress.progress_at = now;
}

fn die(mover: Mover<'_>, handoff: &mut Handoff, cause: Cause, change: &mut Change) {
    change.happened(EventType::Died, handoff.id, mover.actor).with("because", cause.as_str());
    handoff.progress.state = State::Dead;
    handoff.progress.judge = None;
    chain::child_ended_by(mover, handoff, change);
}

/// The rungs of a handoff: the packet's own, else those of contract or project.
pub fn ladder(handoff: &Handoff) -> &[Step] {
    let own = &handoff.facts.sheet.fallback;
    if own.is_empty() { &handoff.facts.terms.ladder } else { own }
}

/// How long the current receiver may go without progress before the next rung: what it says itself.
pub fn patience(handoff: &Handoff) -> Option<tasuki_packet::duration::Duration> {
    let at = usize::try_from(handoff.progress.rung).ok()?;
    let next = ladder(handoff).get(at..)?.iter();
    let mut for_this = next.filter(|step| step.on.as_deref().is_none_or(|on| on == "no_progress"));
    for_this.next()?.after
}

/// A task that a party began for itself goes to whom its last checkpoint names.
pub fn follow_checkpoint(directory: &Directory, handoff: &mut Handoff) {
    let named = handoff.progress.checkpoint.as_ref().and_then(|mark| mark.to);
    let Some(party) = named.filter(|party| directory.leads_to_somebody(*party)) else { return };
    if handoff.facts.is_begun && handoff.facts.receiver != party {
        let now = handoff.progress.progress_at;
        route(directory, handoff, party, now);
    }
}

/// A receiver that does not take it.
#[derive(Debug, Clone)]
pub struct Decline {
    /// The handoff.
    pub handoff: HandoffId,
    /// Why; required.
    pub reason: Option<String>,
}

/// Decides a decline. A member of a role only takes itself out; when nobody is left, the next rung.
pub fn decline(
    context: &Context<'_>,
    request: &Decline,
    reason: &Reason,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authority::receiver(context, handoff)?;
    let State::Offered(_) = handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "decline", "offered"));
    };
    let text = reason.required("decline")?;
    let own = context.principal.party;
    if handoff.progress.declined_by.contains(&own) {
        let message = format!("you declined handoff {} already", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimDeclined, message));
    }
    let mut handoff = handoff.clone();
    let mut change = Change::default();
    let sealed = reason.sealed(context, json!({ "step": "decline" }));
    change
        .happened(EventType::Declined, handoff.id, context.actor())
        .bringing(sealed.commitment)
        .because(Some(text));
    let id = format!("decline-{own}-{}", handoff.progress.rung);
    change.keep(handoff.id, DocumentKind::Reason, id, sealed);
    handoff.progress.declined_by.push(own);
    let receiver = context.state.directory.party(handoff.facts.receiver);
    let members = receiver.map_or(&[][..], |party| party.members.as_slice());
    let is_left = members.iter().any(|member| !handoff.progress.declined_by.contains(member));
    if !is_left {
        next_rung(context.into(), &mut handoff, Cause::Declined, &mut change);
    }
    change.answer.handoff = Some(view::handoff(&context.state.directory, &handoff));
    change.put(handoff);
    Ok(change)
}

/// A dead letter that an operator deals with.
#[derive(Debug, Clone)]
pub struct Dead {
    /// The handoff.
    pub handoff: HandoffId,
    /// Why.
    pub reason: Option<String>,
}

/// Decides a redrive: the first receiver again, all counters at zero.
pub fn redrive(context: &Context<'_>, request: &Dead, reason: &Reason) -> Result<Change, Refusal> {
    let (mut handoff, mut change) = dead(context, request, reason, EventType::Redriven, "redrive")?;
    let task = &handoff.facts.task;
    if let Some(live) = context.state.live(task) {
        let message = format!("task `{task}` has a live handoff {} by now", live.id);
        return Err(Refusal::new(RefusalCode::TaskLive, message)
            .hint("let that one go on, or cancel it first")
            .naming(live.id));
    }
    let directory = &context.state.directory;
    let first = handoff.facts.first_receiver;
    route(directory, &mut handoff, first, context.now);
    handoff.progress.rung = 0;
    handoff.progress.reworks = 0;
    handoff.progress.has_expired = is_past(handoff.facts.sheet.expires_at, context.now);
    offer(directory, &mut handoff, None, context.now, context.actor(), &mut change);
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.put(handoff);
    Ok(change)
}

fn is_past(instant: Option<Timestamp>, now: Timestamp) -> bool {
    instant.is_some_and(|instant| instant <= now)
}

/// Decides a discard: given up for good, with a reason.
pub fn discard(context: &Context<'_>, request: &Dead, reason: &Reason) -> Result<Change, Refusal> {
    reason.required("discard")?;
    let (mut handoff, mut change) =
        dead(context, request, reason, EventType::Discarded, "discard")?;
    handoff.progress.state = State::Discarded;
    change.answer.handoff = Some(view::handoff(&context.state.directory, &handoff));
    change.put(handoff);
    Ok(change)
}

fn dead(
    context: &Context<'_>,
    request: &Dead,
    reason: &Reason,
    kind: EventType,
    verb: &str,
) -> Result<(Handoff, Change), Refusal> {
    authority::operator(context)?;
    let handoff = context.state.handoff(request.handoff)?.clone();
    if handoff.progress.state != State::Dead {
        return Err(authority::wrong_state(&handoff, verb, "dead"));
    }
    let mut change = Change::default();
    let id: DecisionId = context.draw.id("decision", context.now);
    let sealed = reason.sealed(context, json!({ "decision": verb }));
    change
        .happened(kind, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    Ok((handoff, change))
}

/// The mover of what time has made due.
pub fn clock(state: &ProjectState, now: Timestamp) -> Mover<'_> {
    Mover { state, now, actor: CLOCK }
}
