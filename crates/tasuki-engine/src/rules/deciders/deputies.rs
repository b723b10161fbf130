//! Deputies: people who decide in the place of a person who is away.
//!
//! A deputy gains the decisions of one person, never that person's roles. A handoff that is held
//! only by gates has no deputies: a signature is given in person. A deputy neither decides about
//! their own work nor about that of the person, and has no deputy for what they do as a deputy.
//! An absence ends by itself, because every check compares it with the current time.

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Actor;

use crate::model::{
    Absence, Context, Directory, Handoff, Hold, HoldReason, Party, PartyKind, State,
};
use crate::rules::{authorization, deciders};

/// Returns the absence of a person at this instant, if their deputy is still a person.
pub fn absence(directory: &Directory, person: PartyId, now: Timestamp) -> Option<Absence> {
    let absence = directory.party(person)?.absence.filter(|absence| absence.covers(now))?;
    let is_human = |party: &Party| party.kind == PartyKind::Human;
    directory.party(absence.deputy).is_some_and(is_human).then_some(absence)
}

/// Returns the people whom a person stands in for at this instant.
pub fn represented(directory: &Directory, deputy: PartyId, now: Timestamp) -> Vec<PartyId> {
    let is_deputy = |person: &&Party| {
        absence(directory, person.id, now).is_some_and(|absence| absence.deputy == deputy)
    };
    directory.people().filter(is_deputy).map(|person| person.id).collect()
}

/// Returns the person in whose place a caller acts on a handoff: one whom they stand in for and
/// whose turn it is, unless it is their own turn.
pub fn in_place_of(
    directory: &Directory,
    caller: PartyId,
    handoff: &Handoff,
    now: Timestamp,
) -> Option<PartyId> {
    if !may_have_deputy(handoff) || is_own_turn(directory, caller, handoff, now) {
        return None;
    }
    let may_replace = |person: &PartyId| may_replace(directory, handoff, (*person, caller), now);
    represented(directory, caller, now).into_iter().find(may_replace)
}

/// Returns the actor of a decision: the caller, and the person in whose place they decide.
pub fn actor(context: &Context<'_>, handoff: &Handoff) -> Actor {
    let (directory, caller) = (&context.state.directory, context.principal.party);
    let actor = context.actor();
    if !context.principal.is_human() {
        return actor;
    }
    let person = in_place_of(directory, caller, handoff, context.now);
    Actor { on_behalf_of: person.or(actor.on_behalf_of), ..actor }
}

/// Returns `true` if a deputy may act on a handoff in the place of a person.
pub fn may_replace(
    directory: &Directory,
    handoff: &Handoff,
    (person, deputy): (PartyId, PartyId),
    now: Timestamp,
) -> bool {
    let sender = handoff.facts.sender;
    let is_sender = |party: PartyId| authorization::may_send_for(directory, party, sender);
    match &handoff.progress.state {
        State::Held(hold) => {
            let asking = hold.approval_request.as_ref().map(|asked| asked.claim.holder);
            let is_own = |party: PartyId| is_sender(party) || asking == Some(party);
            has_plain_reason(hold)
                && ![person, deputy].into_iter().any(is_own)
                && deciders::admit(directory, hold, person, now)
        }
        State::Offered(_) => handoff.facts.receiver == person && !is_sender(deputy),
        State::Returned(returned) => {
            judges(handoff, person) && ![person, deputy].contains(&returned.holder)
        }
        State::Claimed(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => false,
    }
}

/// Returns `true` in the states in which a deputy may act. It spares most reads the search for one.
fn may_have_deputy(handoff: &Handoff) -> bool {
    matches!(handoff.progress.state, State::Held(_) | State::Offered(_) | State::Returned(_))
}

fn is_own_turn(directory: &Directory, party: PartyId, handoff: &Handoff, now: Timestamp) -> bool {
    match &handoff.progress.state {
        State::Held(hold) => deciders::admit(directory, hold, party, now),
        State::Returned(_) => judges(handoff, party),
        State::Offered(_)
        | State::Claimed(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => directory.is_or_is_in(party, handoff.facts.receiver),
    }
}

/// Returns `true` if a hold waits for more than signatures.
fn has_plain_reason(hold: &Hold) -> bool {
    hold.reasons.iter().any(|reason| !matches!(reason, HoldReason::Gate(_)))
}

/// Returns `true` if a return waits for the verdict of this person.
fn judges(handoff: &Handoff, person: PartyId) -> bool {
    let is_sender = handoff.facts.sender == person && !handoff.is_left_to_others();
    is_sender || handoff.judge() == Some(person)
}
