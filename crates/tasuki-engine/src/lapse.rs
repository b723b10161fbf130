//! What time does: leases lapse, deadlines pass, packets expire.
//!
//! `settle` decides from `now` alone and runs before every command and before every list is shown,
//! so a lapse holds even if no timer ran. At exactly the instant it is over, so that two processes
//! with equal clocks agree. While a project is halted nothing moves by the clock.

use jiff::Timestamp;
use tasuki_packet::leaf::EventType;

use crate::change::Change;
use crate::context::later;
use crate::directory::Directory;
use crate::fallback::{self, Cause, Mover, clock, follow_checkpoint, next_rung, route};
use crate::gate;
use crate::handoff::{Claim, Handoff, Hold, HoldReason, State};
use crate::offer::offer;
use crate::state::ProjectState;

/// What the clock does next to a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Lapse,
    Expiry,
    GateExpiry,
    Deadline,
}

/// When the clock will move this handoff, if nothing happens before.
pub fn due_at(directory: &Directory, handoff: &Handoff) -> Option<Timestamp> {
    next(directory, handoff).map(|(at, _)| at)
}

/// What the clock has made due for this handoff, one step of it.
pub fn settle(state: &ProjectState, handoff: &Handoff, now: Timestamp) -> Option<Change> {
    if state.head.is_halted {
        return None;
    }
    let (_, due) = next(&state.directory, handoff).filter(|(at, _)| *at <= now)?;
    let mover = clock(state, now);
    let mut change = Change::default();
    let mut after = handoff.clone();
    match due {
        Due::Lapse => lapse(mover, &mut after, &mut change),
        Due::Expiry => {
            after.progress.has_expired = true;
            next_rung(mover, &mut after, Cause::Expired, &mut change);
        }
        Due::GateExpiry => next_rung(mover, &mut after, Cause::Expired, &mut change),
        Due::Deadline => next_rung(mover, &mut after, Cause::NoProgress, &mut change),
    }
    change.put(after);
    Some(change)
}

fn next(directory: &Directory, handoff: &Handoff) -> Option<(Timestamp, Due)> {
    // A parent that waits for its child cannot lapse.
    if handoff.progress.child.is_some() {
        return None;
    }
    let mut due: Vec<(Timestamp, Due)> = Vec::with_capacity(6);
    let deadlines = &handoff.facts.terms.deadlines;
    let progress = &handoff.progress;
    let mut deadline = |from: Timestamp, after: Option<tasuki_packet::duration::Duration>| {
        due.extend(after.map(|after| (later(from, after), Due::Deadline)));
    };
    let patience = fallback::patience(handoff);
    match &progress.state {
        State::Held(Hold { asked_by: None, since, .. }) => {
            deadline(progress.progress_at.max(*since), patience);
        }
        State::Held(_) => {}
        State::Offered(offer) => {
            let from = offer.not_before.unwrap_or(offer.since).max(offer.since);
            if progress.delivered_at.is_none() {
                deadline(from, deadlines.deliver);
            }
            deadline(from, deadlines.claim);
            deadline(progress.progress_at.max(from), patience);
        }
        State::Claimed(claim) => {
            if progress.started_at.is_none_or(|started| started < claim.since) {
                deadline(claim.since, deadlines.start);
            }
            deadline(progress.progress_at, deadlines.progress);
            deadline(claim.since, deadlines.return_packet);
            deadline(progress.progress_at, patience);
            due.push((claim.until, Due::Lapse));
        }
        State::Returned(returned) => deadline(returned.since, deadlines.verify),
        _ => return None,
    }
    due.extend(gate_expiries(directory, handoff).map(|at| (at, Due::GateExpiry)));
    due.extend(expiry(handoff).map(|at| (at, Due::Expiry)));
    due.into_iter().min()
}

/// The packet's own deadline, which is missed once, and not by work that has come back.
fn expiry(handoff: &Handoff) -> Option<Timestamp> {
    let is_back = matches!(handoff.progress.state, State::Returned(_));
    handoff.facts.sheet.expires_at.filter(|_| !handoff.progress.has_expired && !is_back)
}

fn gate_expiries(directory: &Directory, handoff: &Handoff) -> impl Iterator<Item = Timestamp> {
    let hold = match &handoff.progress.state {
        State::Held(hold) => Some(hold),
        _ => None,
    };
    hold.into_iter().flat_map(|hold| {
        hold.reasons.iter().filter_map(|reason| match reason {
            HoldReason::Gate(digest) => gate::expires_at(directory.gate(digest)?, hold.since),
            _ => None,
        })
    })
}

/// The lease is over: offered again with the last checkpoint, or the next rung.
fn lapse(mover: Mover<'_>, handoff: &mut Handoff, change: &mut Change) {
    let State::Claimed(claim) = handoff.progress.state.clone() else { return };
    handoff.progress.lapses += 1;
    handoff.progress.progress_at = mover.now;
    change
        .happened(EventType::Lapsed, handoff.id, mover.actor)
        .with("token", claim.token)
        .with("attempt", handoff.progress.lapses);
    if handoff.progress.lapses >= handoff.facts.terms.attempts {
        next_rung(mover, handoff, Cause::Lapsed, change);
        return;
    }
    let directory = &mover.state.directory;
    follow_checkpoint(directory, handoff);
    if claim.is_intercept {
        to_people(directory, handoff, &claim, mover.now);
    }
    offer(directory, handoff, None, mover.now, mover.actor, change);
}

/// What a person took over never goes straight back to an agent.
fn to_people(directory: &Directory, handoff: &mut Handoff, claim: &Claim, now: Timestamp) {
    if directory.is_people(handoff.facts.receiver) {
        return;
    }
    let rungs = fallback::ladder(handoff).iter();
    let people = rungs.filter_map(|step| directory.find(&step.to).ok());
    let people = people.map(|party| party.id).find(|party| directory.is_people(*party));
    let lapses = handoff.progress.lapses;
    route(directory, handoff, people.unwrap_or(claim.holder), now);
    handoff.progress.lapses = lapses;
}
